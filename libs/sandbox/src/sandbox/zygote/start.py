"""Entry point of the zygote process: `python -m sandbox.zygote.start SOCKET HOST_PID`.

The process binds its life to the host's before it imports anything large: imports take seconds, and the host may be
killed meanwhile.
"""

import importlib
import signal
import socket
import sys

from sandbox.confinement.linux import die_with_parent


def main() -> None:
    """Bind this process to the host, then import and run the server."""
    die_with_parent(int(sys.argv[2]), signal.SIGKILL)
    importlib.import_module("sandbox.zygote.server").main(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    main()

"""`python -m sandbox.zygote.start SOCKET HOST_PID`: the zygote, tied to its host before anything else.

Importing CAD takes seconds. A host that is killed meanwhile must leave nobody behind who is still at it.
"""

import importlib
import signal
import socket
import sys

from sandbox.confinement.linux import die_with_parent


def main() -> None:
    """Tie this process to the host, and only then import what a zygote is made of."""
    die_with_parent(int(sys.argv[2]), signal.SIGKILL)
    importlib.import_module("sandbox.zygote.server").main(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    main()

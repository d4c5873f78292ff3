"""`python -m cad_worker.hosting.zygote_start SOCKET HOST_PID`: the zygote, tied to its host before anything else.

Importing CAD takes seconds. A host that is killed meanwhile must leave nobody behind who is still at it.
"""

import importlib
import signal
import socket
import sys

from cad_worker.sandbox.linux import die_with_parent


def main() -> None:
    """Tie this process to the host, and only then import what a zygote is made of."""
    die_with_parent(int(sys.argv[2]), signal.SIGKILL)
    importlib.import_module("cad_worker.hosting.zygote").main(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    main()

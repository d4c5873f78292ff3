"""A parent to be killed: starts our servers in the folder it is given, prints what they are, and waits."""

import json
import signal
import sys
from pathlib import Path

from local_stack.servers.server_stack import ServerStack

if __name__ == "__main__":
    servers = ServerStack(Path(sys.argv[1])).start()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # only now: children inherit what is blocked
    print(json.dumps({"pids": servers.pids(), "environment": servers.environment()}), flush=True)  # noqa: T201
    signal.sigwait({signal.SIGTERM})
    servers.stop()
    if "--erase" in sys.argv:
        servers.erase()

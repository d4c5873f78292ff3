"""A parent process for tests to kill: starts the servers in the given folder, prints their process ids, and waits."""

import json
import signal
import sys
from pathlib import Path

from local_stack.servers.server_stack import ServerStack

if __name__ == "__main__":
    servers = ServerStack(Path(sys.argv[1])).start()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # only now: children inherit blocked signals
    print(json.dumps({"pids": servers.pids(), "environment": servers.environment()}), flush=True)  # noqa: T201
    signal.sigwait({signal.SIGTERM})
    servers.stop()
    if "--erase" in sys.argv:
        servers.erase()

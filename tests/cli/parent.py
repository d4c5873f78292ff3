"""A parent to be killed: starts our servers in the folder it is given, prints what they are, and waits."""

import json
import signal
import sys
import threading
from pathlib import Path

from cli.servers.stack import ServerStack

if __name__ == "__main__":
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    servers = ServerStack(Path(sys.argv[1])).start()
    print(json.dumps({"pids": servers.pids(), "environment": servers.environment()}), flush=True)  # noqa: T201
    while not stopped.wait(0.2):
        continue
    servers.stop()
    if "--erase" in sys.argv:
        servers.erase()

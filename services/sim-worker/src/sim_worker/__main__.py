"""sim-worker as a process of its own."""

import sys

from chassis.process import run

from sim_worker.app import make_app
from sim_worker.heap import limit_heap
from sim_worker.media import graphics_check
from sim_worker.settings import Settings

if __name__ == "__main__":
    limit_heap()
    if problem := graphics_check.check():
        sys.exit(f"sim-worker: {problem}")
    run("sim-worker", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

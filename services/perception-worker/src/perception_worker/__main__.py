"""perception-worker as a process of its own."""

from chassis.process import run

from perception_worker.app import make_app
from perception_worker.settings import Settings

if __name__ == "__main__":
    run("perception-worker", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

"""Runs the catalog as a process of its own."""

from chassis.process import run

from catalog.app import make_app
from catalog.settings import Settings

if __name__ == "__main__":
    run("catalog", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

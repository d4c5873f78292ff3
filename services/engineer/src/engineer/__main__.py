"""Runs the engineer as a process of its own."""

from chassis.process import run

from engineer.app import make_app
from engineer.settings import Settings

if __name__ == "__main__":
    run("engineer", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

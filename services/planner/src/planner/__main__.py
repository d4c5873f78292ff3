"""Runs the planner as a process of its own."""

from chassis.process import run

from planner.app import make_app
from planner.settings import Settings

if __name__ == "__main__":
    run("planner", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

"""Runs the critic as a process of its own."""

from chassis.process import run

from critic.app import make_app
from critic.settings import Settings

if __name__ == "__main__":
    run("critic", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

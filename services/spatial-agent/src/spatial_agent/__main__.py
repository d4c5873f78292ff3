"""Runs the spatial-agent as a process of its own."""

from chassis.process import run

from spatial_agent.app import make_app
from spatial_agent.settings import Settings

if __name__ == "__main__":
    run("spatial-agent", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

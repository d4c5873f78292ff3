"""Run cad-worker as a process of its own."""

from chassis.process import run

from cad_worker.app import make_app
from cad_worker.settings import Settings

if __name__ == "__main__":
    run("cad-worker", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - pydantic-settings reads the missing fields itself

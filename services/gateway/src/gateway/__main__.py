"""`python -m gateway`: environment → settings → app → run."""

from chassis.process import run

from gateway.app import make_app
from gateway.settings import Settings

if __name__ == "__main__":
    run("gateway", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

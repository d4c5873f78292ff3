"""`python -m recorder`: environment → settings → app → run."""

from chassis.process import run

from recorder.app import make_app
from recorder.settings import Settings

if __name__ == "__main__":
    run("recorder", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default

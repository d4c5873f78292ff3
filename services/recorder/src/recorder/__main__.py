"""`python -m recorder`: environment → settings → app → run."""

import sys

from chassis.process import run
from store.errors import StoreError

from recorder.app import make_app
from recorder.settings import Settings

if __name__ == "__main__":
    try:
        run(make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default
    except StoreError as error:
        sys.stderr.write(f"recorder: {error}\n")
        sys.exit(2)

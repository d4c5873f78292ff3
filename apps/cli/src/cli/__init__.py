"""The `millwright` command and the one-machine stack."""

import time

BEGUN_S = time.monotonic()
"""When the command began: loading its libraries is part of the time that a user waits."""

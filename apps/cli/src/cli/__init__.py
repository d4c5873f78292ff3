"""The `millwright` command."""

import time

BEGUN_S = time.monotonic()
"""When the command began: a user also waits while its libraries load."""

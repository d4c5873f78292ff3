"""Schedules collect all garbage at their end: what other tests left is kept out of that."""

import gc

import pytest


@pytest.fixture(scope="package", autouse=True)
def frozen() -> None:
    """Freeze for good: unfreezing would return what tests/conftest.py froze, too."""
    gc.collect()
    gc.freeze()

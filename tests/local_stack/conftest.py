"""Stacks of these tests leave no record and no database of root's behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from local_stack.servers.stack_records import erase, stack_records


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Path]:
    """A folder for data folders, whose stacks are forgotten after the test."""
    yield tmp_path
    for each in stack_records():
        if each.folder.is_relative_to(tmp_path):
            erase(each.stack)

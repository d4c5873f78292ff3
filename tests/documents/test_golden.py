"""The exact prose of observations, quotes and problems; `python -m tests.documents.regenerate` writes it."""

import pytest

from tests.documents.surfaces import GOLDEN, SURFACES
from tests.support.golden import read_golden


@pytest.mark.parametrize("name", SURFACES)
def test_surface_equals_golden_file(name: str) -> None:
    assert SURFACES[name]() == read_golden(GOLDEN, name)

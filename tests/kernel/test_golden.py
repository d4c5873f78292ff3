"""The exact messages of checker and API; `python -m tests.kernel.regenerate` writes them."""

import pytest

from tests.kernel.surfaces import GOLDEN, SURFACES
from tests.support.golden import read_golden


@pytest.mark.parametrize("name", SURFACES)
def test_surface_equals_golden_file(name: str) -> None:
    assert SURFACES[name]() == read_golden(GOLDEN, name)

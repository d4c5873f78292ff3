"""Our elements against those of CalculiX, on the same mesh and under the same loads."""

from functools import cache

import pytest

from tests.support.strength.calculix import CCX, Agreement, agreements
from tests.support.strength.closed_forms import CASES

CHOSEN = [case for case in CASES if case.name in ("cantilever", "bar that is pushed and accelerates", "curved hook")]
"""Held by supports; free, balanced by inertia; under a moment on a stiff region."""


@cache
def answers() -> dict[str, Agreement | None]:
    """All in one process, which takes the imports once."""
    return dict(zip((case.name for case in CHOSEN), agreements([case.analysis() for case in CHOSEN]), strict=True))


@pytest.mark.sample(1)
@pytest.mark.skipif(CCX is None, reason="ccx is not installed: apt-get install calculix-ccx")
@pytest.mark.parametrize("name", [case.name for case in CHOSEN])
def test_solution_agrees_with_calculix(name: str) -> None:
    found = answers()[name]

    assert found is not None
    assert max(found.displacement, found.energy, found.stress) < 1e-4

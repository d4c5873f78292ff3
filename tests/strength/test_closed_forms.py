"""The library against closed forms, in its own process."""

from functools import cache

import pytest
from strength.models import AnalysisResult
from strength.process import run

from tests.support.strength.closed_forms import CASES, ClosedForm


@cache
def answers() -> dict[str, AnalysisResult]:
    """All cases in one process, which takes the imports once."""
    both = zip(CASES, run([case.analysis() for case in CASES]), strict=True)
    return {case.name: outcome for case, outcome in both if isinstance(outcome, AnalysisResult)}


@pytest.mark.sample(4)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_analysis_of_known_solid_agrees_with_closed_form(case: ClosedForm) -> None:
    answer = answers()[case.name]

    assert answer.has_converged
    for what, read in case.reads.items():
        measured, exact = read(answer)
        assert measured == pytest.approx(exact, rel=case.tolerance), what

"""Finite elements decide about parts of submissions that beams, cuts and plates cannot bound."""

from dataclasses import replace

import pytest

from tests.support.designs import Designs
from tests.support.small_environment import make_designs
from tests.support.strength.judged_forms import JUDGED_FORMS, judged

FORMS = {form.name: form for form in JUDGED_FORMS}


@pytest.fixture
def designs() -> Designs:
    return make_designs()


@pytest.mark.parametrize("name", ["plate with a hole", "ring", "tapered post"])
def test_part_of_a_submission_has_the_stress_of_its_closed_form(designs: Designs, name: str) -> None:
    found = judged(FORMS[name], designs)

    assert found.use.is_by_solid
    assert abs(found.error) <= FORMS[name].tolerance


def test_ring_that_sections_pass_is_refused_by_finite_elements(designs: Designs) -> None:
    """Its two sides do not bend as one section: they bear 12 times what its cuts say."""
    found = judged(replace(FORMS["ring"], material="pc", ball_mm=120), designs)

    assert (found.result.nominal.ending, found.result.nominal.culprit) == ("overloaded", "part")
    assert "finite elements" in found.result.nominal.cause

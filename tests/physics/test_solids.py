"""Finite elements decide about parts of submissions that beams, cuts and plates cannot bound."""

from dataclasses import replace

import pytest
from cad_worker.jobs.design import scene_of

from tests.support.designs import Designs
from tests.support.small_environment import make_designs
from tests.support.strength.judged_forms import JUDGED_FORMS, bond, judged, with_ball_at_rest

FORMS = {form.name: form for form in JUDGED_FORMS}


@pytest.fixture
def designs() -> Designs:
    return make_designs()


@pytest.mark.parametrize("name", ["plate with a hole", "ring", "tapered post"])
def test_part_of_a_submission_has_the_stress_of_its_closed_form(designs: Designs, name: str) -> None:
    found = judged(FORMS[name], designs)

    assert found.use.is_by_solid
    assert abs(found.error) <= FORMS[name].tolerance


def test_part_that_cannot_be_meshed_keeps_the_verdict_of_its_sections(designs: Designs) -> None:
    form = FORMS["plate with a hole"]
    part = designs.as_part("part", form.shape(), method="cnc", material=form.material)
    scene = scene_of(designs.request(part, mechanism=[bond("part", "floor")])).scene
    assert scene is not None

    result = with_ball_at_rest(scene, form.ball_at_mm, form.ball_mm, {"part": b"no solid"})

    use = {use.label: use for use in result.parts}["part"]
    assert not use.is_by_solid
    assert "cannot be read" in use.solid_problem
    assert "finite elements gave no answer" in result.summary_md


def test_ring_that_sections_pass_is_refused_by_finite_elements(designs: Designs) -> None:
    """Its two sides do not bend as one section: they bear 12 times what its cuts say."""
    found = judged(replace(FORMS["ring"], material="pc", ball_mm=120), designs)

    assert (found.result.nominal.ending, found.result.nominal.culprit) == ("overloaded", "part")
    assert "finite elements" in found.result.nominal.cause

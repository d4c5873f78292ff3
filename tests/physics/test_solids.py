"""Finite elements decide about parts of previews and submissions that beams, cuts and plates cannot bound."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from artifacts.port import put_json, put_steps
from artifacts.testing import FakeArtifacts
from build123d import Box, Cylinder, Pos, Rot
from contracts.events.benchmark import BuiltWorld, CertificationRequested
from contracts.events.design import DesignSimulated
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.models.geometry import Box as Zone
from contracts.models.scene import Scene
from sim_worker.handlers import simulate, verify
from sim_worker.simulator import Simulator
from sim_worker.world_handlers import certify_worlds

from tests.sim_worker.validated_designs import validated_design
from tests.support.designs import Designs
from tests.support.small_environment import make_designs
from tests.support.strength.judged_forms import JUDGED_FORMS, judged, judged_scene, simulated

FORMS = {form.name: form for form in JUDGED_FORMS}


def thin_ring() -> Any:
    hoop = Rot(90, 0, 0) * (Cylinder(30.8, 5) - Cylinder(29.2, 5))
    return Pos(0, 0, 40) * hoop + Pos(0, 0, 4.9) * Box(6, 5, 9.8) + Pos(0, 0, 75.1) * Box(6, 5, 9.8)


WEAK_RING = replace(FORMS["ring"], shape=thin_ring, ball_mm=120)


@pytest.fixture
def designs() -> Designs:
    return make_designs()


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["plate with a hole", "ring", "tapered post", "shaft in torsion and bending"])
def test_part_of_a_submission_has_the_stress_of_its_closed_form(designs: Designs, name: str) -> None:
    found = judged(FORMS[name], designs)

    assert found.use.is_by_solid
    assert abs(found.error) <= FORMS[name].tolerance


def test_part_that_cannot_be_meshed_keeps_the_verdict_of_its_sections(designs: Designs) -> None:
    scene, _ = judged_scene(FORMS["plate with a hole"], designs)

    result = simulated(scene, {"part": b"no solid"})

    use = {use.label: use for use in result.parts}["part"]
    assert not use.is_by_solid
    assert "cannot be read" in use.solid_problem
    assert "finite elements gave no answer" in result.summary_md


def test_ring_that_sections_pass_is_refused_by_finite_elements(designs: Designs) -> None:
    """Its two sides do not bend as one section: they bear 12 times what its cuts say."""
    scene, _ = judged_scene(WEAK_RING, designs)
    assert simulated(scene, {}).nominal.ending == "reached_goal"

    found = judged(WEAK_RING, designs)

    assert (found.result.nominal.ending, found.result.nominal.culprit) == ("overloaded", "part")
    assert "finite elements" in found.result.nominal.cause


async def test_verdict_by_finite_elements_stays_in_the_scene_that_a_delivery_has(designs: Designs) -> None:
    """The critic's reruns and the film judge that scene, without the solids."""
    scene, solids = judged_scene(WEAK_RING, designs)
    artifacts, simulator = FakeArtifacts(), Simulator(threads=1)
    stored, steps = await put_json(artifacts, scene), await put_steps(artifacts, solids)

    verdict = await verify(validated_design(scene, stored, steps), artifacts, simulator)

    assert isinstance(verdict, DesignSimulated)
    assert (verdict.result.nominal.ending, verdict.result.nominal.culprit) == ("overloaded", "part")
    assert verdict.delivery.scene is not None
    corrected = Scene.model_validate_json(await artifacts.get(verdict.delivery.scene))
    assert simulated(corrected, {}).nominal.culprit == "part"


async def test_preview_judges_a_doubtful_part_as_the_verdict_does_and_can_be_filmed(designs: Designs) -> None:
    scene, solids = judged_scene(WEAK_RING, designs)
    artifacts, simulator = FakeArtifacts(), Simulator(threads=1)
    request = SimulationRequested(
        id=UUID(int=2),
        run_id=UUID(int=1),
        role="engineer",
        producer="cad-worker",
        scene=await put_json(artifacts, scene),
        part_steps=await put_steps(artifacts, solids),
    )

    preview = await simulate(request, artifacts, simulator)

    assert isinstance(preview, SimulationCompleted)
    assert (preview.result.nominal.ending, preview.result.nominal.culprit) == ("overloaded", "part")
    assert preview.scene is not None
    filmed = await simulate(request.model_copy(update={"scene": preview.scene, "part_steps": {}}), artifacts, simulator)
    assert isinstance(filmed, SimulationCompleted)
    assert filmed.result.trajectory_digest == preview.result.trajectory_digest


async def test_witness_with_a_part_that_finite_elements_refuse_gets_no_certificate(designs: Designs) -> None:
    scene, solids = judged_scene(WEAK_RING, designs)
    artifacts = FakeArtifacts()
    high = Zone(min_mm=(0, 0, 900), max_mm=(10, 10, 910))
    world = BuiltWorld(
        seed=0,
        environment_scene=await put_json(artifacts, scene.model_copy(update={"goal_zone": high})),
        witness_scene=await put_json(artifacts, scene),
        part_steps=await put_steps(artifacts, solids),
        unit_price_usd=1.0,
        mass_kg=0.1,
        parts=1,
    )
    request = CertificationRequested(
        id=UUID(int=2),
        run_id=UUID(int=1),
        role="benchmark-generator",
        producer="cad-worker",
        worlds=(world,),
        replicas=2,
    )

    certified = await certify_worlds(request, artifacts, Simulator(threads=1))

    (finding,) = certified.findings
    assert (certified.worlds, finding.stage) == ((), "simulation")
    assert "finite elements" in finding.detail

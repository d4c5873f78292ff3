"""The judge always ends with a verdict: odd designs, seeded, get findings that name the part, or a simulated result."""

from math import isfinite

import pytest
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator

from tests.cad_worker.scene.odd_designs import odd_design
from tests.support.designs import Designs

COUNT, BATCH = 40, 5
MOST_MPA = 1e6
"""A part may break; a stress beyond this is a division by next to nothing."""


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_odd_design_gets_a_verdict_that_names_the_part(designs: Designs, first: int) -> None:
    for seed in range(first, first + BATCH):
        check(designs, seed)


def simulated(scene: Scene, seed: int) -> SimulationResult | str:
    """Return the result, or why the scene cannot be simulated."""
    try:
        return Simulator(threads=1).simulate(scene, SimulationSettings(1, seed)).result
    except SceneRejectedError as rejected:
        return rejected.detail


def check(designs: Designs, seed: int) -> None:
    """Judge the odd design of a seed and simulate it, if it has a scene."""
    odd = odd_design(designs, seed)
    verdict = designs.judge(*odd.parts, mechanism=odd.mechanism)
    for finding in verdict.findings:
        named = [part.label for part in odd.parts if part.label in f"{finding.label} {finding.detail}"]
        assert named or finding.rule in {"not_stable", "over_constrained"}, f"seed {seed}: {finding}"
        assert any(character.isdigit() for character in finding.detail), f"seed {seed}: no measure in {finding}"
    if verdict.scene is None:
        assert verdict.findings, f"seed {seed}: neither scene nor finding"
        return
    scene = verdict.scene.model_copy(update={"duration_s": 0.3})
    result = simulated(scene, seed)
    if isinstance(result, str):
        assert any(part.label in result for part in odd.parts), f"seed {seed}: {result}"
        return
    assert all(isfinite(part.peak_stress_mpa) and part.peak_stress_mpa < MOST_MPA for part in result.parts), seed
    assert result.nominal.ending == "reached_goal" or result.nominal.cause, seed

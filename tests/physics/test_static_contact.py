"""Parts stand, lean, hang and come off as they would on a table."""

import numpy as np
import pytest
from build123d import Box, Pos, Rot
from cad_worker.jobs.design import scene_of
from sim_worker.simulator import SimulationRecord

from tests.support.solids.ramp_environment import RampEnvironment, ball, bonded, box, simulate

STEEL = "steel-1018"


def moved_mm(run: SimulationRecord, label: str) -> float:
    """Return the displacement of a part's centre of mass."""
    path = run.trajectory.body_m[:, run.trajectory.bodies.index(label)]
    return float(np.linalg.norm(path[-1] - path[0])) * 1000


@pytest.fixture(scope="module")
def ramp() -> RampEnvironment:
    return RampEnvironment.of()


def test_standing_part_does_not_move(ramp: RampEnvironment) -> None:
    run = ramp.run(ramp.part("tower", Pos(0, 0, 50) * Box(30, 30, 100)))
    assert moved_mm(run, "tower") < 0.1


@pytest.mark.parametrize(("lean_deg", "falls"), [(8.0, False), (14.0, True)])
def test_leaning_part_falls_beyond_tipping_angle(ramp: RampEnvironment, lean_deg: float, falls: bool) -> None:
    panel = Rot(0, lean_deg, 0) * Pos(-10, 0, 50) * Box(20, 60, 100)  # its middle is past its edge from 11.3 deg on
    run = ramp.run(ramp.part("panel", panel))
    height_mm = run.trajectory.body_m[-1, 0, 2] * 1000
    assert height_mm == pytest.approx(10.0 if falls else 50.0, abs=0.5)


def test_glued_shelf_bears_ball() -> None:
    goal = box((-290, -20, 150), (-250, 20, 200))
    ramp = RampEnvironment.of(payload=ball((-268, 0, 200)), goal_zone=goal)
    plate = Pos(-270, 0, 150) * Box(60, 60, 6) - Pos(-268, 0, 153) * Box(44, 44, 3)
    result = ramp.run(ramp.part("shelf", plate), mechanism=[bonded("shelf", "wall")]).result
    assert result.verdict == "solved"
    (load,) = result.loads
    scene_kg = 0.0472 + 1270e-9 * (60 * 60 * 6 - 44 * 44 * 1.5)
    assert load.peak_force_n > scene_kg * 9.81
    assert load.max_force_n == pytest.approx(3.0 * 60 * 6), "N/mm2 of the glue times the glued face"


def test_unglued_shelf_falls() -> None:
    ramp = RampEnvironment.of(payload=ball((-268, 0, 200)), goal_zone=box((-290, -20, 150), (-250, 20, 200)))
    request = ramp.designs.request(ramp.part("shelf", Pos(-270, 0, 150) * Box(60, 60, 6)))
    found = scene_of(request)
    assert found.scene is not None
    assert simulate(found.scene).result.verdict == "failed"


def test_weak_bond_is_overloaded_with_numbers(ramp: RampEnvironment) -> None:
    block = Pos(-260, 0, 150) * Box(60, 60, 60) + Pos(-295, 0, 150) * Box(10, 6, 6)
    scene = ramp.scene(ramp.part("block", block, material=STEEL), mechanism=[bonded("block", "wall")])
    holds_n_m = 3.0 * 36 * 6 / 6 / 1000  # N/mm2 of the glue times the face and its section modulus
    result = simulate(scene).result
    assert (result.verdict, result.nominal.ending) == ("failed", "overloaded")
    assert result.nominal.culprit == "block-to-wall-1"
    assert f"it holds 108 N, or {holds_n_m:.3g}, {holds_n_m:.3g} or 0.153 N m" in result.nominal.cause
    (weld,) = scene.welds
    bodies = tuple(body.model_copy(update={"strength": None}) for body in scene.bodies)
    endless = scene.model_copy(
        update={"bodies": bodies, "welds": (weld.model_copy(update={"max_moment_n_m": None, "face": None}),)}
    )
    (load,) = simulate(endless).result.loads
    assert load.peak_moment_n_m == pytest.approx(7.85e-6 * 60**3 * 9.81 * 0.04, rel=0.03)

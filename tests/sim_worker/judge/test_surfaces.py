"""Surfaces of made parts that replicas draw within their tolerance, against figures by hand."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import Body, HullGeom, Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.model import compile_scene
from sim_worker.run.jitter import no_jitter, random_jitter
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.simulator import run_batch, run_nominal, run_replicas

from tests.sim_worker.scenes import ball, block, box, empty_scene

TOLERANCE_MM = 0.3
"""Of the surfaces of a part that is sintered: its sizes keep 0.3 mm."""
CORNERS = [(x, y, z) for x in (-50.0, 50.0) for y in (-50.0, 50.0) for z in (-10.0, 0.0)]


def test_surfaces_are_drawn_within_their_tolerances_and_change_no_other_draw() -> None:
    plain, drawn = random_jitter(2000, seed=1), random_jitter(2000, seed=1, tolerances_m=np.array([1e-4, 0.0, 3e-4]))
    assert drawn.surface_m.shape == (2000, 3)
    assert np.abs(drawn.surface_m).max(axis=0) == pytest.approx([1e-4, 0.0, 3e-4], rel=0.01)
    assert drawn.surface_m.mean(axis=0) == pytest.approx([0.0] * 3, abs=1e-5)
    assert abs(np.corrcoef(drawn.surface_m[:, 0], drawn.surface_m[:, 2])[0, 1]) < 0.05
    np.testing.assert_array_equal(plain.start_m, drawn.start_m)
    np.testing.assert_array_equal(plain.friction_factor, drawn.friction_factor)
    assert not no_jitter().surface_m.size


@pytest.mark.parametrize("is_hull", [False, True])
def test_ball_rests_as_much_higher_as_the_surface_below_it(is_hull: bool) -> None:
    plate = block("plate", (0, 0, -5), (100, 100, 10))
    if is_hull:
        plate = plate.model_copy(update={"geoms": (HullGeom(vertices_mm=tuple(CORNERS)),)})
    goal = box((-30, -30, 0), (30, 30, 30))
    scene = empty_scene(ball((0, 0, 21)), bodies=(plate,), goal_zone=goal, goal_rule="at_rest", duration_s=2.0)
    ends_mm: list[float] = []
    for moved_mm in (0.0, 0.4, -0.4):
        jitter = replace(no_jitter(), surface_m=np.array([[moved_mm / 1000]]))
        world = compile_scene(scene)
        (result,) = run_batch(world, ReplicaBatch(world, jitter, threads=1))
        assert result.ending == "reached_goal", "what it rests in is behind the drawn surface"
        ends_mm.append(result.final_mm[2])
    assert [end - ends_mm[0] for end in ends_mm] == pytest.approx([0.0, 0.4, -0.4], abs=1e-3)


def slot_scene(gap_mm: float) -> Scene:
    """Return a ball of 40 mm over a slot between two plates that are sintered."""

    def plate(label: str, side: int) -> Body:
        center: Vector = (side * (gap_mm / 2 + 40), 0, 0)
        return block(label, center, (80, 200, 20)).model_copy(update={"surface_tolerance_mm": TOLERANCE_MM})

    goal = box((-60, -60, -200), (60, 60, -100))
    bodies = (plate("left", -1), plate("right", 1))
    return empty_scene(ball((0, 0, 40)), bodies=bodies, goal_zone=goal, hold_s=0.0, replica_jitter_mm=0.5)


def passed(results: tuple[ReplicaResult, ...]) -> int:
    return sum(result.ending == "reached_goal" for result in results)


def test_fit_jams_at_the_tight_end_of_its_tolerance_and_a_loose_one_never() -> None:
    """By hand: both surfaces take 0.6 mm at most, so that 40.7 leaves 40.1; a soft contact yields by some tenths."""
    tight, loose = (compile_scene(slot_scene(gap_mm)) for gap_mm in (40.1, 40.7))
    assert run_nominal(tight).result.ending == "reached_goal", "the run as designed has the drawn sizes"
    count = 24
    assert 0 < passed(run_replicas(tight, count, seed=1, threads=1)) < count
    assert passed(run_replicas(loose, count, seed=1, threads=1)) == count

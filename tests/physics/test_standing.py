"""No free lunch: parts stand, lean, hang and come off as they would on a table."""

import numpy as np
import pytest
from build123d import Box, Pos, Rot
from cad_worker.jobs.scene import scene_of
from sim_worker.simulator import SimulationRecord

from tests.physics.site import Site, ball, bonded, box, tried

STEEL = "steel-1018"


def moved_mm(experiment: SimulationRecord, label: str) -> float:
    """Return how far a part's centre of mass has come."""
    path = experiment.trajectory.body_m[:, experiment.trajectory.bodies.index(label)]
    return float(np.linalg.norm(path[-1] - path[0])) * 1000


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.of()


def test_a_part_that_merely_stands_stays(site: Site) -> None:
    experiment = site.run(site.part("tower", Pos(0, 0, 50) * Box(30, 30, 100)))
    assert moved_mm(experiment, "tower") < 0.1


@pytest.mark.parametrize(("lean_deg", "falls"), [(8.0, False), (14.0, True)])
def test_a_part_that_leans_falls_once_its_middle_is_past_its_edge(site: Site, lean_deg: float, falls: bool) -> None:
    panel = Rot(0, lean_deg, 0) * Pos(-10, 0, 50) * Box(20, 60, 100)  # its middle is past its edge from 11.3 deg on
    experiment = site.run(site.part("panel", panel))
    height_mm = experiment.trajectory.body_m[-1, 0, 2] * 1000
    assert height_mm == pytest.approx(10.0 if falls else 50.0, abs=0.5)


def test_a_part_that_is_glued_to_the_wall_bears_the_ball() -> None:
    goal = box((-290, -20, 150), (-250, 20, 200))
    site = Site.of(payload=ball((-268, 0, 200)), goal_zone=goal)
    plate = Pos(-270, 0, 150) * Box(60, 60, 6) - Pos(-268, 0, 153) * Box(44, 44, 3)
    result = site.run(site.part("shelf", plate), mechanism=[bonded("shelf", "wall")]).result
    assert result.verdict == "solved"
    (load,) = result.loads
    scene_kg = 0.0472 + 1270e-9 * (60 * 60 * 6 - 44 * 44 * 1.5)
    assert load.peak_force_n > scene_kg * 9.81
    assert load.max_force_n == pytest.approx(3.0 * 60 * 6), "N/mm2 of the glue times the glued face"


def test_a_part_beside_the_wall_without_glue_is_no_shelf() -> None:
    site = Site.of(payload=ball((-268, 0, 200)), goal_zone=box((-290, -20, 150), (-250, 20, 200)))
    request = site.shop.request(site.part("shelf", Pos(-270, 0, 150) * Box(60, 60, 6)))
    found = scene_of(request)
    assert found.scene is not None
    assert tried(found.scene).result.verdict == "failed"


def test_a_weak_bond_fails_with_its_numbers(site: Site) -> None:
    block = Pos(-260, 0, 150) * Box(60, 60, 60) + Pos(-295, 0, 150) * Box(10, 6, 6)
    scene = site.scene(site.part("block", block, material=STEEL), mechanism=[bonded("block", "wall")])
    holds_n_m = 3.0 * 36 * 6 / 6 / 1000  # N/mm2 of the glue times the face and its section modulus
    result = tried(scene).result
    assert (result.verdict, result.nominal.ending) == ("failed", "overloaded")
    assert result.nominal.culprit == "block-to-wall-1"
    assert f"it holds {holds_n_m:.3g} N m" in result.nominal.cause
    (weld,) = scene.welds
    endless = scene.model_copy(update={"welds": (weld.model_copy(update={"max_moment_n_m": None}),)})
    (load,) = tried(endless).result.loads
    assert load.peak_moment_n_m == pytest.approx(7.85e-6 * 60**3 * 9.81 * 0.04, rel=0.03)

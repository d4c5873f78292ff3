"""Contact forces at the samples of a trajectory."""

from io import BytesIO

import numpy as np
import pytest
from sim_worker.run.contact_loads import ContactLoads
from sim_worker.run.trajectory import Trajectory

from tests.sim_worker.scene_runs import simulate_scene
from tests.sim_worker.scenes import ball, block, empty_scene
from tests.sim_worker.structure.beams import glued, rod

BALL_N = 4 / 3 * np.pi * 0.02**3 * 1410.0 * 9.81


def shelf_scene(height_mm: float):
    """Return a ball above a strip that is glued to a wall, with a second strip that nothing touches."""
    wall = block("wall", (-105, 0, -3), (10, 40, 60), "environment")
    strips = (rod("shelf", (0, 0, -3), (200, 40, 6)), rod("spare", (0, 0, -203), (200, 40, 6)))
    below = block("low_wall", (-105, 0, -203), (10, 40, 60), "environment")
    welds = (
        glued("glue", "shelf", "wall", (-100, 0, -3), (0, 40, 6)),
        glued("glue_2", "spare", "low_wall", (-100, 0, -203), (0, 40, 6)),
    )
    return empty_scene(ball((30, 0, 20 + height_mm)), bodies=(wall, below, *strips), welds=welds)


def test_resting_ball_presses_on_its_shelf_with_its_weight_and_on_nothing_else():
    scene = shelf_scene(0.0)
    trajectory = Trajectory.of(simulate_scene(scene, 0.6), scene)
    loads = trajectory.contacts
    assert loads.bodies == ("shelf",)
    np.testing.assert_allclose(loads.force_n[-1, 0], (0, 0, -BALL_N), atol=0.02 * BALL_N)
    np.testing.assert_allclose(loads.place_m[-1, 0], (0.03, 0, 0), atol=0.0005)
    file = np.load(BytesIO(trajectory.as_npz()))
    assert list(file["contact_bodies"]) == ["shelf"]
    assert file["contact_force_n"].shape == file["contact_mm"].shape == (len(file["time_s"]), 1, 3)
    assert file["contact_mm"][-1, 0, 0] == pytest.approx(30, abs=0.5)


def test_blow_between_two_samples_is_kept():
    scene = shelf_scene(60.0)
    readings = simulate_scene(scene, 0.4)
    force_n = np.linalg.norm(readings.contact_load("shelf")[:, :3], axis=1)
    hit = int(np.argmax(force_n))
    loads = ContactLoads.of(readings, np.array([0, hit - 7, hit + 9, len(force_n) - 1]))
    assert np.linalg.norm(loads.force_n[:, 0], axis=1)[2] == pytest.approx(force_n[hit])
    assert loads.force_n[0, 0] == pytest.approx((0, 0, 0))


def test_digest_does_not_depend_on_contacts():
    scene = shelf_scene(0.0)
    readings = simulate_scene(scene, 0.2)
    trajectory = Trajectory.of(readings, scene)
    readings.rows[:, readings.layout.contact_loads["shelf"]] += 1.0
    assert Trajectory.of(readings, scene).digest == trajectory.digest

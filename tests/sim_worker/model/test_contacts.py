"""Contacts against closed forms: friction, restitution, rest, and which bodies collide."""

from math import cos, pi, radians, sin

import numpy as np
import pytest
from contracts.models.scene import Body, LoadedJoint, Scene
from sim_worker.model import TINY_STEP_S, compile_scene
from sim_worker.model.contacts import reject_energy_gain, solref
from sim_worker.rejection import SceneRejectedError
from sim_worker.run.readings import Readings

from tests.sim_worker import scenes
from tests.sim_worker.scene_runs import simulate_scene

G = 9.81


def on_slope(tilt_deg: float, plane_friction: float, block_friction: float) -> Readings:
    """Return readings of a flat block of the design on a tilted plane, for 1.5 s."""
    plane = scenes.block("plane", (0, 0, 300), (1600, 400, 10), "environment", tilt_deg)
    up_mm = 5 + 10 + 0.02
    center = (up_mm * sin(radians(tilt_deg)), 0, 300 + up_mm * cos(radians(tilt_deg)))
    block = scenes.solid("block", center, (60, 60, 20), tilt_deg=tilt_deg, friction=block_friction)
    plane = plane.model_copy(update={"friction": plane_friction})
    return simulate_scene(scenes.machine_scene(plane, block), 1.5)


def slid_mm(readings: Readings) -> float:
    path_m = readings.moving_position_m[-1, 0] - readings.moving_position_m[300, 0]
    return float(np.linalg.norm(path_m)) * 1000


@pytest.mark.parametrize(("plane", "block"), [(0.3, 0.3), (0.9, 0.1), (0.15, 0.6)])
def test_friction_is_geometric_mean_of_both_parts(plane: float, block: float) -> None:
    assert slid_mm(on_slope(15.0, plane, block)) < 1.0
    steep = on_slope(18.0, plane, block)
    ideal_mm = 1000 * G * (sin(radians(18)) - 0.3 * cos(radians(18))) * (1.5**2 - 0.3**2) / 2
    assert slid_mm(steep) == pytest.approx(ideal_mm, rel=0.05)


def drop(restitution: float, size_mm: float = 40.0, fall_mm: float = 200.0) -> Readings:
    """Return readings of a payload dropped on a slab of that restitution."""
    slab = scenes.block("slab", (0, 0, -10), (400, 400, 20)).model_copy(update={"restitution": restitution})
    payload = scenes.ball((0, 0, size_mm / 2 + fall_mm), size_mm=size_mm)
    return simulate_scene(scenes.empty_scene(payload, bodies=(slab,)), 2.0)


def rebound(height_m: np.ndarray, time_s: np.ndarray, fall_m: float) -> float:
    """Return the share of its speed with which a body leaves the ground after its first fall."""
    speed_m_s = np.gradient(height_m, time_s)
    hit = int(np.argmin(speed_m_s))
    return float(speed_m_s[hit:].max() / np.sqrt(2 * G * fall_m))


@pytest.mark.parametrize("size_mm", [14.0, 30.0, 40.0])
@pytest.mark.parametrize(("restitution", "at_least", "at_most"), [(0.2, 0.15, 0.3), (0.3, 0.25, 0.4), (0.6, 0.35, 0.5)])
def test_payload_rebounds_with_smaller_restitution(
    size_mm: float, restitution: float, at_least: float, at_most: float
) -> None:
    readings = drop(restitution, size_mm)
    measured = rebound(readings.position_m[:, 2], readings.time_s, 0.2)
    print(f"payload {size_mm:g} mm, restitution {restitution:g} against 0.4: measured {measured:.2f}")  # noqa: T201 - for the log
    assert at_least < measured < at_most


@pytest.mark.parametrize("restitution", [0.2, 0.3, 0.4, 0.5, 0.6, 0.8])
def test_part_rebounds_with_its_restitution(restitution: float) -> None:
    floor = scenes.block("floor", (0, 0, -10), (400, 400, 20), "environment")
    floor = floor.model_copy(update={"restitution": 0.9})
    body = scenes.solid("part", (0, 0, 220), (40, 40, 40), restitution=restitution)
    readings = simulate_scene(scenes.machine_scene(floor, body), 1.0)
    measured = rebound(readings.moving_position_m[:, 0, 2], readings.time_s, 0.2)
    print(f"part, restitution {restitution:g}: measured {measured:.2f}")  # noqa: T201 - for the log
    assert measured == pytest.approx(restitution, abs=0.06)


@pytest.mark.parametrize("size_mm", [10.0, 20.0, 40.0, 80.0])
def test_resting_ball_sinks_in_less_than_0_05_mm(size_mm: float) -> None:
    readings = drop(0.4, size_mm, fall_mm=0.5)
    assert readings.position_m[-1, 2] * 1000 - size_mm / 2 == pytest.approx(0.0, abs=0.05)
    assert readings.depth_m[-1, 0] < 5e-5
    assert readings.touching[-1, 0] > 0


def test_pile_rests_at_its_height() -> None:
    floor = scenes.block("floor", (0, 0, -10), (400, 400, 20), "environment")
    pile = [scenes.solid(f"part{name}", (0, 0, 20 + 40.0 * level), (40, 40, 40)) for level, name in enumerate("abcd")]
    readings = simulate_scene(scenes.machine_scene(floor, *pile), 1.0)
    tops_mm = readings.moving_position_m[-1, :, 2] * 1000
    np.testing.assert_allclose(tops_mm, [20, 60, 100, 140], atol=0.3)


def flap(origin: str = "design", **changes: object) -> Scene:
    """Return a flap on a hinge in the middle of a block; without collision it would swing through the block."""
    block = scenes.block("block", (-60, 0, 0), (100, 100, 100), origin)
    leaf: Body = scenes.solid("leaf", (-35, 0, 70), (150, 50, 10), tilt_deg=0.0)
    hinge: LoadedJoint = scenes.joint("hinge", "revolute", "block", "leaf", (45, 0, 70))
    return scenes.machine_scene(block, leaf, joints=(hinge,), **changes)


def turned_deg(scene: Scene) -> float:
    return float(np.degrees(np.abs(simulate_scene(scene, 1.0).joint_position).max()))


def test_part_collides_with_its_parent_unless_both_belong_to_the_design() -> None:
    touching = (("block", "leaf"), ("leaf", "block"))
    assert turned_deg(flap()) < 15.0
    assert turned_deg(flap(touching=touching)) > 90.0
    assert turned_deg(flap("environment", touching=touching)) < 15.0


def test_welded_parts_do_not_collide() -> None:
    parts = [scenes.solid(name, (x, 0, 300), (60, 60, 60)) for name, x in (("first", 0), ("second", 40))]
    glued = scenes.machine_scene(*parts, welds=(scenes.weld("glue", "first", "second", (20, 0, 300)),))
    apart = np.ptp(np.diff(simulate_scene(glued, 0.2).moving_position_m[:, :, 0], axis=1))
    assert apart < 1e-9
    assert np.ptp(np.diff(simulate_scene(scenes.machine_scene(*parts), 0.2).moving_position_m[:, :, 0], axis=1)) > 0.001


def test_stiffness_does_not_depend_on_restitution() -> None:
    for restitution in (0.2, 0.4, 0.6, 0.9):
        time_constant_s, damping_ratio = solref(restitution, 0.0015, 0.001)
        assert time_constant_s * damping_ratio == pytest.approx(0.0015)
    assert solref(0.45, 0.0015, 0.001) == pytest.approx((0.005, 0.3), rel=0.01)


def test_contacts_that_gain_energy_are_rejected() -> None:
    with pytest.raises(SceneRejectedError, match=r"time constant 0\.005 s and damping ratio 0\.1 can gain energy"):
        reject_energy_gain(0.005, 0.1, 0.001)
    wild = scenes.block("slab", (0, 0, -10), (400, 400, 20), "environment").model_copy(update={"restitution": 0.99})
    springy = scenes.solid("part", (0, 0, 220), (40, 40, 40), restitution=0.95)
    with pytest.raises(SceneRejectedError, match=r"a restitution of 0\.95 gains energy"):
        compile_scene(scenes.machine_scene(wild, springy))


def test_tiny_payload_has_tiny_steps() -> None:
    assert compile_scene(scenes.empty_scene(scenes.ball((0, 0, 0), size_mm=14.9))).step_s == TINY_STEP_S


def test_payload_on_a_glued_shelf_loads_the_glue() -> None:
    wall = scenes.block("wall", (-5, 0, 0), (10, 200, 200), "environment")
    shelf = scenes.solid("shelf", (50, 0, 0), (100, 100, 10))
    glue = scenes.weld("glue", "wall", "shelf", (0, 0, 0))
    scene = scenes.empty_scene(scenes.ball((60, 0, 25.01)), bodies=(wall, shelf), welds=(glue,))
    readings = simulate_scene(scene, 0.5)
    ball_kg = scenes.POM_KG_M3 * pi / 6 * 0.04**3
    assert readings.weld_force_n[-1, 0] == pytest.approx((0.1 + ball_kg) * G, rel=0.001)
    assert readings.weld_moment_n_m[-1, 0] == pytest.approx((0.1 * 0.05 + ball_kg * 0.06) * G, rel=0.01)


def test_payload_pushes_a_free_part() -> None:
    floor = scenes.block("floor", (0, 0, -10), (800, 400, 20), "environment")
    ramp = scenes.block("ramp", (-200, 0, 100), (300, 100, 10), "environment", tilt_deg=30.0)
    light = scenes.solid("light", (60, 0, 20), (20, 60, 40), density_kg_m3=200)
    scene = scenes.empty_scene(scenes.ball((-250, 0, 170)), bodies=(floor, ramp, light))
    readings = simulate_scene(scene, 1.5)
    assert readings.moving_position_m[-1, 0, 0] > 0.07
    assert readings.touching[:, 2].max() > 0

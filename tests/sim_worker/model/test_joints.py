"""Joints against closed forms: degrees of freedom, ranges and loads."""

from math import cos, pi, radians, sin, sqrt

import numpy as np
import pytest
from contracts.models.mechanism import Coupling, Steps
from contracts.models.scene import Body, Scene
from sim_worker.model import compile_scene
from sim_worker.rejection import SceneRejectedError

from tests.sim_worker import scenes
from tests.sim_worker.scene_runs import simulate_scene

G = 9.81
POST = scenes.block("post", (0, 200, 500), (20, 20, 20), "environment")
ROD_MM = 300.0


def rod(label: str = "rod", top_mm: tuple[float, float, float] = (0, 0, 500), tilt_deg: float = 0.0) -> Body:
    """Return a thin rod that hangs from its top, swung out by an angle about y."""
    half = ROD_MM / 2
    center = (top_mm[0] - half * sin(radians(tilt_deg)), top_mm[1], top_mm[2] - half * cos(radians(tilt_deg)))
    return scenes.solid(label, center, (10, 10, ROD_MM), tilt_deg=tilt_deg)


def pendulum(tilt_deg: float, **hinge: object) -> Scene:
    joint = scenes.joint("hinge", "revolute", "post", "rod", (0, 0, 500)).model_copy(update=hinge)
    return scenes.machine_scene(POST, rod(tilt_deg=tilt_deg), joints=(joint,))


def test_hinged_rod_swings_with_pendulum_period() -> None:
    amplitude_rad = radians(5.0)
    readings = simulate_scene(pendulum(5.0), 4.0)
    angle_rad = readings.joint_position[:, 0] + amplitude_rad
    rising = np.flatnonzero((angle_rad[:-1] < 0) & (angle_rad[1:] >= 0))
    period_s = float(np.diff(readings.time_s[rising]).mean())
    inertia_per_kg = (ROD_MM / 1000) ** 2 / 3 + 0.01**2 / 12
    ideal_s = 2 * pi * sqrt(inertia_per_kg / (G * ROD_MM / 2000)) * (1 + amplitude_rad**2 / 16)
    assert period_s == pytest.approx(ideal_s, rel=0.002)


def test_hinge_bears_weight_and_centrifugal_force() -> None:
    readings = simulate_scene(pendulum(90.0), 0.6)
    kg = 0.01 * 0.01 * 0.3 * 1000
    lowest = int(np.argmax(np.abs(readings.joint_velocity[:, 0])))
    assert readings.joint_force_n[lowest, 0] == pytest.approx(2.5 * kg * G, rel=0.01)
    assert readings.joint_moment_n_m[:, 0].max() < 1e-6


def test_hinge_bears_moment_of_offset_weight() -> None:
    joint = scenes.joint("hinge", "revolute", "post", "rod", (0, 100, 500))
    readings = simulate_scene(scenes.machine_scene(POST, rod(), joints=(joint,)), 0.05)
    assert readings.joint_moment_n_m[-1, 0] == pytest.approx(0.03 * G * 0.1, rel=1e-3)


@pytest.mark.parametrize("kind", ["revolute", "cylindrical"])
def test_hinge_stops_at_its_limit(kind: str) -> None:
    scene = pendulum(60.0, kind=kind, angle_range_deg=(-30.0, 45.0))
    angles_deg = np.degrees(simulate_scene(scene, 2.0).joint_position[:, 0])
    assert angles_deg.min() == pytest.approx(-30.0, abs=1.5)
    assert angles_deg[-1] == pytest.approx(-30.0, abs=0.1)


def test_slide_stops_at_its_limit() -> None:
    joint = scenes.joint("slide", "linear", "post", "rod", (0, 0, 0), axis=(0, 0, 1), travel_range_mm=(-80.0, 0.0))
    readings = simulate_scene(scenes.machine_scene(POST, rod(), joints=(joint,)), 1.0)
    assert readings.joint_position[:, 0].min() == pytest.approx(-0.080, abs=0.004)
    assert readings.joint_position[-1, 0] == pytest.approx(-0.080, abs=0.0001)


def test_slide_falls_freely_unless_friction_holds_it() -> None:
    for friction_n, fallen_m in ((0.0, G * 0.2**2 / 2), (1.0, 0.0)):
        joint = scenes.joint("slide", "linear", "post", "rod", (0, 0, 0), axis=(0, 0, 1), friction_force_n=friction_n)
        readings = simulate_scene(scenes.machine_scene(POST, rod(), joints=(joint,)), 0.2)
        assert -readings.joint_position[-1, 0] == pytest.approx(fallen_m, abs=0.002)


def test_bearing_friction_stops_a_pendulum() -> None:
    moment_n_m = 0.03 * G * 0.15 * sin(radians(30.0))
    assert np.ptp(simulate_scene(pendulum(30.0, friction_torque_n_m=1.1 * moment_n_m), 0.5).joint_position) < radians(
        0.1
    )
    assert np.ptp(simulate_scene(pendulum(30.0, friction_torque_n_m=0.9 * moment_n_m), 0.5).joint_position) > radians(
        1.0
    )


def test_ball_joint_swings_up_to_its_limit() -> None:
    joint = scenes.joint("socket", "ball", "post", "rod", (0, 0, 500), angle_range_deg=(-40.0, 40.0))
    readings = simulate_scene(scenes.machine_scene(POST, rod(tilt_deg=60.0), joints=(joint,)), 1.0)
    assert np.degrees(readings.joint_position[:, 0].max()) == pytest.approx(40.0, abs=2.0)
    assert readings.joint_moment_n_m.max() < 1e-9


def test_joint_direction_does_not_depend_on_the_fixed_side() -> None:
    usual = pendulum(20.0)
    backward = scenes.joint("hinge", "revolute", "rod", "post", (0, 0, 500), axis=(0, -1, 0))
    turned = usual.model_copy(update={"joints": (backward,)})
    np.testing.assert_allclose(
        simulate_scene(turned, 0.5).joint_position, simulate_scene(usual, 0.5).joint_position, atol=1e-9
    )


def test_range_without_initial_pose_is_rejected() -> None:
    with pytest.raises(SceneRejectedError, match="joint hinge: its range"):
        compile_scene(pendulum(0.0, angle_range_deg=(10.0, 20.0)))


def coupled(coupling: Coupling, second: str, **changes: object) -> Scene:
    """Return two parallel rods; a motor turns the first, and a coupling moves the second."""
    hinge = scenes.joint("first", "revolute", "post", "left", (0, 0, 500), axis=(0, 0, 1))
    other = scenes.joint("second", second, "post", "right", (0, 400, 500), axis=(0, 0, 1))
    rods = (rod("left"), rod("right", (0, 400, 500)))
    motor = scenes.drive("motor", "first", control=Steps(times_s=(0.0, 0.5), shares=(1.0, -0.5)), armature_kg_m2=0.001)
    return scenes.machine_scene(POST, *rods, joints=(hinge, other), couplings=(coupling,), drives=(motor,), **changes)


def test_gear_keeps_its_ratio() -> None:
    readings = simulate_scene(
        coupled(Coupling(kind="gear", first="first", second="second", ratio=-2.5), "revolute"), 1.0
    )
    first, second = readings.joint_position.T
    assert np.abs(first).max() > 2.0
    np.testing.assert_allclose(second, -2.5 * first, atol=0.001 * np.abs(first).max())


def test_rack_travels_as_its_pinion_rolls() -> None:
    mm_per_deg = 2 * pi * 10.0 / 360
    readings = simulate_scene(
        coupled(Coupling(kind="rack", first="first", second="second", ratio=mm_per_deg), "linear"), 1.0
    )
    angle_rad, travel_m = readings.joint_position.T
    assert np.abs(angle_rad).max() > 2.0
    np.testing.assert_allclose(travel_m, 0.010 * angle_rad, atol=2e-5)


def test_coupling_of_a_ball_joint_is_rejected() -> None:
    with pytest.raises(SceneRejectedError, match="second is ball"):
        compile_scene(coupled(Coupling(kind="gear", first="first", second="second", ratio=1.0), "ball"))

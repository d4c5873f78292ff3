"""Friction of joints under load, against closed forms: pins, guides, thrust and jamming."""

from math import cos, radians, sin

import numpy as np
import pytest
from contracts.models.benchmark import Payload
from contracts.models.scene import Scene
from sim_worker.model import compile_scene
from sim_worker.run.joint_friction import JointFriction
from sim_worker.run.readings import Readings
from sim_worker.simulator import run_nominal

from tests.sim_worker import scenes

G = 9.81
MU, PIN_MM, KG = 0.2, 4.0, 0.1
BEARING = {"friction_coefficient": MU, "friction_radius_mm": PIN_MM, "max_force_n": 400.0}


def readings_of(scene: Scene) -> Readings:
    return run_nominal(compile_scene(scene)).readings


def pivoted(offset_mm: float, kind: str = "revolute", moment_n_m: float = 4.0) -> Scene:
    """Return a block on a pin along y; its centre is beside the pin by an offset."""
    post = scenes.block("post", (0, 100, 0), (20, 20, 20), "environment")
    block = scenes.solid("block", (offset_mm, 0, 0), (60, 60, 20))
    hinge = scenes.joint("hinge", kind, "post", "block", (0, 0, 0), max_moment_n_m=moment_n_m, **BEARING)
    return scenes.machine_scene(post, block, joints=(hinge,), duration_s=0.3)


def test_pin_turns_only_beyond_its_circle_of_friction() -> None:
    inside, outside = MU * PIN_MM - 0.1, MU * PIN_MM + 0.1
    assert np.abs(readings_of(pivoted(inside)).joint_position).max() < 1e-4
    assert np.abs(readings_of(pivoted(outside)).joint_position).max() > 0.01


def test_loaded_pin_brakes_with_mu_n_r() -> None:
    offset_mm, inertia = 5.0, KG * ((0.06**2 + 0.02**2) / 12 + 0.005**2)
    readings = readings_of(pivoted(offset_mm))
    speed = np.abs(readings.joint_velocity[:, 0])
    early = readings.time_s < 0.06  # its angle is below 5 degrees
    measured = np.polyfit(readings.time_s[early], speed[early], 1)[0]
    ideal = KG * G * (offset_mm - MU * PIN_MM) / 1000 / inertia
    assert measured == pytest.approx(ideal, rel=0.03)


@pytest.mark.parametrize(("lever_mm", "tips"), [(40.0, False), (120.0, False), (150.0, True)])
def test_seesaw_of_7_9_kg_tips_under_47_g_only_beyond_the_friction_of_its_pin(lever_mm: float, tips: bool) -> None:
    """The pin rubs with mu N r: 62 N mm; 47 g reach them at 135 mm."""
    post = scenes.block("post", (0, 200, 0), (20, 20, 20), "environment")
    board = scenes.solid("board", (0, 0, 0), (400, 60, 20), 7.9 / (0.4 * 0.06 * 0.02))
    pin = scenes.joint("hinge", "revolute", "post", "board", (0, 0, 0), max_moment_n_m=4.0, **BEARING)
    cube = Payload(
        label="payload",
        shape="cube",
        size_mm=40,
        start_mm=(lever_mm, 0, 30.01),
        density_kg_m3=0.047 / 0.04**3,
        friction=0.5,
    )
    far = scenes.box((250, 250, 5), (280, 280, 60))
    scene = scenes.empty_scene(cube, bodies=(post, board), joints=(pin,), goal_zone=far, duration_s=0.5)
    assert (np.abs(readings_of(scene).joint_position).max() > 0.001) == tips


def slider(tilt_deg: float, offset_mm: float, length_mm: float) -> Scene:
    """Return a block on a guide that falls towards +x; its centre is off the guide's line by an offset."""
    turn = radians(tilt_deg)
    rail = scenes.block("rail", (0, 300, 0), (20, 20, 20), "environment")
    block = scenes.solid("block", (offset_mm * sin(turn), 0, offset_mm * cos(turn)), (40, 40, 40))
    guide = scenes.joint(
        "guide",
        "linear",
        "rail",
        "block",
        (0, 0, 0),
        axis=(cos(turn), 0.0, -sin(turn)),
        max_moment_n_m=400.0 * length_mm / 1000,
        **BEARING,
    )
    return scenes.machine_scene(rail, block, joints=(guide,), duration_s=0.3)


@pytest.mark.parametrize("tilt_deg", [10.0, 11.0, 12.0, 20.0])
def test_slide_rubs_with_mu_times_its_load(tilt_deg: float) -> None:
    readings = readings_of(slider(tilt_deg, 0.0, 100.0))
    ideal = max(0.0, G * (sin(radians(tilt_deg)) - MU * cos(radians(tilt_deg))))
    measured = np.polyfit(readings.time_s, np.abs(readings.joint_velocity[:, 0]), 1)[0]
    assert measured == pytest.approx(ideal, rel=0.02, abs=0.002)


@pytest.mark.parametrize(("jamming", "moves"), [(0.9, True), (1.1, False), (4.4, False)])
def test_guide_jams_beyond_two_mu_a_over_l(jamming: float, moves: bool) -> None:
    lever_mm = 40.0
    readings = readings_of(slider(90.0, jamming * lever_mm / (2 * MU), lever_mm))
    assert (np.abs(readings.joint_position).max() > 0.05) == moves


def test_carried_forces_are_those_of_statics() -> None:
    friction = JointFriction.of(compile_scene(pivoted(1.0, moment_n_m=4.0)))
    assert friction is not None
    loads = np.array([[[6.0, 8.0, 0.0, 0.0, 0.0, 9.0]], [[0.0, 0.0, -3.0, 0.5, 0.0, 0.0]]])
    radial_n, thrust_and_couple_n = 10.0, 3.0 + 2 * 0.5 / 0.01
    np.testing.assert_allclose(friction.carried_n(loads)[:, 0], [radial_n, thrust_and_couple_n])


def drawer(lever_mm: float, rack_mm: float, center_mm: float = 0.0) -> Scene:
    """Return a drawer on a guide along x that a motor pulls by a rack beside it; its centre is beside it as well."""
    frame = scenes.solid("frame", (0, 300, 0), (20, 20, 20))
    floor = scenes.block("floor", (0, 300, -15), (40, 40, 10), "environment")
    made = scenes.solid("drawer", (0, center_mm, 0), (40, 40, 40))
    moment_n_m = 400 * lever_mm / 1000
    guide = scenes.joint(
        "guide", "linear", "frame", "drawer", (0, 0, 0), axis=(1, 0, 0), max_moment_n_m=moment_n_m, **BEARING
    )
    motor = scenes.drive("frame", "guide", pinion_radius_mm=10.0, contact_mm=(30.0, rack_mm, 0.0), thermal_limit_s=9.0)
    foot = scenes.weld("foot", "floor", "frame", (0, 300, -10), None)
    machine = scenes.machine_scene(floor, frame, made, joints=(guide,), drives=(motor,), welds=(foot,), duration_s=0.3)
    return machine.model_copy(update={"bodies": (floor, frame, made)})


@pytest.mark.parametrize(("jamming", "moves"), [(0.9, True), (1.5, False), (4.4, False)])
def test_drawer_jams_where_its_rack_is_too_far_from_its_guide(jamming: float, moves: bool) -> None:
    lever_mm = 40.0
    readings = readings_of(drawer(lever_mm, jamming * lever_mm / (2 * MU)))
    assert (readings.joint_position[-1, 0] > 0.01) == moves


def test_rack_that_pulls_at_the_centre_of_mass_leaves_its_weight_to_the_guide() -> None:
    weight_n_m, early = 0.064 * G * 0.05, slice(1, 20)
    through, beside = (readings_of(drawer(40.0, rack_mm, 50.0)).joint_loads[early, 0, 3:5] for rack_mm in (50.0, -50.0))
    assert np.linalg.norm(through, axis=1).max() < 1.1 * weight_n_m
    assert np.linalg.norm(beside, axis=1).min() > 1.5 * weight_n_m

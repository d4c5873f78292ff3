"""Motors against their data sheets."""

from dataclasses import replace
from math import cos, pi, radians

import numpy as np
import pytest
from contracts.models.mechanism import Constant, Control, Oscillation, Positions, Steps
from contracts.models.scene import Scene
from sim_worker.model import compile_scene
from sim_worker.model.motor_programs import control_values
from sim_worker.rejection import SceneRejectedError
from sim_worker.run.jitter import no_jitter
from sim_worker.run.replica_batch import ReplicaBatch

from tests.sim_worker import scenes
from tests.sim_worker.scene_runs import simulate_scene

G = 9.81
STALL_N_M, NO_LOAD_RAD_S = 2.0, 10.0
POST = scenes.block("post", (0, 200, 500), (20, 20, 20), "environment")
STATOR = scenes.joint("axle", "revolute", "post", "wheel", (0, 0, 500), axis=(0, 0, 1))
WHEEL = scenes.solid("wheel", (0, 0, 500), (60, 60, 20))


def braked(load_n_m: float) -> Scene:
    """Return a wheel on a vertical axle, braked by dry friction, at full voltage."""
    axle = STATOR.model_copy(update={"friction_torque_n_m": load_n_m})
    return turning().model_copy(update={"joints": (axle,)})


def turning(**changes: object) -> Scene:
    """Return a wheel on a vertical axle."""
    return scenes.machine_scene(POST, WHEEL, joints=(STATOR,), drives=(scenes.drive("motor", "axle", **changes),))


@pytest.mark.parametrize("load", [0.0, 0.1, 0.25, 0.4, 0.5])
def test_motor_speed_under_load_follows_its_line(load: float) -> None:
    torque_n_m = 2 * load
    readings = simulate_scene(braked(torque_n_m), 0.5)
    expected = NO_LOAD_RAD_S * (1 - torque_n_m / STALL_N_M)
    assert readings.drive_speed_rad_s[-1, 0] == pytest.approx(expected, abs=0.01)
    assert readings.drive_torque_n_m[-1, 0] == pytest.approx(torque_n_m, abs=0.005)
    assert readings.layout.program.controls(readings.time_s)[-1, 0] == 12.0


def test_motor_stalls_above_its_stall_torque() -> None:
    readings = simulate_scene(braked(1.01 * STALL_N_M), 0.5)
    assert abs(readings.joint_velocity[-1, 0]) < 1e-3
    assert readings.drive_torque_n_m[-1, 0] == pytest.approx(STALL_N_M, rel=0.001)


def test_motor_speed_is_proportional_to_voltage() -> None:
    assert simulate_scene(turning(control=Constant(share=-0.5)), 0.5).drive_speed_rad_s[-1, 0] == pytest.approx(
        -5.0, abs=0.01
    )


SERVO: dict[str, object] = {"mode": "position", "control": Positions(times_s=(0.001,), targets=(115.0,))}


@pytest.mark.parametrize("armature", [0.0, 0.004, 0.01])
def test_servo_keeps_motor_speed_and_stops_at_target(armature: float) -> None:
    readings = simulate_scene(turning(armature_kg_m2=armature, **SERVO), 1.0)
    assert 0.97 * NO_LOAD_RAD_S < readings.drive_speed_rad_s.max() < 1.001 * NO_LOAD_RAD_S
    assert np.degrees(readings.joint_position[-1, 0]) == pytest.approx(115.0, abs=0.1)
    assert np.degrees(readings.joint_position.max()) < 116.0
    assert np.abs(readings.drive_torque_n_m).max() <= STALL_N_M + 1e-9


def test_servo_holds_an_arm_up_to_stall_torque() -> None:
    for kg, sags_deg in ((0.8, 2.1), (1.8, None)):
        arm = scenes.solid("arm", (150, 0, 500), (300, 20, 20), density_kg_m3=kg / 0.00012)
        hinge = scenes.joint("hinge", "revolute", "post", "arm", (0, 0, 500))
        servo = scenes.drive("servo", "hinge", mode="position", control=Positions(times_s=(0.1,), targets=(0.0,)))
        readings = simulate_scene(scenes.machine_scene(POST, arm, joints=(hinge,), drives=(servo,)), 1.5)
        fallen_deg = np.degrees(readings.joint_position[-1, 0])
        if sags_deg is None:
            assert fallen_deg > 30.0
        else:
            assert 0.0 < fallen_deg < sags_deg
            assert readings.drive_torque_n_m[-1, 0] == pytest.approx(
                -kg * G * 0.15 * cos(radians(fallen_deg)), rel=0.01
            )


def test_rack_drive_moves_a_slide() -> None:
    cart = scenes.solid("cart", (0, 0, 500), (60, 60, 20))
    rail = scenes.joint("rail", "linear", "post", "cart", (0, 0, 500), axis=(1, 0, 0))
    control = Positions(times_s=(0.2, 1.2), targets=(0.0, 100.0))
    motor = scenes.drive("motor", "rail", mode="position", control=control, pinion_radius_mm=12.0, armature_kg_m2=0.001)
    readings = simulate_scene(scenes.machine_scene(POST, cart, joints=(rail,), drives=(motor,)), 1.5)
    assert readings.joint_position[-1, 0] == pytest.approx(0.100, abs=0.0002)
    moving = (readings.time_s > 0.6) & (readings.time_s < 1.1)
    np.testing.assert_allclose(readings.joint_velocity[moving, 0], 0.1, rtol=0.02)
    np.testing.assert_allclose(readings.drive_speed_rad_s[moving, 0], 0.1 / 0.012, rtol=0.02)
    assert readings.layout.program.controls(readings.time_s)[-1, 0] == pytest.approx(100.0 / 12.0)


def test_rack_drive_slides_a_cylindrical_joint() -> None:
    shaft = scenes.solid("shaft", (0, 0, 500), (60, 20, 20)).model_copy(update={"origin": "environment"})
    bearing = scenes.joint("bearing", "cylindrical", "post", "shaft", (0, 0, 500), axis=(1, 0, 0))
    control = Positions(times_s=(0.5,), targets=(50.0,))
    motor = scenes.drive("motor", "bearing", mode="position", control=control, pinion_radius_mm=12.0)
    readings = simulate_scene(scenes.machine_scene(POST, shaft, joints=(bearing,), drives=(motor,)), 1.0)
    assert readings.layout.moving == ("shaft",)
    assert readings.cylinder_travel_m[-1, 0] == pytest.approx(0.050, abs=0.0002)
    assert abs(readings.joint_position[-1, 0]) < 0.01


def test_rack_drive_pushes_with_stall_torque_over_radius() -> None:
    cart = scenes.solid("cart", (0, 0, 500), (60, 60, 20))
    for friction_n, moves in ((190.0, True), (210.0, False)):
        rail = scenes.joint("rail", "linear", "post", "cart", (0, 0, 500), axis=(1, 0, 0), friction_force_n=friction_n)
        motor = scenes.drive("motor", "rail", pinion_radius_mm=10.0)
        readings = simulate_scene(scenes.machine_scene(POST, cart, joints=(rail,), drives=(motor,)), 0.3)
        assert (readings.joint_position[-1, 0] > 0.0005) == moves


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        (Constant(share=0.3), [0.3, 0.3, 0.3, 0.3]),
        (Steps(times_s=(0.5, 1.0), shares=(1.0, -0.5)), [0.0, 1.0, -0.5, -0.5]),
        (Positions(times_s=(1.0, 2.0), targets=(10.0, 40.0)), [0.0, 5.0, 10.0, 40.0]),
        (Oscillation(mean=5.0, amplitude=10.0, frequency_hz=0.5, phase_deg=90.0), [15.0, 5.0, -5.0, 5.0]),
    ],
)
def test_control_values_of_each_kind(control: Control, expected: list[float]) -> None:
    times_s = np.array([0.0, 0.5, 1.0, 3.5])
    np.testing.assert_allclose(control_values(control, times_s), expected, atol=1e-12)


def test_oscillating_servo_follows_its_program() -> None:
    control = Oscillation(amplitude=30.0, frequency_hz=0.5)
    readings = simulate_scene(turning(mode="position", control=control), 2.0)
    expected_rad = radians(30.0) * np.sin(pi * readings.time_s)
    np.testing.assert_allclose(readings.joint_position[:, 0], expected_rad, atol=radians(4.0))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"control": Positions(times_s=(1.0,), targets=(5.0,))}, "its control must be constant or steps"),
        ({"mode": "position"}, "its control must be oscillation or positions"),
        ({"pinion_radius_mm": 10.0}, "motor motor on the revolute joint axle needs no pinion"),
    ],
)
def test_motor_with_wrong_control_or_joint_is_rejected(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(SceneRejectedError, match=problem):
        compile_scene(turning(**changes))


@pytest.mark.parametrize("mode", [{}, SERVO], ids=["motor", "servo"])
@pytest.mark.parametrize(("factor", "turns"), [(1.1, True), (1.0, False), (0.9, False)])
def test_stronger_motor_of_a_replica_saturates_later(factor: float, turns: bool, mode: dict[str, object]) -> None:
    axle = STATOR.model_copy(update={"friction_torque_n_m": 1.05 * STALL_N_M})
    world = compile_scene(turning(**mode).model_copy(update={"joints": (axle,)}))
    jitter = replace(no_jitter(parts=len(world.layout.moving), motors=1), motor_factor=np.array([[factor]]))
    ((chunk,),) = ReplicaBatch(world, jitter, threads=1).advance([0])
    assert (abs(chunk.readings.joint_velocity[-1, 0]) > 0.01) == turns
    assert abs(chunk.readings.drive_torque_n_m[-1, 0]) == pytest.approx(min(factor, 1.05) * STALL_N_M, rel=0.01)

"""Machines with bought motors, from an engineer's script to the verdict."""

from functools import cache

import numpy as np
import pytest
from build123d import Box, Pos, Rot
from cad_worker.jobs.design import judge
from cad_worker.utils_geometry.kernel_shapes import provide_utils
from contracts.models.mechanism import Constant, Coupling, Joint, Motor
from contracts.models.scene import Scene
from kernel.api.mechanism_api import catalog_part
from sim_worker.simulator import SimulationRecord

from tests.physics.lift_script import LIFT_SCRIPT
from tests.support.designs import MechanismItem
from tests.support.solids import known_solids
from tests.support.solids.ramp_environment import RampEnvironment, ball, bonded, box, simulate

GOAL = box((40, -30, 155), (90, 30, 190))


@cache
def lift() -> Scene:
    ramp = RampEnvironment.of(payload=ball((110, 0, 101.5)), goal_zone=GOAL, duration_s=5.0)
    verdict = judge(ramp.request_from_script(LIFT_SCRIPT))
    assert [finding.detail for finding in verdict.findings] == []
    assert verdict.scene is not None
    return verdict.scene


def test_servo_lifts_ball_into_goal() -> None:
    result = simulate(lift()).result
    assert result.verdict == "solved"
    (servo,) = result.motors
    weighs_n_m = 9.81 * (0.0472 * 0.110 + 1.27e-6 * 14000 * 0.040)
    assert servo.peak_torque_n_m > weighs_n_m, "more than the weights of ball and beam"
    assert servo.peak_torque_n_m < servo.stall_torque_n_m


def test_goal_rule_of_the_variant_reaches_physics() -> None:
    ramp = RampEnvironment.of(payload=ball((110, 0, 101.5)), goal_zone=GOAL, duration_s=5.0, goal_rule="inside")
    strict = judge(ramp.request_from_script(LIFT_SCRIPT)).scene
    assert strict is not None
    assert strict.goal_rule == "inside"
    result = simulate(strict).result.nominal
    assert (result.ending, result.closest_goal_mm) == ("missed_goal", 0.0), "the zone is 35 mm high, the ball 40 mm"


def axle(label: str, child: str, x: float, **more: object) -> Joint:
    mechanism = {"label": label, "kind": "revolute", "parent": "plate", "child": child, "anchor_mm": (x, -60.0, 85.0)}
    return Joint.model_validate(mechanism | more)


def turned(
    first: object, second: object | None, *mechanism: MechanismItem, share: float = 0.2, duration_s: float = 2.0
) -> SimulationRecord:
    """Wheels on a table; a gear motor under it turns the first."""
    ramp = RampEnvironment.of(duration_s=duration_s)
    provide_utils()
    motor = Pos(0, -60, 80) * catalog_part("pololu-37d-50")
    motor.label = "motor"
    plate = ramp.part("plate", Pos(20, -60, 82.5) * Box(140, 60, 5))
    legs = [ramp.part(f"leg_{n}", Pos(x, -60, 40) * Box(10, 60, 80)) for n, x in enumerate((-40, 80))]
    held = [bonded("motor", "plate")]
    held += [bonded(leg.label, other) for leg in legs for other in ("plate", "floor")]
    drive = Motor(part="motor", joint="one", control=Constant(share=share))
    wheels = [ramp.part(name, shape) for name, shape in (("pinion", first), ("wheel", second)) if shape is not None]
    return ramp.run(plate, motor, *legs, *wheels, mechanism=[*held, drive, *mechanism])


@pytest.mark.parametrize("teeth", [16, 24])
def test_coupled_gears_keep_their_ratio(teeth: int) -> None:
    apart_mm = (16 + teeth) * 2.5 / 2
    first = Pos(0, -60, 89) * known_solids.gear()
    second = Pos(apart_mm, -60, 89) * Rot(0, 0, 180 / teeth) * known_solids.gear(teeth)
    couple = Coupling(kind="gear", first="one", second="two", ratio=-16 / teeth)
    mechanism = (axle("one", "pinion", 0), axle("two", "wheel", apart_mm), couple)
    turns = turned(first, second, *mechanism, share=0.4).trajectory.joint_position
    assert turns[-1, 0] > 2 * np.pi
    assert turns[:, 1] == pytest.approx(-16 / teeth * turns[:, 0], abs=np.radians(0.5))


def test_stalled_motor_overloads_after_thermal_limit() -> None:
    arm, stop = Pos(30, -60, 96) * Box(100, 20, 20), Pos(70, -37.9, 95) * Box(30, 12, 20)
    held = (axle("one", "pinion", 0, angle_range_deg=(-1.0, 20.0)), bonded("wheel", "plate"))
    run = turned(arm, stop, *held, share=1.0, duration_s=8.0)
    result, (drive,) = run.result, run.world.scene.drives
    assert np.degrees(run.trajectory.joint_position).max() == pytest.approx(5.0, abs=0.5)
    assert (result.nominal.ending, result.nominal.culprit) == ("overloaded", "motor")
    assert result.nominal.time_s == pytest.approx(drive.thermal_limit_s, abs=0.2)
    assert f"its continuous {drive.continuous_torque_n_m:.3g} N m" in result.nominal.cause
    assert any(event.kind == "motor_stalled" for event in result.events)


def test_stop_inside_a_bearing_does_not_hold_a_motor() -> None:
    stop = axle("one", "pinion", 0, angle_range_deg=(-1.0, 5.0))
    result = turned(Pos(30, -60, 88) * Box(100, 10, 6), None, stop, share=1.0, duration_s=8.0).result
    assert (result.nominal.ending, result.nominal.culprit) == ("overloaded", "one")
    assert "at the end of its range, where no parts meet" in result.nominal.cause


def test_arm_without_clearance_jams_at_the_wall_that_carries_it() -> None:
    ramp = RampEnvironment.of(duration_s=3.0)
    arm = ramp.part("arm", Pos(-240, 0, 300) * Box(120, 10, 10))
    hinge = Joint(label="hinge", kind="revolute", parent="wall", child="arm", anchor_mm=(-298, 0, 300), axis=(0, 1, 0))
    assert np.degrees(ramp.run(arm, mechanism=[hinge]).trajectory.joint_position[:, 0]).max() < 2.0

"""Rules for motors: a bought one, held on one side of a joint, on whose axis its shaft turns."""

from collections import Counter

from contracts.models.design import Finding
from contracts.models.mechanism import Joint, Motor
from geometry.formatting import format_mm, format_point
from parts_catalog.hardware.lookup import MOTORS, MotorSheet, mode_of

from cad_worker.validation.rigid_groups import Machine
from cad_worker.validation.shafts import misalignment, shafts_of
from cad_worker.validation.suggestions import suggestion

MAX_OFFSET_MM = 1.0
MAX_TILT_DEG = 2.0
DRIVEN = ("revolute", "linear")


def motor_findings(machine: Machine) -> list[Finding]:
    """Report motors that could not drive what they are said to drive."""
    motors = machine.mechanism.motors
    found = [problem for motor in motors if (problem := _problem(machine, motor)) is not None]
    for what, counts in (
        ("joint", Counter(motor.joint for motor in motors)),
        ("motor", Counter(motor.part for motor in motors)),
    ):
        found += [_twice(what, name, count) for name, count in counts.items() if count > 1]
    return found


def _twice(what: str, name: str, count: int) -> Finding:
    if what == "joint":
        return _invalid(name, f"joint {name} is driven by {count} motors; 1 may drive it")
    return _invalid(name, f"motor {name} drives {count} joints; 1 is what its shaft can drive: couple the others")


def _problem(machine: Machine, motor: Motor) -> Finding | None:
    body = machine.bodies.get(motor.part)
    if body is None:
        return _invalid(
            motor.part, f"motor {motor.part!r} is no part of the assembly; {suggestion(motor.part, machine.bodies)}"
        )
    where = f"motor {motor.part} around {format_point(body.around.center_mm)}"
    sheet = MOTORS.get(body.catalog_id or "")
    if sheet is None:
        return _invalid(motor.part, f"{where} is no bought motor; make its housing with catalog_part(id)")
    joints = {joint.label: joint for joint in machine.mechanism.joints}
    joint = joints.get(motor.joint)
    if joint is None:
        return _invalid(
            motor.part, f"{where} drives joint {motor.joint!r}, which does not exist; {suggestion(motor.joint, joints)}"
        )
    problem = _bad_kind(motor, joint, sheet) or _loose(machine, motor, joint) or _off_axis(machine, motor, joint, sheet)
    return None if problem is None else _invalid(motor.part, f"{where} {problem}")


def _bad_kind(motor: Motor, joint: Joint, sheet: MotorSheet) -> str | None:
    if joint.kind not in DRIVEN:
        return f"cannot drive {joint.label}, a {joint.kind} joint; a motor drives revolute and linear joints"
    if joint.kind == "linear" and motor.pinion_radius_mm is None:
        return f"drives {joint.label}, which slides; give pinion_radius_mm of the pinion on its shaft"
    if joint.kind == "revolute" and motor.pinion_radius_mm is not None:
        return f"drives {joint.label}, which turns, by a pinion; leave pinion_radius_mm out, or declare gears"
    if mode_of(motor.control) not in sheet.modes:
        return (
            f"is a {sheet.id}, which understands {' and '.join(sheet.modes)}; a {motor.control.kind} program is for "
            f"{mode_of(motor.control)}: take another program or another motor"
        )
    return None


def _loose(machine: Machine, motor: Motor, joint: Joint) -> str | None:
    if any(machine.groups.same(motor.part, side) for side in (joint.parent, joint.child)):
        return None
    return (
        f"is connected to neither side of {joint.label}; bond or fasten its housing to {joint.parent} or {joint.child}"
    )


def _off_axis(machine: Machine, motor: Motor, joint: Joint, sheet: MotorSheet) -> str | None:
    if joint.kind != "revolute":
        return None
    shafts = shafts_of(machine.bodies[motor.part].solid, sheet.housing)
    if not shafts:
        return None  # its housing is not the catalog's, which has a finding of its own
    off_mm, tilt_deg = min(misalignment(shaft, joint.anchor_mm, joint.axis) for shaft in shafts)
    if off_mm <= MAX_OFFSET_MM and tilt_deg <= MAX_TILT_DEG:
        return None
    return (
        f"has its shaft {format_mm(off_mm)} and {tilt_deg:.1f}° off the axis of {joint.label} "
        f"through {format_point(joint.anchor_mm)}; at most {MAX_OFFSET_MM:g} mm and {MAX_TILT_DEG:g}° are allowed: move it "
        "onto the axis"
    )


def _invalid(label: str, detail: str) -> Finding:
    return Finding(rule="invalid_motor", label=label, detail=detail)

"""Rules for motors: bought, held on one side of a joint, with the shaft on the joint's axis or a pinion on a rack."""

from collections import Counter

from contracts.models.design import Finding
from contracts.models.mechanism import Joint, Motor
from geometry.formatting import format_mm, format_point
from parts_catalog.datasheets import MotorSheet
from parts_catalog.hardware import mode_of
from parts_catalog.motors import MOTORS

from design_rules.bodies.multibody import MultibodySystem
from design_rules.suggestions import suggestion
from design_rules.transmission.pinions import NoPinionError, driving_radius_mm
from design_rules.transmission.servos import excessive_turn
from design_rules.transmission.shafts import misalignment, shafts_of
from design_rules.transmission.wheels import MAX_OFFSET_MM, MAX_TILT_DEG

DRIVEN = ("revolute", "linear")


def motor_findings(system: MultibodySystem) -> list[Finding]:
    """Report motors that cannot drive their joint."""
    motors = system.mechanism.motors
    findings = [finding for motor in motors if (finding := _finding(system, motor)) is not None]
    for label, count in Counter(motor.joint for motor in motors).items():
        if count > 1:
            findings.append(_invalid(label, f"joint {label} has {count} motors, the maximum is 1"))
    for label, count in Counter(motor.part for motor in motors).items():
        if count > 1:
            detail = f"motor {label} drives {count} joints, its shaft can drive 1; couple the others"
            findings.append(_invalid(label, detail))
    return findings


def _finding(system: MultibodySystem, motor: Motor) -> Finding | None:
    body = system.bodies.get(motor.part)
    if body is None:
        detail = f"motor {motor.part!r} is not a part of the assembly; {suggestion(motor.part, system.bodies)}"
        return _invalid(motor.part, detail)
    name = f"motor {motor.part} around {format_point(body.bounds.center_mm)}"
    sheet = MOTORS.get(body.catalog_id or "")
    if sheet is None:
        return _invalid(motor.part, f"{name} is not a bought motor; make its housing with catalog_part(id)")
    joints = {joint.label: joint for joint in system.mechanism.joints}
    joint = joints.get(motor.joint)
    if joint is None:
        detail = f"{name} drives joint {motor.joint!r}, which does not exist; {suggestion(motor.joint, joints)}"
        return _invalid(motor.part, detail)
    problem = _bad_kind(motor, joint, sheet) or _loose(system, motor, joint) or _off_axis(system, motor, joint, sheet)
    problem = problem or _bad_drive(system, motor, joint, sheet)
    return None if problem is None else _invalid(motor.part, f"{name} {problem}")


def _bad_kind(motor: Motor, joint: Joint, sheet: MotorSheet) -> str | None:
    if joint.kind not in DRIVEN:
        return f"cannot drive {joint.label}, a {joint.kind} joint; a motor drives revolute and linear joints"
    if joint.kind == "revolute" and (motor.pinion_radius_mm or motor.pinion or motor.rack):
        return f"drives {joint.label}, which turns, by a pinion; leave pinion and rack out, or declare gears"
    if mode_of(motor.control) not in sheet.modes:
        return (
            f"is a {sheet.id}, which is controlled by {' and '.join(sheet.modes)}, but a {motor.control.kind} program "
            f"controls {mode_of(motor.control)}; use another program or another motor"
        )
    return None


def _loose(system: MultibodySystem, motor: Motor, joint: Joint) -> str | None:
    if any(system.groups.are_rigid(motor.part, side) for side in (joint.parent, joint.child)):
        return None
    return (
        f"is connected to neither side of {joint.label}; bond or fasten its housing to {joint.parent} or {joint.child}"
    )


def _off_axis(system: MultibodySystem, motor: Motor, joint: Joint, sheet: MotorSheet) -> str | None:
    if joint.kind != "revolute":
        return None
    shafts = shafts_of(system.bodies[motor.part].solid, sheet.housing, joint.anchor_mm)
    if not shafts:
        return None  # the housing is not the catalog's, which has a finding of its own
    off_mm, tilt_deg = min(misalignment(shaft, joint.anchor_mm, joint.axis) for shaft in shafts)
    if off_mm <= MAX_OFFSET_MM and tilt_deg <= MAX_TILT_DEG:
        return None
    return (
        f"has its shaft {format_mm(off_mm)} and {tilt_deg:.1f}° off the axis of {joint.label} through "
        f"{format_point(joint.anchor_mm)}, the maximum is {MAX_OFFSET_MM:g} mm and {MAX_TILT_DEG:g}°; move it onto the "
        "axis"
    )


def _bad_drive(system: MultibodySystem, motor: Motor, joint: Joint, sheet: MotorSheet) -> str | None:
    """Return what is wrong with pinion, rack or the range of a servo."""
    if not any(joint.axis):
        return None  # the joint has a finding of its own
    try:
        radius_mm = driving_radius_mm(system, motor, joint)
    except NoPinionError as error:
        return str(error)
    return excessive_turn(sheet, motor.control, radius_mm)


def _invalid(label: str, detail: str) -> Finding:
    return Finding(rule="invalid_motor", label=label, detail=detail)

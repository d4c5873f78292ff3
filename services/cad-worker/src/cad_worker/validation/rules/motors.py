"""Rules for motors: bought, held on one side of a joint, with the shaft on the joint's axis."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import asin, degrees

import numpy as np
from build123d import Solid
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from contracts.models.mechanism import Joint, Motor
from contracts.models.scene import BoxGeom, CylinderGeom
from geometry.arrays import FloatArray
from geometry.collision.primitives import exact_primitive
from geometry.formatting import format_mm, format_point
from geometry.rotations import matrix_of
from parts_catalog.datasheets import Housing, MotorSheet
from parts_catalog.hardware import mode_of
from parts_catalog.motors import MOTORS

from cad_worker.validation.multibody import MultibodySystem
from cad_worker.validation.suggestions import suggestion

MAX_OFFSET_MM = 1.0
MAX_TILT_DEG = 2.0
SAME_MM = 1e-3
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
    return None if problem is None else _invalid(motor.part, f"{name} {problem}")


def _bad_kind(motor: Motor, joint: Joint, sheet: MotorSheet) -> str | None:
    if joint.kind not in DRIVEN:
        return f"cannot drive {joint.label}, a {joint.kind} joint; a motor drives revolute and linear joints"
    if joint.kind == "linear" and motor.pinion_radius_mm is None:
        return f"drives {joint.label}, which slides; give pinion_radius_mm of the pinion on its shaft"
    if joint.kind == "revolute" and motor.pinion_radius_mm is not None:
        return f"drives {joint.label}, which turns, by a pinion; leave pinion_radius_mm out, or declare gears"
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
    shafts = shafts_of(system.bodies[motor.part].solid, sheet.housing)
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


def _invalid(label: str, detail: str) -> Finding:
    return Finding(rule="invalid_motor", label=label, detail=detail)


@dataclass(frozen=True, eq=False)
class Shaft:
    """The axis of a motor's shaft, found in the shape of its housing: a script's claims about it do not count."""

    point_mm: FloatArray
    """Where it leaves the housing."""
    direction: FloatArray
    """Unit vector out of the housing."""


def shafts_of(solid: Solid, housing: Housing) -> list[Shaft]:
    """Return every possible shaft, as a plain housing looks the same from several sides.

    Empty if the solid is not the housing.
    """
    primitive = exact_primitive(solid)
    if isinstance(primitive, BoxGeom) and housing.shape == "box":
        axes, size = matrix_of(primitive.quaternion), np.array(primitive.size_mm)
    elif isinstance(primitive, CylinderGeom) and housing.shape == "cylinder":
        width = 2 * primitive.radius_mm
        axes, size = matrix_of(primitive.quaternion), np.array((width, width, primitive.length_mm))
    else:
        return []
    expected, center = np.array(housing.size_mm), np.array(housing.center_mm)
    return [
        Shaft(np.array(primitive.center_mm) - axes @ turn @ center, axes @ turn[:, 2])
        for turn in _turns()
        if np.allclose(np.abs(turn.T) @ size, expected, rtol=0, atol=SAME_MM)
    ]


def misalignment(shaft: Shaft, point_mm: Vector, axis: Vector) -> tuple[float, float]:
    """Return the distance of a shaft's line from a point, in mm, and its angle to an axis, in degrees."""
    across = np.cross(np.array(point_mm) - shaft.point_mm, shaft.direction)
    unit = np.array(axis) / np.linalg.norm(axis)
    sine = min(1.0, float(np.linalg.norm(np.cross(shaft.direction, unit))))
    return float(np.linalg.norm(across)), degrees(asin(sine))


def _turns() -> Iterator[FloatArray]:
    """Yield the 24 rotations that map the axes onto each other: columns are the housing's x, y, z."""
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        turn = np.eye(3)[:, list(order)] * np.array(signs)
        if np.linalg.det(turn) > 0:
            yield turn

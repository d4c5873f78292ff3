"""Meshing wheels: the ratio of a coupling, measured on the parts that mesh."""

from dataclasses import dataclass
from itertools import product
from math import copysign, hypot, radians

import numpy as np
from contracts.criteria import MESHING_MM
from contracts.models.mechanism import Joint
from geometry.arrays import FloatArray
from geometry.formatting import format_mm

from cad_worker.bodies.solid_bodies import SolidBody
from cad_worker.validation.transmission.racks import Climb, NotARackError, rack_pitch_mm
from cad_worker.validation.transmission.shafts import tilt_deg
from cad_worker.validation.transmission.wheels import MAX_TILT_DEG, NotAWheelError, Wheel, require_pitch, wheels_on

LEAST_FACE = 0.5
"""Of the width of the narrower wheel: less of its face in mesh bears no load."""
MAX_PROBLEMS = 3
"""Parts of which a message states why they are not wheels."""


class NoMeshError(ValueError):
    """Two joints have no parts that mesh; the message continues after the coupling's name."""


@dataclass(frozen=True)
class CoupledJoint:
    """A joint of a coupling, seen from the frame that carries both."""

    joint: Joint
    is_child_moving: bool
    """Whether the frame carries the joint's parent, so that its child moves."""
    moved: dict[str, SolidBody]
    """The bodies that it moves, by label."""

    @property
    def direction(self) -> FloatArray:
        """(3,) the axis, along or about which the moved bodies move where the joint's position grows."""
        axis: FloatArray = np.array(self.joint.axis) / np.linalg.norm(self.joint.axis)
        return axis if self.is_child_moving else -axis


def gear_ratio(first: CoupledJoint, second: CoupledJoint) -> float:
    """Return second's motion over first's by the wheels that mesh; raise `NoMeshError`."""
    tilt = tilt_deg(first.direction, second.direction)
    if tilt > MAX_TILT_DEG:
        raise NoMeshError(
            f"has axes at {tilt:.1f}° to each other, the maximum is {MAX_TILT_DEG:g}°: only parallel wheels are known; "
            "turn one axis"
        )
    one, other = _meshing(first, second)
    ratio = _pitch_ratio(one, other, _apart_mm(one, other))
    return -copysign(ratio, float(first.direction @ second.direction))


def rack_ratio(first: CoupledJoint, second: CoupledJoint) -> float:
    """Return mm of the second joint's travel for each degree of the first by wheel and rack; raise `NoMeshError`."""
    if second.joint.travel_range_mm is None:
        raise NoMeshError(f"couples {second.joint.label}, whose travel has no limits; give it a linear_range")
    low, high = second.joint.travel_range_mm
    climb = Climb(-second.direction, (low, high))
    problems: list[str] = []
    for wheel, rack in product(_require_wheels(first), second.moved.values()):
        try:
            pitch_mm = rack_pitch_mm(wheel, rack, climb)
        except NotARackError as error:
            problems.append(f"{rack.label} {error}")
            continue
        return radians(pitch_mm) * _rim_sign(wheel, rack, second.direction)
    raise NoMeshError(f"has no rack: {min(problems, key=len)}" if problems else "has no rack; add one as a part")


def _rim_sign(wheel: Wheel, rack: SolidBody, direction: FloatArray) -> float:
    """Return whether a wheel that turns forwards about its axis moves the rack forwards (1) or backwards (-1)."""
    arm = np.array(rack.bounds.center_mm) - wheel.center_mm
    return copysign(1.0, float(np.cross(wheel.axis, arm - (arm @ direction) * direction) @ direction))


def _require_wheels(coupled: CoupledJoint) -> list[Wheel]:
    wheels, problems = wheels_on(coupled.moved, np.array(coupled.joint.anchor_mm), coupled.direction)
    if wheels:
        return wheels
    reason = "; ".join(problems[:MAX_PROBLEMS]) or "it moves no part"
    raise NoMeshError(f"has no wheel on {coupled.joint.label}, a disc of the pitch diameter on its axis: {reason}")


def _meshing(first: CoupledJoint, second: CoupledJoint) -> tuple[Wheel, Wheel]:
    pairs = list(product(_require_wheels(first), _require_wheels(second)))
    gap, _, (one, other) = min((_gap_mm(a, b), number, (a, b)) for number, (a, b) in enumerate(pairs))
    if gap > MESHING_MM:
        raise NoMeshError(
            f"has wheels that are {format_mm(gap)} apart ({one.body.label} and {other.body.label}), the maximum is "
            f"{format_mm(MESHING_MM)}; model wheels that meet, or chain couplings over wheels in between"
        )
    faces, narrower = _face_in_mesh_mm(one, other), 2 * min(one.half_width_mm, other.half_width_mm)
    if faces < LEAST_FACE * narrower:
        raise NoMeshError(
            f"has wheels whose faces meet over {format_mm(faces)} ({one.body.label} and {other.body.label}), at least "
            f"{format_mm(LEAST_FACE * narrower)} is needed, half of the narrower one; move one along its axis"
        )
    return one, other


def _face_in_mesh_mm(one: Wheel, other: Wheel) -> float:
    """Return the width over which the faces of two wheels on parallel axes meet."""
    offset = abs(float((other.center_mm - one.center_mm) @ one.axis))
    common = one.half_width_mm + other.half_width_mm - offset
    return max(0.0, min(common, 2 * one.half_width_mm, 2 * other.half_width_mm))


def _apart_mm(one: Wheel, other: Wheel) -> float:
    """Return the distance of two parallel axes."""
    return float(np.linalg.norm(np.cross(other.center_mm - one.center_mm, one.axis)))


def _gap_mm(one: Wheel, other: Wheel) -> float:
    """Return the distance of two wheels on parallel axes, as cylinders: exact shapes of teeth take seconds."""
    along = abs(float((other.center_mm - one.center_mm) @ one.axis)) - one.half_width_mm - other.half_width_mm
    return hypot(max(0.0, _apart_mm(one, other) - one.tip_mm - other.tip_mm), max(0.0, along))


def _pitch_ratio(one: Wheel, other: Wheel, apart_mm: float) -> float:
    """Return first over second pitch radius."""
    depth_mm = one.tip_mm + other.tip_mm - apart_mm
    pitches: list[float] = []
    for wheel in (one, other):
        try:
            pitches.append(wheel.listed_pitch_mm or require_pitch(wheel, wheel.tip_mm - depth_mm / 2))
        except NotAWheelError as error:
            raise NoMeshError(f"meshes {wheel.body.label}, which {error}") from error
    if one.listed_pitch_mm and other.listed_pitch_mm and abs(sum(pitches) - apart_mm) > MESHING_MM:
        raise NoMeshError(
            f"has axes {format_mm(apart_mm)} apart, but the gears {one.body.label} and {other.body.label} mesh at "
            f"{format_mm(sum(pitches))}; move one by the difference"
        )
    return pitches[0] / pitches[1]

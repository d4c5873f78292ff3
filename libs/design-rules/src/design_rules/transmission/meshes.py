"""Meshing wheels: the ratio of a coupling, measured on the parts that mesh."""

from dataclasses import dataclass
from itertools import product
from math import copysign, hypot, inf, radians

import numpy as np
from contracts.criteria import MESHING_MM
from contracts.models.mechanism import Joint
from geometry.arrays import FloatArray
from geometry.formatting import format_mm
from geometry.occt.meshes import closed_mesh

from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import SolidBody
from design_rules.transmission.racks import Climb, NotARackError, rack_pitch_mm
from design_rules.transmission.shafts import tilt_deg
from design_rules.transmission.wheels import (
    CHORD_MM,
    CHORD_RAD,
    MAX_TILT_DEG,
    NotAWheelError,
    Wheel,
    require_pitch,
    wheels_on,
)

LEAST_FACE_SHARE = 0.5
"""Of the narrower face width, over which the teeth of two wheels lie beside each other."""
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


@dataclass(frozen=True, eq=False)
class ToothContact:
    """Two wheels in mesh, or a wheel and a rack."""

    one: Wheel
    other: SolidBody
    width_mm: float
    """Over which their teeth touch."""
    pitch_mm: float
    """Pitch radius of the first."""
    other_pitch_mm: float
    """Pitch radius of the second; infinite for a rack."""
    depth_mm: float = 0.0
    """By which drawn teeth interlock: two modules. 0 for plain discs."""
    other_wheel: Wheel | None = None
    """The second side where it is a wheel."""
    climb: Climb | None = None
    """The motion against the second side where it is a rack."""


def seen_from(system: MultibodySystem, frame: str, joint: Joint) -> CoupledJoint:
    """Return a joint as the rigid group sees it that carries it."""
    group_of = system.groups.group_of
    is_child_moving = group_of(joint.parent) == frame
    moving = group_of(joint.child if is_child_moving else joint.parent)
    return CoupledJoint(
        joint, is_child_moving, {label: body for label, body in system.bodies.items() if group_of(label) == moving}
    )


def gear_mesh(first: CoupledJoint, second: CoupledJoint) -> ToothContact:
    """Return the wheels of two joints that mesh; raise `NoMeshError`."""
    tilt = tilt_deg(first.direction, second.direction)
    if tilt > MAX_TILT_DEG:
        raise NoMeshError(
            f"has axes at {tilt:.1f}° to each other, the maximum is {MAX_TILT_DEG:g}°: only parallel wheels are known; "
            "turn one axis"
        )
    one, other = _meshing(first, second)
    pitch_mm, other_pitch_mm = _pitches_mm(one, other, _apart_mm(one, other))
    depth_mm = one.tip_mm + other.tip_mm - _apart_mm(one, other)
    return ToothContact(one, other.body, _shared_mm(one, other), pitch_mm, other_pitch_mm, depth_mm, other)


def gear_ratio(first: CoupledJoint, second: CoupledJoint) -> float:
    """Return second's motion over first's by the wheels that mesh; raise `NoMeshError`."""
    mesh = gear_mesh(first, second)
    return -copysign(mesh.pitch_mm / mesh.other_pitch_mm, float(first.direction @ second.direction))


def rack_mesh(first: CoupledJoint, second: CoupledJoint) -> ToothContact:
    """Return the wheel of the first joint and the rack of the second; raise `NoMeshError`."""
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
        return ToothContact(wheel, rack, rack_width_mm(wheel, rack), pitch_mm, inf, climb=climb)
    raise NoMeshError(f"has no rack: {min(problems, key=len)}" if problems else "has no rack; add one as a part")


def rack_ratio(first: CoupledJoint, second: CoupledJoint) -> float:
    """Return mm of the second joint's travel for each degree of the first by wheel and rack; raise `NoMeshError`."""
    mesh = rack_mesh(first, second)
    return radians(mesh.pitch_mm) * _rim_sign(mesh.one, mesh.other, second.direction)


def rack_width_mm(wheel: Wheel, rack: SolidBody) -> float:
    """Return the width over which a wheel touches its rack."""
    surface = closed_mesh(rack.solid, CHORD_MM, CHORD_RAD).vertices_mm
    along = (surface - wheel.center_mm) @ wheel.axis
    return float(min(along.max(), wheel.half_width_mm) - max(along.min(), -wheel.half_width_mm))


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
    one, other = min(pairs, key=lambda pair: (_gap_mm(*pair), -_shared_mm(*pair)))
    gap = _gap_mm(one, other)
    if gap > MESHING_MM:
        raise NoMeshError(
            f"has wheels that are {format_mm(gap)} apart ({one.body.label} and {other.body.label}), the maximum is "
            f"{format_mm(MESHING_MM)}; model wheels that meet, or chain couplings over wheels in between"
        )
    shared, face = _shared_mm(one, other), 2 * min(one.half_width_mm, other.half_width_mm)
    if shared < LEAST_FACE_SHARE * face:
        raise NoMeshError(
            f"has wheels whose teeth lie beside each other over {format_mm(max(0.0, shared))} of their width "
            f"({one.body.label} and {other.body.label}), at least {format_mm(LEAST_FACE_SHARE * face)} are needed, "
            "half of the narrower face; move one along its axis"
        )
    return one, other


def _shared_mm(one: Wheel, other: Wheel) -> float:
    """Return the width that two wheels on parallel axes share; below 0: the distance of their planes."""
    return one.half_width_mm + other.half_width_mm - abs(float((other.center_mm - one.center_mm) @ one.axis))


def _apart_mm(one: Wheel, other: Wheel) -> float:
    """Return the distance of two parallel axes."""
    return float(np.linalg.norm(np.cross(other.center_mm - one.center_mm, one.axis)))


def _gap_mm(one: Wheel, other: Wheel) -> float:
    """Return the distance of two wheels on parallel axes, as cylinders: exact shapes of teeth take seconds."""
    return hypot(max(0.0, _apart_mm(one, other) - one.tip_mm - other.tip_mm), max(0.0, -_shared_mm(one, other)))


def _pitches_mm(one: Wheel, other: Wheel, apart_mm: float) -> tuple[float, float]:
    """Return the pitch radii of two wheels."""
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
    return pitches[0], pitches[1]

"""Conversion of build123d's joints, in their present pose, to joints and bonds as data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from build123d import BallJoint, CylindricalJoint, LinearJoint, Location, RevoluteJoint, RigidJoint
from build123d.topology import Joint as AnyJoint
from build123d.topology import Shape
from contracts.models.geometry import Vector
from contracts.models.label import MAX_CHARS, label_from
from contracts.models.mechanism import Connection, Joint
from kernel.api.new_shapes import JOINTS_LAST
from pydantic import ValidationError

from cad_worker.capture.displaced_joints import displaced_mm
from cad_worker.capture.joint_pose import (
    InvalidPoseError,
    MovingJoint,
    angle_range,
    relative_location,
    travel_range,
)
from cad_worker.capture.placed_shapes import PlacedShape
from cad_worker.job_protocol import NotADesignError

GAP_MM = 0.01
"""Largest distance between the halves of a joint that counts as rounding."""
TURN = 2e-4
"""Sine of the largest angle between them that counts as rounding: a hundredth of a degree."""


@dataclass(frozen=True)
class CapturedJoints:
    """Moving joints, and bonds from pairs of rigid joints."""

    joints: tuple[Joint, ...]
    bonds: tuple[Connection, ...]


@dataclass(frozen=True, eq=False)
class _Half:
    """One side of a connected pair."""

    joint: AnyJoint
    body: PlacedShape

    @property
    def name(self) -> str:
        return f"joint {str(self.joint.label)[:80]!r} of {self.body.label[:80]!r}"


class JointReader:
    """Reads the joints of a design, or of an environment."""

    def __init__(
        self, design: tuple[PlacedShape, ...], environment: tuple[PlacedShape, ...], *, is_whole: bool
    ) -> None:
        """`is_whole` is false for a piece of a design: its joints may then lead out of it."""
        self._own = design
        self._bodies: Mapping[int, PlacedShape] = {id(each.shape): each for each in (*design, *environment)}
        self._is_whole = is_whole

    def read(self) -> CapturedJoints:
        """Return all joints and bonds; raise `NotADesignError` for invalid ones."""
        joints: list[Joint] = []
        bonds: list[Connection] = []
        for first, second in self._pairs():
            _require_in_place(first)
            _require_in_place(second)
            converted = _convert(first, second)
            if isinstance(converted, Joint):
                joints.append(converted)
            else:
                bonds.append(converted)
        return CapturedJoints(tuple(joints), tuple(bonds))

    def _pairs(self) -> Iterator[tuple[_Half, _Half]]:
        own = {id(each.shape) for each in self._own}
        visited: set[AnyJoint] = set()
        for body in self._bodies.values():
            for joint in joints_of(body.shape):
                other = joint.connected_to
                if other is None or (other in visited and other.connected_to is joint):
                    continue
                visited.add(joint)
                first, partner = _Half(joint, body), self._bodies.get(id(other.parent))
                if partner is not None and own & {id(body.shape), id(partner.shape)}:
                    yield first, _Half(other, partner)
                elif partner is None and self._is_whole and id(body.shape) in own:
                    raise NotADesignError(_leads_out(first, other))


def joints_of(shape: Shape[Any]) -> tuple[AnyJoint, ...]:
    """Return the joints of a shape."""
    bound: object = getattr(shape, "joints", None)
    if not isinstance(bound, dict):
        return ()
    return tuple(joint for joint in bound.values() if isinstance(joint, AnyJoint))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - an agent's dict may hold anything


def are_movably_joined(first: Shape[Any], second: Shape[Any]) -> bool:
    """Tell whether two shapes have a joint that is not rigid."""
    for shape, other in ((first, second), (second, first)):
        for joint in joints_of(shape):
            end = joint.connected_to
            if (
                end is not None
                and end.parent is other
                and not (isinstance(joint, RigidJoint) and isinstance(end, RigidJoint))
            ):
                return True
    return False


def _leads_out(half: _Half, other: AnyJoint) -> str:
    label = str(getattr(other.parent, "label", ""))[:80]
    return (
        f"{half.name} leads to {label!r}, which is not in the assembly, or only a copy of it is; connect the same "
        "objects that you put into Compound(children=[...]), after any Pos(...) * part and copy.copy(part), and never "
        f"a Compound with children; {JOINTS_LAST}"
    )


def _require_in_place(half: _Half) -> None:
    """Raise `NotADesignError` for a joint that was made before a cut or a sum, which displaced it."""
    if moved_mm := displaced_mm(half.joint):
        raise NotADesignError(
            f"{half.name} was made before the part was cut or joined to another shape, which displaced it by "
            f"{moved_mm:.1f} mm; {JOINTS_LAST}"
        )


def _convert(first: _Half, second: _Half) -> Joint | Connection:
    """Return a connected pair as a joint or a bond."""
    if isinstance(first.joint, RigidJoint) and isinstance(second.joint, RigidJoint):
        return _bond(first, second)
    moving, fixed = (second, first) if isinstance(first.joint, RigidJoint) else (first, second)
    if not isinstance(fixed.joint, RigidJoint):
        kinds = f"a {type(first.joint).__name__} and a {type(second.joint).__name__}"
        raise NotADesignError(
            f"{first.name} joins {kinds}; one side must be a RigidJoint: put a separate part in between"
        )
    if not isinstance(moving.joint, MovingJoint):
        raise NotADesignError(f"{moving.name} is a {type(moving.joint).__name__}, which is not supported")
    _require_closed(moving, moving.joint, fixed, fixed.joint)
    return _joint(moving, moving.joint, fixed, fixed.joint)


def _bond(first: _Half, second: _Half) -> Connection:
    _require_coincident(first, second, _location(first.body, first.joint), _location(second.body, second.joint))
    try:
        return Connection(first=first.body.label, second=second.body.label, means="bonded")
    except ValidationError as error:
        raise NotADesignError(_invalid(first, error)) from error


def _joint(moving: _Half, joint: MovingJoint, fixed: _Half, pin: RigidJoint) -> Joint:
    anchor = _location(fixed.body, pin)
    try:
        return Joint.model_validate(
            {
                "label": label_from(str(joint.label)),
                "kind": _kind(joint),
                "parent": moving.body.label,
                "child": fixed.body.label,
                "anchor_mm": _vector(anchor.position),
                "axis": (0.0, 0.0, 1.0) if isinstance(joint, BallJoint) else _axis(moving.body, joint),
                "angle_range_deg": angle_range(joint),
                "travel_range_mm": travel_range(joint),
            }
        )
    except ValidationError as error:
        raise NotADesignError(_invalid(moving, error)) from error
    except InvalidPoseError as error:
        raise NotADesignError(f"{moving.name} {error}") from error


def _invalid(half: _Half, error: ValidationError) -> str:
    faults = "; ".join(f"{'.'.join(str(each) for each in fault['loc'])}: {fault['msg']}" for fault in error.errors())
    return (
        f"{half.name} is invalid: {faults}; labels of parts and joints have 1 to {MAX_CHARS} characters, and "
        "coordinates are finite"
    )


def _kind(joint: MovingJoint) -> str:
    match joint:
        case RevoluteJoint():
            return "revolute"
        case LinearJoint():
            return "linear"
        case CylindricalJoint():
            return "cylindrical"
        case BallJoint():
            return "ball"


def _location(body: PlacedShape, joint: RigidJoint | BallJoint | AnyJoint) -> Location:
    """Return the location in the world of a joint without an axis."""
    return body.location * joint.relative_location


def _axis(body: PlacedShape, joint: RevoluteJoint | LinearJoint | CylindricalJoint) -> Vector:
    return _vector(joint.relative_axis.located(body.location).direction)


def _require_closed(moving: _Half, joint: MovingJoint, fixed: _Half, pin: RigidJoint) -> None:
    """Raise `NotADesignError` if a part was moved, or a range changed, after the joint was connected."""
    if isinstance(joint, BallJoint):
        here, there = _location(moving.body, joint), _location(fixed.body, pin)
        _require_coincident(moving, fixed, Location(here.position), Location(there.position))
        return
    try:
        expected = moving.body.location * relative_location(joint, pin)
    except InvalidPoseError as error:
        raise NotADesignError(f"{moving.name} {error}") from error
    _require_coincident(moving, fixed, expected, fixed.body.location)


def _require_coincident(first: _Half, second: _Half, expected: Location, actual: Location) -> None:
    apart = expected.inverse() * actual
    gap_mm = apart.position.length
    turned = max(1.0 - apart.x_axis.direction.X**2, 1.0 - apart.z_axis.direction.Z**2, 0.0) ** 0.5
    if not (gap_mm <= GAP_MM and turned <= TURN):  # also catches NaN
        raise NotADesignError(
            f"{first.name} and {second.name} are {gap_mm:.3g} mm and {turned:.3g} rad apart; call connect_to again "
            "after the last move of either part"
        )


def _vector(vector: Any) -> Vector:  # noqa: ANN401 - a build123d Vector
    return (vector.X + 0.0, vector.Y + 0.0, vector.Z + 0.0)

"""Where a build123d joint stands within its range."""

# pyright: reportUnknownMemberType=false
# build123d leaves the type of a linear joint's position open.

from typing import cast

from build123d import BallJoint, CylindricalJoint, LinearJoint, Location, RevoluteJoint, RigidJoint
from contracts.models.mechanism import Range

FULL_TURN_DEG = 360.0
FAR_MM = 1e4
"""Stands for an end of travel at infinity: far beyond every world."""

Moving = RevoluteJoint | LinearJoint | CylindricalJoint | BallJoint


class NoPoseError(ValueError):
    """A joint stands nowhere, or its range cannot be simulated; the message goes on after the joint's name."""


def present(joint: RevoluteJoint | LinearJoint | CylindricalJoint, pin: RigidJoint) -> Location:
    """Return where the other part belongs, seen from the joint's own part; raise `NoPoseError`."""
    try:
        match joint:
            case RevoluteJoint():
                return joint.relative_to(pin, angle=_angle_deg(joint))
            case LinearJoint():
                return cast("Location", joint.relative_to(pin, position=_position_mm(joint)))
            case CylindricalJoint():
                return joint.relative_to(pin, position=_position_mm(joint), angle=_angle_deg(joint))
    except (TypeError, ValueError) as error:
        raise NoPoseError(f"is in no possible pose ({error}); call connect_to again") from error


def _angle_deg(joint: RevoluteJoint | CylindricalJoint) -> float | None:
    if isinstance(joint, CylindricalJoint):
        return joint.angle
    return joint._angle  # pyright: ignore[reportPrivateUsage] # noqa: SLF001 - build123d tells it nowhere else


def _position_mm(joint: LinearJoint | CylindricalJoint) -> float:
    found = cast("float | None", joint.position)
    if found is None or not abs(found) <= FAR_MM:
        raise NoPoseError(f"stands at {found} mm; say where: connect_to(..., position=0)")
    return found


def angle_range(joint: Moving) -> Range | None:
    """Return how far it turns from its present pose; None where it turns freely, or not at all."""
    match joint:
        case RevoluteJoint() | CylindricalJoint():
            low, high = joint.angular_range
            now_deg = _angle_deg(joint) or 0.0
            return None if high - low >= FULL_TURN_DEG else (low - now_deg, high - now_deg)
        case BallJoint():
            if any(high - low < FULL_TURN_DEG for low, high in joint.angular_range):
                raise NoPoseError("has limits, and those of a ball joint are not simulated; leave angular_range out")
            return None
        case LinearJoint():
            return None


def travel_range(joint: Moving) -> Range | None:
    """Return how far it slides from its present pose; None where it slides freely, or not at all."""
    if not isinstance(joint, LinearJoint | CylindricalJoint):
        return None
    low, high = joint.linear_range
    now_mm = _position_mm(joint)
    if low < -FAR_MM and high > FAR_MM:
        return None
    return (max(low - now_mm, -FAR_MM), min(high - now_mm, FAR_MM))

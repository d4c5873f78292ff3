"""The pose of a build123d joint, and its range relative to that pose."""

# pyright: reportUnknownMemberType=false
# build123d leaves the type of a linear joint's position open.

from typing import cast

from build123d import BallJoint, CylindricalJoint, LinearJoint, Location, RevoluteJoint, RigidJoint
from contracts.models.mechanism import Range

FULL_TURN_DEG = 360.0
FAR_MM = 1e4
"""Replaces an infinite end of travel: far beyond every world."""

MovingJoint = RevoluteJoint | LinearJoint | CylindricalJoint | BallJoint


class InvalidPoseError(ValueError):
    """A joint has no pose, or its range cannot be simulated; the message continues after the joint's name."""


def relative_location(joint: RevoluteJoint | LinearJoint | CylindricalJoint, pin: RigidJoint) -> Location:
    """Return the other part's location relative to the joint's own part; raise `InvalidPoseError`."""
    try:
        match joint:
            case RevoluteJoint():
                return joint.relative_to(pin, angle=_angle_deg(joint))
            case LinearJoint():
                return cast("Location", joint.relative_to(pin, position=_position_mm(joint)))
            case CylindricalJoint():
                return joint.relative_to(pin, position=_position_mm(joint), angle=_angle_deg(joint))
    except (TypeError, ValueError) as error:
        raise InvalidPoseError(f"has an impossible pose ({error}); call connect_to again") from error


def _angle_deg(joint: RevoluteJoint | CylindricalJoint) -> float | None:
    if isinstance(joint, CylindricalJoint):
        return joint.angle
    return joint._angle  # pyright: ignore[reportPrivateUsage] # noqa: SLF001 - build123d has no public attribute


def _position_mm(joint: LinearJoint | CylindricalJoint) -> float:
    position = cast("float | None", joint.position)
    if position is None or not abs(position) <= FAR_MM:
        raise InvalidPoseError(f"has position {position} mm; set it: connect_to(..., position=0)")
    return position


def angle_range(joint: MovingJoint) -> Range | None:
    """Return the angles that it can turn from its present pose; None if it turns freely or not at all."""
    match joint:
        case RevoluteJoint() | CylindricalJoint():
            low, high = joint.angular_range
            now_deg = _angle_deg(joint) or 0.0
            return None if high - low >= FULL_TURN_DEG else (low - now_deg, high - now_deg)
        case BallJoint():
            if any(high - low < FULL_TURN_DEG for low, high in joint.angular_range):
                raise InvalidPoseError("has limits, which are not simulated for ball joints; leave angular_range out")
            return None
        case LinearJoint():
            return None


def travel_range(joint: MovingJoint) -> Range | None:
    """Return the distances that it can slide from its present pose; None if it slides freely or not at all."""
    if not isinstance(joint, LinearJoint | CylindricalJoint):
        return None
    low, high = joint.linear_range
    now_mm = _position_mm(joint)
    if low < -FAR_MM and high > FAR_MM:
        return None
    return (max(low - now_mm, -FAR_MM), min(high - now_mm, FAR_MM))

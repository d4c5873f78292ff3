"""Names and geom groups of a scene's elements in the MuJoCo model."""

PAYLOAD = "payload"
"""The payload's body, joint and geom."""
GOAL = "goal"
"""The goal zone's geom."""
BUILD = "build"
"""The build zone's geom."""

PARTS_GROUP, ZONES_GROUP, FORBID_GROUP = 0, 1, 2
"""Geom groups, which viewers can show and hide separately."""
COLLISION_GROUP = 3
"""Invisible collision geometry: a copy, or the stand-in for a displayed surface. Viewers hide this group by default."""


def forbid_name(label: str) -> str:
    """Return the name of a forbid zone's geom."""
    return f"forbid:{label}"


def body_name(origin: str, label: str) -> str:
    """Return the name of a part's body."""
    return f"{origin}:{label}"


def free_name(label: str) -> str:
    """Return the name of the free joint of a body that nothing holds."""
    return f"free:{label}"


def joint_name(label: str) -> str:
    """Return the name of a joint; for a cylindrical joint, of its hinge."""
    return f"joint:{label}"


def travel_name(label: str) -> str:
    """Return the name of a cylindrical joint's slide."""
    return f"travel:{label}"


def weld_name(label: str) -> str:
    """Return the name of the site at which a weld's load is measured."""
    return f"weld:{label}"


def drive_name(label: str) -> str:
    """Return the name of a motor's actuator."""
    return f"drive:{label}"


def sensor_name(*parts: str) -> str:
    """Return the name of a sensor from its quantity and the labels of what it measures."""
    return ":".join(parts)

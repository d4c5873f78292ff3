"""What things of a scene are called in the model."""

PAYLOAD = "payload"
"""The payload's body, joint and geom."""
GOAL = "goal"
"""The goal zone's geom."""
BUILD = "build"
"""The build zone's geom."""


def forbid_name(label: str) -> str:
    """Return the name of a forbid zone's geom."""
    return f"forbid:{label}"


def body_name(origin: str, label: str) -> str:
    """Return the name of a part's body."""
    return f"{origin}:{label}"


def joint_name(label: str) -> str:
    """Return the name of a joint; of the turning one of the two that a cylindrical joint is made of."""
    return f"joint:{label}"


def travel_name(label: str) -> str:
    """Return the name of the sliding one of the two joints that a cylindrical joint is made of."""
    return f"travel:{label}"


def weld_name(label: str) -> str:
    """Return the name of the site where a weld's load is measured."""
    return f"weld:{label}"


def drive_name(label: str) -> str:
    """Return the name of a motor's actuator."""
    return f"drive:{label}"


def sensor_name(*what: str) -> str:
    """Return the name of the sensor of a quantity, and of the things it is measured at."""
    return ":".join(what)

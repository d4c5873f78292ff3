"""Names and geom groups of a scene's elements in the MuJoCo model, and the names of payloads in texts."""

from contracts.models.scene import Scene

PAYLOAD = "payload"
"""The body, joint and geom of the first payload."""
GOAL = "goal"
"""The goal zone's geom."""
BUILD = "build"
"""The build zone's geom."""

PARTS_GROUP, ZONES_GROUP, FORBID_GROUP = 0, 1, 2
"""Geom groups, which viewers can show and hide separately."""
COLLISION_GROUP = 3
"""Invisible collision geometry: a copy, or the stand-in for a displayed surface. Viewers hide this group by default."""


def payload_name(index: int) -> str:
    """Return the name of a payload's body, joint and geom; that of the first is the same in all worlds."""
    return PAYLOAD if index == 0 else f"{PAYLOAD}:{index}"


def the_payload(scene: Scene, index: int) -> str:
    """Return what texts call a payload: by its label where there are several."""
    return f"the payload {scene.payloads[index].label}" if scene.more_payloads else "the payload"


def payload_subject(scene: Scene, index: int) -> str:
    """Return the name by which results refer to a payload."""
    return scene.payloads[index].label if scene.more_payloads else PAYLOAD


def payload_index(scene: Scene, label: str) -> int:
    """Return the index of the payload of that label; of the first for the empty label of worlds with one payload."""
    return [payload.label for payload in scene.payloads].index(label) if label else 0


def payload_sensor(index: int, quantity: str, *labels: str) -> str:
    """Return the name of a sensor of a payload."""
    return sensor_name(quantity, *labels) if index == 0 else sensor_name(payload_name(index), quantity, *labels)


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

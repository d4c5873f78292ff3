"""How findings speak of places and measures."""

from collections.abc import Iterable
from difflib import get_close_matches

from contracts.models.geometry import Vector


def mm(value: float) -> str:
    """Return a length as an agent reads it, with enough digits to act on."""
    if abs(value) < 5e-5:
        return "0 mm"
    return f"{value:.2f} mm" if abs(value) >= 0.1 else f"{value:.4f}".rstrip("0") + " mm"


def point(point_mm: Vector) -> str:
    """Return a point in millimetres."""
    return "(" + ", ".join(f"{round(value, 1) + 0.0:.1f}" for value in point_mm) + ") mm"


def direction(direction: Vector) -> str:
    """Return a unit vector."""
    return "(" + ", ".join(f"{round(value, 2) + 0.0:.2f}" for value in direction) + ")"


def opposite(direction: Vector) -> Vector:
    """Return the vector that points the other way."""
    x, y, z = direction
    return (0.0 - x, 0.0 - y, 0.0 - z)


def suggestion(wanted: str, there: Iterable[str]) -> str:
    """Return which names come near the one that was wanted, or which there are."""
    names = list(there)
    near = get_close_matches(wanted, names, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}" if names else "there is none"

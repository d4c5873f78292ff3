"""How findings speak of places and measures."""

from contracts.geometry import Vector


def mm(value: float) -> str:
    """Return a length as an agent reads it, with enough digits to act on."""
    if abs(value) < 5e-5:
        return "0 mm"
    return f"{value:.2f} mm" if abs(value) >= 0.1 else f"{value:.4f}".rstrip("0") + " mm"


def place(point_mm: Vector) -> str:
    """Return a point in millimetres."""
    return "(" + ", ".join(f"{round(value, 1) + 0.0:.1f}" for value in point_mm) + ") mm"


def towards(direction: Vector) -> str:
    """Return a unit vector."""
    return "(" + ", ".join(f"{round(value, 2) + 0.0:.2f}" for value in direction) + ")"


def opposite(direction: Vector) -> Vector:
    """Return the vector that points the other way."""
    x, y, z = direction
    return (0.0 - x, 0.0 - y, 0.0 - z)

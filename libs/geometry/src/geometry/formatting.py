"""Lengths, points and directions as text, for messages that people and agents read."""

from contracts.models.geometry import Box, Vector


def format_mm(length_mm: float) -> str:
    """Return a length with two decimals, or with four where two would hide a small value."""
    if abs(length_mm) < 5e-5:
        return "0 mm"
    return f"{length_mm:.2f} mm" if abs(length_mm) >= 0.1 else f"{length_mm:.4f}".rstrip("0") + " mm"


def format_point(point_mm: Vector) -> str:
    """Return a point with one decimal."""
    return "(" + ", ".join(f"{round(value, 1) + 0.0:.1f}" for value in point_mm) + ") mm"


def format_place(box: Box) -> str:
    """Return size and centre of a box with one decimal."""
    return f"{' x '.join(f'{size:.1f}' for size in box.size_mm)} mm around {format_point(box.center_mm)}"


def format_direction(direction: Vector) -> str:
    """Return a unit vector with two decimals."""
    return "(" + ", ".join(f"{round(value, 2) + 0.0:.2f}" for value in direction) + ")"

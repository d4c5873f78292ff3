"""A drawing sheet: lines, circles and texts in millimetres of paper, before it is written in any format."""

from dataclasses import dataclass
from typing import Literal

from geometry.arrays import FloatArray

Layer = Literal["visible", "hidden", "dimensions", "frame"]
Anchor = Literal["left", "center", "right"]
Point = tuple[float, float]
"""To the right and up from the sheet's lower left corner, in mm."""


@dataclass(frozen=True, eq=False)
class Polyline:
    """A line through points (n, 2)."""

    points_mm: FloatArray
    layer: Layer


@dataclass(frozen=True)
class Circle:
    """A whole circle."""

    center_mm: Point
    radius_mm: float
    layer: Layer


@dataclass(frozen=True)
class Text:
    """One line of text; `at_mm` is on its baseline."""

    text: str
    at_mm: Point
    height_mm: float
    """Of capital letters."""
    anchor: Anchor = "left"
    turned_deg: float = 0.0


Item = Polyline | Circle | Text


@dataclass(frozen=True, eq=False)
class Sheet:
    """One sheet with everything on it."""

    title: str
    format_name: str
    size_mm: Point
    scale: float
    """Millimetres of paper for one of the part."""
    items: tuple[Item, ...]


FORMATS: tuple[tuple[str, Point], ...] = (
    ("A4", (297.0, 210.0)),
    ("A3", (420.0, 297.0)),
    ("A2", (594.0, 420.0)),
    ("A1", (841.0, 594.0)),
    ("A0", (1189.0, 841.0)),
)
"""ISO 216, landscape."""
SCALES = (10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02)
"""ISO 5455, the largest first."""


def scale_text(scale: float) -> str:
    """Return a scale as drawings state it, such as 1:2."""
    return f"{scale:g}:1" if scale >= 1 else f"1:{1 / scale:g}"

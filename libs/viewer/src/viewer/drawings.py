"""Drawings of a benchmark's world from its boxes: seen from the front and from above, as SVG."""

from dataclasses import dataclass, replace
from html import escape
from typing import Literal

from contracts.models.benchmark import Variant
from contracts.models.geometry import Box
from markupsafe import Markup

Kind = Literal["build", "goal", "forbid", "obstacle", "payload"]
MARGIN = 0.04


@dataclass(frozen=True)
class DrawnBox:
    """A rectangle in millimetres; y points down."""

    kind: Kind
    label: str
    x: float
    y: float
    width: float
    height: float
    rounding: float = 0.0
    """Radius of its corners."""


@dataclass(frozen=True)
class WorldDrawing:
    """One view of a world."""

    title: str
    left: float
    top: float
    width: float
    height: float
    boxes: list[DrawnBox]


def drawings_of(variant: Variant) -> list[WorldDrawing]:
    """Return a world from the front (x to the right, z up) and from above (x to the right, y up)."""
    return [_drawing("from the front", variant, 2), _drawing("from above", variant, 1)]


def _drawing(title: str, variant: Variant, upwards: int) -> WorldDrawing:
    boxes = [
        _drawn("build", "build zone", variant.build_zone, upwards),
        *[_drawn("obstacle", each.label, each.box, upwards) for each in variant.obstacles],
        *[_drawn("forbid", each.label, each.box, upwards) for each in variant.forbid_zones],
        _drawn("goal", "goal zone", variant.goal_zone, upwards),
        *[
            replace(_drawn("payload", payload.label, payload.box, upwards), rounding=payload.rounding_mm)
            for payload in variant.payloads
        ],
    ]
    left, top = min(each.x for each in boxes), min(each.y for each in boxes)
    width = max(each.x + each.width for each in boxes) - left
    height = max(each.y + each.height for each in boxes) - top
    edge = MARGIN * max(width, height)
    return WorldDrawing(title, left - edge, top - edge, width + 2 * edge, height + 2 * edge, boxes)


def _drawn(kind: Kind, label: str, box: Box, upwards: int) -> DrawnBox:
    low, high = box.min_mm, box.max_mm
    return DrawnBox(kind, label, low[0], -high[upwards], high[0] - low[0], high[upwards] - low[upwards])


def drawing_svg(drawing: WorldDrawing) -> Markup:
    """Return a drawing as SVG; its rectangles have their kinds as classes."""
    edges = f"{drawing.left} {drawing.top} {drawing.width} {drawing.height}"
    head = f'<svg class="world" role="img" aria-label="The world {escape(drawing.title)}" viewBox="{edges}">'
    return Markup("".join([head, *map(_rect_svg, drawing.boxes), "</svg>"]))  # noqa: S704 - labels are escaped


def _rect_svg(box: DrawnBox) -> str:
    place = f'x="{box.x}" y="{box.y}" rx="{box.rounding}" width="{box.width}" height="{box.height}"'
    return f'<rect class="{box.kind}" {place}><title>{escape(box.label)}</title></rect>'

"""Bodies of single solids."""

from typing import Any

from build123d import Solid
from build123d.topology import Shape
from design_rules.bodies.solid_bodies import SolidBody


def body(label: str, shape: Shape[Any], catalog_id: str | None = None) -> SolidBody:
    (solid,) = shape.solids()
    assert isinstance(solid, Solid)
    return SolidBody(label, solid, catalog_id=catalog_id)

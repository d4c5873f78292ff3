"""An order of one part, as far as its price depends on it."""

from pydantic import BaseModel, ConfigDict, PositiveInt

from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import ToleranceClass

Edges = tuple[float, float, float]
"""Lengths of a box in millimetres."""


class Order(BaseModel):
    """Material, quantity and tolerance of an order."""

    model_config = ConfigDict(frozen=True)

    material: Material
    quantity: PositiveInt
    """Number of pieces, which share set-ups and tools."""
    tolerance_class: ToleranceClass = "medium"

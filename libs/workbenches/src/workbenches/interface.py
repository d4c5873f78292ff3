"""The interface of a workbench: what it is asked about a part, and what it answers."""

from typing import ClassVar, Protocol

from contracts.models.design import Finding, Method, PriceBreakdown
from parts_catalog.pricing.order import Order

from workbenches.part_mesh import PartMesh


class PartOrder(Order):
    """Everything about an order of one part but its shape and method."""

    label: str


class Workbench(Protocol):
    """One way of making parts: its rules give findings, the geometry gives a price."""

    method: ClassVar[Method]

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        """Return the errors that forbid making the part as it is, and warnings."""
        ...

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        """Return the estimated price of one piece in an order of `quantity`, whether or not the part is makeable."""
        ...

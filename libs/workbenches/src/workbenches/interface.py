"""What every workbench can be asked, and what it answers."""

from typing import Protocol

from contracts.models.design import Finding, Method, PriceBreakdown
from parts_catalog.materials import Material
from pydantic import BaseModel, ConfigDict

from workbenches.configuration import ToleranceClass
from workbenches.part_mesh import PartMesh


class Order(BaseModel):
    """What is wanted of one part, apart from its shape."""

    model_config = ConfigDict(frozen=True)

    label: str
    material: Material
    quantity: int
    """How many pieces: set-ups and tools are shared among them."""
    tolerance_class: ToleranceClass = "medium"


class Workbench(Protocol):
    """One way of making parts. Rules give findings; geometry gives a price."""

    @property
    def method(self) -> Method:
        """Return the method it stands for."""
        ...

    def findings(self, part: PartMesh, order: Order) -> tuple[Finding, ...]:
        """Return all that is wrong with making the part as it is, and what is worth a warning."""
        ...

    def price(self, part: PartMesh, order: Order) -> PriceBreakdown:
        """Return what one piece costs in an order of `quantity`. It is an estimate, for any part, makeable or not."""
        ...

"""What every manufacturing method declares about itself; all lists of methods are made of these."""

from collections.abc import Mapping
from typing import Annotated

from contracts.model import Model
from contracts.models.design import Method
from pydantic import Field, NonNegativeFloat, PositiveFloat

RuleRow = tuple[str, str, str, str, str]
"""Of a part, what is refused, what is a warning, the rule, the reason."""
NEVER = "-"


class RuleTable(Model):
    """A table of rules in the skill `workbenches`."""

    heading: str = ""
    """Of the second and further tables of a page."""
    text: str
    rows: tuple[RuleRow, ...]


class RulePage(Model):
    """The page of a method in the skill `workbenches`."""

    file: str
    title: str
    tables: Annotated[tuple[RuleTable, ...], Field(min_length=1)]


class TeethPrice(Model):
    """What teeth of module 1 add to the price of a piece on which they are not drawn."""

    usd_per_tooth: NonNegativeFloat = 0.0
    usd_per_order: NonNegativeFloat = 0.0
    """Of a cutter's set-up."""
    tooling_usd_per_tooth: NonNegativeFloat = 0.0
    """Of a mould, once per order."""

    def usd(self, teeth: int, quantity: int) -> float:
        """Return the estimated price of one piece's teeth in an order."""
        order_usd = self.usd_per_order + teeth * self.tooling_usd_per_tooth
        return teeth * self.usd_per_tooth + order_usd / quantity


class MethodFacts(Model):
    """Names, materials and figures of a method that others than its workbench need."""

    id: Method
    constant: str
    """Its name in the kernel's `ManufacturingMethod`."""
    name: str
    """Of the work, such as `milling`."""
    verb: str
    """What a workshop does with a part, such as `mill`."""
    drawing_name: str
    """In the title block of a drawing."""
    folder: str
    """Of its files in a build package."""
    files: tuple[str, ...]
    """Endings of the files of a part in a build package."""
    drawing_notes: tuple[str, ...] = ()
    synonyms: tuple[str, ...]
    """Other names in a plan, in lower case and without signs."""
    prices_usd_per_kg: Mapping[str, PositiveFloat]
    """Of each material that it can use, in the form that it needs."""
    usual_material: str
    strength_share: PositiveFloat
    """Share of a material's strength that is left in a part."""
    stiffness_share: PositiveFloat = 1.0
    block_share: PositiveFloat = 1.0
    """Volume of the largest part over that of the box around it."""
    judges_meshes: bool = False
    """Whether triangles can be judged; what needs axes and radii of round faces cannot."""
    teeth: TeethPrice
    page: RulePage
    advice: str
    """When to choose it, in a sentence or two."""


def mm(length_mm: float) -> str:
    """Return a length of a table."""
    return f"{length_mm:g} mm"


def size(edges_mm: tuple[float, ...]) -> str:
    """Return a size of a table, the longest edge first."""
    return f"{' x '.join(f'{edge:g}' for edge in sorted(edges_mm, reverse=True))} mm"

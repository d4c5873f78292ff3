"""The parts table of a plan: method, material, mass and price of each part."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Literal

from contracts.model import Model
from contracts.models.design import Method
from contracts.models.mechanism import CatalogId
from parts_catalog.materials import MATERIALS, materials_for
from parts_catalog.methods.registry import METHODS
from parts_catalog.parts import UnknownPartError, part
from pydantic import Field, PositiveInt

from documents.parser import CellText, ProblemList, parse_number

HEADER = ("part", "count", "method", "material", "mass_g", "price_usd")
BOUGHT = "catalog"
NOT_ESTIMATED = "?"
"""In place of a mass or a price."""

_COUNT = re.compile("[1-9][0-9]{0,3}")

Amount = Annotated[Decimal, Field(ge=0, max_digits=15, decimal_places=6)]
"""Keeps as many digits as were written."""


class PlannedPart(Model):
    """One row: identical pieces."""

    name: CellText
    count: PositiveInt
    method: Method | Literal["catalog"]
    material: CatalogId
    """Id of a material, or of a catalog part if it is bought."""
    mass_g: Amount | None
    """Of one piece; None if it was not estimated."""
    price_usd: Amount | None
    """The same."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row's cells."""
        figures = [NOT_ESTIMATED if each is None else f"{each:f}" for each in (self.mass_g, self.price_usd)]
        return (self.name, str(self.count), self.method, self.material, *figures)


def read_part(line: int, cells: Sequence[str], problems: ProblemList) -> PlannedPart | None:
    """Return the part of a row; None if it has problems, which are added."""
    name, count, method, material, mass_g, price_usd = cells
    found = [
        *([] if name else [("the part has no name", "name it")]),
        *_material_problems(method, material),
        *([] if _COUNT.fullmatch(count) else [(f"count is `{count}`", "write a whole number from 1 to 9999")]),
        *_amount_problems("mass_g", mass_g),
        *_amount_problems("price_usd", price_usd),
    ]
    for reason, fix in found:
        problems.add(line, reason, fix)
    if found:
        return None
    values = [None if cell == NOT_ESTIMATED else cell for cell in cells]
    return PlannedPart.model_validate(dict(zip(PlannedPart.model_fields, values, strict=True)))


def _material_problems(name: str, material: str) -> list[tuple[str, str]]:
    if name == BOUGHT:
        return _catalog_problems(material)
    facts = next((each for each in METHODS.values() if each.id == name), None)
    if facts is None:
        known = ", ".join(f"`{each}`" for each in (*METHODS, BOUGHT))
        return [(f"`{name}` is not a method", f"use one of {known}")]
    suitable = ", ".join(f"`{each}`" for each in materials_for(facts.id))
    if material not in MATERIALS:
        return [(f"`{material}` is not a material", f"use one of {suitable} for `{name}`")]
    if facts.id not in MATERIALS[material].methods:
        return [(f"`{material}` cannot be made by `{name}`", f"use one of {suitable}")]
    return []


def _catalog_problems(part_id: str) -> list[tuple[str, str]]:
    try:
        known = part(part_id).id
    except UnknownPartError as error:
        return [(str(error).removesuffix("?"), "use an id that search_catalog returned")]
    return [] if known == part_id else [(f"the catalog id of `{part_id}` is `{known}`", f"write `{known}`")]


def _amount_problems(column: str, text: str) -> list[tuple[str, str]]:
    number = parse_number(text)
    if text == NOT_ESTIMATED:
        return []
    if number is not None and not number.is_signed():
        return []
    fix = "write the estimate for one piece as a plain number, such as 12.5, or `?` if it is not known"
    return [(f"{column} is `{text}`", fix)]

"""The table of parts in a plan: what each is made of and how, what it weighs and costs."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Literal, get_args

from contracts.model import Model
from contracts.models.design import Method
from contracts.models.mechanism import CatalogId
from parts_catalog.materials import MATERIALS, materials_for
from parts_catalog.parts import UnknownPartError, part
from pydantic import Field, PositiveInt

from documents.problems import Problem
from documents.tables import figure, table_markdown
from documents.text import CellText

HEADER = ("part", "count", "method", "material", "mass_g", "price_usd")
BOUGHT = "catalog"
METHODS: tuple[Method, ...] = get_args(Method)

_COUNT = re.compile("[1-9][0-9]{0,3}")

Amount = Annotated[Decimal, Field(ge=0, max_digits=15, decimal_places=6)]
"""As many digits as were written."""


class PlannedPart(Model):
    """One row: pieces that are alike."""

    name: CellText
    count: PositiveInt
    method: Method | Literal["catalog"]
    material: CatalogId
    """Id of a material, or of a catalog part if it is bought."""
    mass_g: Amount
    """Of one piece."""
    price_usd: Amount
    """Of one piece."""

    @property
    def cells(self) -> tuple[str, ...]:
        """As it stands in the table."""
        return (self.name, str(self.count), self.method, self.material, f"{self.mass_g:f}", f"{self.price_usd:f}")


def parts_markdown(parts: Sequence[PlannedPart]) -> str:
    """Write the table."""
    return table_markdown(HEADER, [each.cells for each in parts])


def part_in(line: int, cells: Sequence[str], problems: list[Problem]) -> PlannedPart | None:
    """Return the part of a row, or name all that is wrong with it."""
    name, count, method, material, mass_g, price_usd = cells
    wrong = [
        *_wrong_words(name, method, material),
        *([] if _COUNT.fullmatch(count) else [_count(count)]),
        *(
            _amount(text, column)
            for text, column in ((mass_g, "mass_g"), (price_usd, "price_usd"))
            if not _is_amount(text)
        ),
    ]
    problems += [Problem(line=line, reason=reason, mend=mend) for reason, mend in wrong]
    if wrong:
        return None
    fields = dict(zip(("name", "count", "method", "material", "mass_g", "price_usd"), cells, strict=True))
    return PlannedPart.model_validate(fields)


def _wrong_words(name: str, method: str, material: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = [] if name else [("the part has no name", "say what it is")]
    if method == BOUGHT:
        return [*found, *_not_sold(material)]
    if method not in METHODS:
        known = ", ".join(f"`{each}`" for each in (*METHODS, BOUGHT))
        return [*found, (f"`{method}` is no method", f"use one of {known}")]
    fitting = ", ".join(f"`{each}`" for each in materials_for(method))
    if material not in MATERIALS:
        return [*found, (f"`{material}` is no material", f"use one of {fitting} for `{method}`")]
    if method not in MATERIALS[material].methods:
        return [*found, (f"`{material}` cannot be made by `{method}`", f"use one of {fitting}")]
    return found


def _not_sold(part_id: str) -> list[tuple[str, str]]:
    try:
        known = part(part_id).id
    except UnknownPartError as error:
        return [(str(error), "name a part by the id that search_catalog told")]
    return [] if known == part_id else [(f"`{part_id}` is sold as `{known}`", f"write `{known}`")]


def _count(count: str) -> tuple[str, str]:
    return f"count is `{count}`", "write a whole number from 1 to 9999"


def _is_amount(text: str) -> bool:
    found = figure(text)
    return found is not None and not found.is_signed()


def _amount(text: str, column: str) -> tuple[str, str]:
    return f"{column} is `{text}`", "write the estimate for one piece as a plain number, such as 12.5, without a unit"

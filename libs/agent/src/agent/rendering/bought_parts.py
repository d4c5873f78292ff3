"""Bought parts of a plan with their catalog figures, so that who builds it needs no second search."""

from collections.abc import Iterator, Mapping

from contracts.models.catalog import CatalogPart, Figure, Interface
from documents.markdown import table
from documents.parser import DocumentError
from documents.parts_table import BOUGHT, PlannedPart
from documents.plan import parse_plan
from parts_catalog.parts import part
from parts_catalog.quantity_prices import unit_price_usd

from agent.rendering.tables import number

_HEADER = ("catalog id", "name", "USD a piece", "mass_g", "size (mm)", "ratings")
_MAX_FIGURES = 10
_NOT_RATINGS = ("code", "head", "standard")


def bought_parts_markdown(plan_md: str, quantity: int) -> str:
    """Return a table of the parts that a plan buys, at the price for `quantity` machines; empty if it buys none."""
    try:
        planned = parse_plan(plan_md).parts
    except DocumentError:  # a log of another version may have a plan in another form, or with other parts
        return ""
    rows = list(_rows(planned, quantity))
    return table(_HEADER, rows) if rows else ""


def _rows(planned: tuple[PlannedPart, ...], quantity: int) -> Iterator[tuple[str, ...]]:
    pieces: dict[str, int] = {}
    found: dict[str, CatalogPart] = {}
    for row in planned:
        if row.method == BOUGHT:
            bought = part(row.material)  # a plan that names an unknown one cannot be parsed
            found[bought.id] = bought
            pieces[bought.id] = pieces.get(bought.id, 0) + row.count
    for bought in found.values():
        price_usd = unit_price_usd(bought, quantity * pieces[bought.id])
        size = "" if bought.size_mm is None else " x ".join(map(number, bought.size_mm))
        yield bought.id, bought.name, number(price_usd), number(1000 * bought.mass_kg), size, ratings_text(bought)


def ratings_text(bought: CatalogPart) -> str:
    """Return the figures of a part in one line, with units in their names, and where its shafts are."""
    listed = [f"{name} {_value(value)}" for name, value in _figures(bought).items()][:_MAX_FIGURES]
    return ", ".join([*listed, *(_shaft(each) for each in bought.interfaces if each.kind == "shaft")])


def _figures(bought: CatalogPart) -> Mapping[str, Figure]:
    own = bought.motor or bought.fastener or bought.bearing or bought.gear or bought.sprocket
    figures = bought.figures if own is None else own.model_dump(exclude_none=True)
    return {name: value for name, value in figures.items() if name not in _NOT_RATINGS}


def _value(value: Figure) -> str:
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _shaft(shaft: Interface) -> str:
    at, axis = (f"({', '.join(map(number, vector))})" for vector in (shaft.at_mm, shaft.axis))
    return f"shaft at {at} along {axis}" + ("" if shaft.size_mm is None else f", {number(shaft.size_mm)} mm thick")

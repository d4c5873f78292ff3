"""Prices and masses of parts before anything is drawn: the tool `estimate_price`, also as a table in Markdown."""

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Annotated, Literal, NamedTuple

from agent.loop.replies import MalformedReplyError, require_text_only
from agent.rendering.bought_parts import ratings_text
from agent.rendering.tables import limit, number
from contracts.models.benchmark import Assignment
from contracts.models.conversation import Message
from contracts.models.design import Method
from documents.drafts.markdown import read_heading
from documents.markdown import table
from documents.parts_table import BOUGHT
from parts_catalog.hardware import UnknownHardwareError
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from parts_catalog.parts import part
from parts_catalog.pricing.estimate import InvalidPartError, estimate_part
from parts_catalog.pricing.order import Edges, Order
from parts_catalog.quantity_prices import unit_price_usd
from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

TOOL = "estimate_price"
MAX_ESTIMATES = 8
"""Replies of a run: one for a plan and one after each change are enough."""
MAX_PARTS = 30
HEADING = "## Estimate"
COLUMNS = ("part", "count", "method", "material", "size_mm", "volume_cm3")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_HEADER = ("part", "count", "method", "material", "mass_g", "price_usd", "note")


Edge = Annotated[float, Field(gt=0, le=5000)]
Size = Annotated[
    tuple[Edge, Edge, Edge] | None,
    WithJsonSchema({"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}),
]
Volume = Annotated[
    Annotated[float, Field(gt=0, le=1e6)] | None, WithJsonSchema({"type": "number", "exclusiveMinimum": 0})
]
PieceMethod = Annotated[Method | Literal["catalog"], WithJsonSchema({"type": "string", "enum": [*METHODS, BOUGHT]})]
"""How a piece is made; `catalog`: it is bought. Models get the methods by name."""


class SizedPart(BaseModel):
    """Identical pieces to estimate."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=80)
    count: Annotated[int, Field(ge=1, le=9999)] = 1
    method: PieceMethod
    material: str = Field(description="One of that method, or a catalog id.")
    size_mm: Size = Field(default=None, description="Outer size of a made part.")
    volume_cm3: Volume = Field(default=None, description="Of the material in a hollow part, such as a channel.")


class EstimatePrice(BaseModel):
    """Estimate mass and price of up to 30 parts, bought ones too; nothing is ordered or proposed."""

    model_config = ConfigDict(title=TOOL, extra="forbid")

    parts: Annotated[list[SizedPart], Field(min_length=1, max_length=MAX_PARTS)]


class _Estimate(NamedTuple):
    mass_g: float
    price_usd: float
    note: str


class _NoEstimateError(ValueError):
    """A part cannot be estimated; the message says why."""


def estimate_markdown(estimate: EstimatePrice, assignment: Assignment, left: int) -> str:
    """Return a row for each part, the totals with the limits, and how many estimates are left."""
    rows, mass_g, price_usd, missing = list[tuple[str, ...]](), 0.0, 0.0, 0
    for each in estimate.parts:
        try:
            found = _bought(each, assignment.quantity) if each.method == BOUGHT else _made(each, assignment.quantity)
        except _NoEstimateError as problem:
            missing += 1
            rows.append((each.name, str(each.count), each.method, each.material, "?", "?", f"not estimated: {problem}"))
            continue
        mass_g, price_usd = mass_g + each.count * found.mass_g, price_usd + each.count * found.price_usd
        figures = (f"{found.mass_g:.4g}", f"{found.price_usd:.2f}")
        rows.append((each.name, str(each.count), each.method, each.material, *figures, found.note))
    limits = assignment.limits
    without = f", without {missing} that could not be estimated" if missing else ""
    parts = sum(each.count for each in estimate.parts)
    totals = (
        f"Together{without}: {price_usd:.2f} USD of {limit(limits.max_unit_price_usd, 'USD')}, "
        f"{number(mass_g / 1000)} kg of {limit(limits.max_mass_kg, 'kg')}, "
        f"{parts} parts of {limit(limits.max_parts, '')}. Mass and price are those of one "
        f"piece, at {assignment.quantity} machines; glue, support under overhangs and teeth are not included. "
        f"{left} estimates are left."
    )
    return f"{table(_HEADER, rows)}\n\n{totals}"


def read_estimate(reply: Message) -> EstimatePrice | None:
    """Return the estimate that a reply in Markdown asks for: its heading and a table; None for anything else.

    Raises `MalformedReplyError`.
    """
    first, _, rest = require_text_only(reply).strip().partition("\n")
    if read_heading(first, {"estimate": HEADING, "estimate price": HEADING}) is None:
        return None
    rows = [_cells(line) for line in rest.splitlines() if line.strip().startswith("|")]
    rows = [cells for cells in rows if not all(set(cell) <= set(":- ") for cell in cells)]
    if rows and rows[0][0].lower() in {"part", "name"}:
        rows = rows[1:]
    if not rows or any(len(cells) != len(COLUMNS) for cells in rows):
        raise MalformedReplyError(
            f"Write below `{HEADING}` one table with the columns {', '.join(f'`{name}`' for name in COLUMNS)}; "
            "`size_mm` is `60 x 40 x 4`, and `volume_cm3` is empty for a solid block."
        )
    try:
        return EstimatePrice.model_validate({"parts": [_fields(cells) for cells in rows]})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5])
        raise MalformedReplyError(f"The table below `{HEADING}` cannot be used: {faults}") from error


def _cells(line: str) -> list[str]:
    return [cell.replace("`", "").strip() for cell in line.strip().strip("|").split("|")]


def _fields(cells: Sequence[str]) -> dict[str, object]:
    name, count, method, material, size, volume = cells
    fields: dict[str, object] = {
        "name": name,
        "count": count or 1,
        "method": method.lower(),
        "material": material.lower(),
    }
    sizes, volumes = _NUMBER.findall(size), _NUMBER.findall(volume)
    return fields | ({"size_mm": sizes} if sizes else {}) | ({"volume_cm3": volumes[0]} if volumes else {})


def _bought(planned: SizedPart, quantity: int) -> _Estimate:
    try:
        found = part(planned.material)
    except UnknownHardwareError as error:
        raise _NoEstimateError(str(error)) from error
    price_usd = unit_price_usd(found, quantity * planned.count)
    return _Estimate(1000 * found.mass_kg, price_usd, ratings_text(found))


def _made(planned: SizedPart, quantity: int) -> _Estimate:
    material = MATERIALS.get(planned.material)
    if material is None:
        raise _NoEstimateError(f"there is no material {planned.material!r}; there are {', '.join(MATERIALS)}")
    if planned.size_mm is None:
        raise _NoEstimateError("a made part needs `size_mm`, its outer size")
    assert planned.method != BOUGHT
    volume_mm3 = None if planned.volume_cm3 is None else 1000 * planned.volume_cm3
    try:
        found = estimate_part(Order(material=material, quantity=quantity), planned.method, planned.size_mm, volume_mm3)
    except InvalidPartError as error:
        raise _NoEstimateError(str(error)) from error
    return _Estimate(found.mass_g, found.unit_price_usd, "; ".join(_notes(planned, found.machine_mm, fits=found.fits)))


def _notes(planned: SizedPart, machine_mm: Edges, *, fits: bool) -> Iterator[str]:
    assert planned.size_mm is not None
    machine = " x ".join(f"{edge:g}" for edge in machine_mm)
    yield f"made on the machine for {machine} mm" if fits else f"does not fit: the largest machine takes {machine} mm"
    block_cm3 = prod(planned.size_mm) / 1000
    yield (
        "a solid block"
        if planned.volume_cm3 is None
        else f"{planned.volume_cm3 / block_cm3:.0%} of its box is material"
    )

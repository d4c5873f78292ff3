"""A quote: can the parts in a file be made, by which method, for how much, and what should change first?

`./run quote --json` prints a `QuoteReport`.
"""

from collections.abc import Iterable
from typing import Literal

from pydantic import NonNegativeFloat, PositiveInt

from contracts.model import Model
from contracts.models.design import Finding, Method, PriceBreakdown, WorkbenchRule
from contracts.models.geometry import Vector
from contracts.models.scene import Surface

Verdict = Literal["makeable", "not_makeable", "unusable"]
"""Of a file or a part: `unusable` is one whose shape cannot be judged at all."""
VERDICTS: tuple[Verdict, ...] = ("makeable", "not_makeable", "unusable")
"""From good to bad. The place of the worst is the exit status of the command."""


def worst_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts."""
    return VERDICTS[max(map(VERDICTS.index, verdicts))]


class QuoteChoice(Model):
    """What is asked of every file."""

    methods: tuple[Method, ...]
    materials: tuple[str, ...] = ()
    """Ids; a method takes those that suit it, or its usual material if none does and none is given."""
    quantities: tuple[PositiveInt, ...] = (1,)
    """Of the file: of an assembly, how many of it."""
    tolerance_class: Literal["coarse", "medium", "fine"] = "medium"


class FindingGroup(Model):
    """All findings of one rule about one part."""

    rule: WorkbenchRule
    severity: Literal["error", "warning", "info"]
    """Of the worst."""
    count: PositiveInt
    worst: Finding
    """The one farthest beyond its limit; its detail names place, value, limit and the first thing to change."""


class QuantityPrice(Model):
    """The price of a part in one order."""

    quantity: PositiveInt
    """Of the file."""
    pieces: PositiveInt
    """Of this part: the quantity times its count."""
    breakdown: PriceBreakdown
    """Of one piece; an estimate, whether or not the part can be made."""


class Way(Model):
    """One method and material for a part."""

    method: Method
    material_id: str = ""
    verdict: Literal["makeable", "not_makeable", "not_judged"]
    reason: str = ""
    """Why it is not judged."""
    mass_g: NonNegativeFloat = 0.0
    """Of one piece."""
    findings: tuple[FindingGroup, ...] = ()
    """Errors first."""
    prices: tuple[QuantityPrice, ...] = ()
    """One for each quantity, in their order."""

    def unit_price_usd(self, quantity: int) -> float | None:
        """Return the price of one piece when the file is ordered this often; None if it has no price."""
        return next((each.breakdown.unit_price_usd for each in self.prices if each.quantity == quantity), None)


class QuotedPart(Model):
    """One distinct solid of a file."""

    name: str
    count: PositiveInt
    """How many pieces of it the file has."""
    verdict: Verdict
    """Makeable by at least one way."""
    problem: str = ""
    """Why it is unusable."""
    volume_mm3: NonNegativeFloat = 0.0
    size_mm: Vector | None = None
    """Of the box around it, along the axes of the file."""
    ways: tuple[Way, ...] = ()
    """Those that can make it first, the cheapest for the first quantity before the others."""

    def best(self, quantity: int) -> Way | None:
        """Return the cheapest way that can make it at this quantity."""
        prices = [(way, way.unit_price_usd(quantity)) for way in self.ways if way.verdict == "makeable"]
        priced = [(way, price) for way, price in prices if price is not None]
        return min(priced, key=lambda each: each[1])[0] if priced else None


class QuantitySum(Model):
    """The price of all parts of a file, each made the cheapest way."""

    quantity: PositiveInt
    unit_price_usd: NonNegativeFloat
    """Of one set of all parts that can be made."""
    missing: tuple[str, ...] = ()
    """Names of the parts that cannot, which are not in the price."""


class CheapestWay(Model):
    """The cheapest way across all methods to make a part at one quantity."""

    part: str
    quantity: PositiveInt
    """Of the file."""
    method: Method
    material_id: str
    unit_price_usd: NonNegativeFloat
    """Of one piece."""


class FileQuote(Model):
    """The answer about one file."""

    file: str
    cheapest: tuple[CheapestWay, ...] = ()
    """One for each quantity and part that can be made, the quantities in their order."""
    format: Literal["step", "stl", "3mf", "obj", "script"] | None = None
    """None if the file was not recognised."""
    verdict: Verdict
    """The worst of its parts."""
    problem: str = ""
    """Why nothing in it can be judged; it continues a sentence about the file, with advice."""
    problem_kind: str = ""
    """`empty`, `truncated`, `damaged`, `no_shape`, `lines_only`, `surfaces_only`, `open`, `unknown_format`,
    `too_large`, `too_complex`, `script_failed`, `unreadable`, `time_limit` or `failed`."""
    place_mm: Vector | None = None
    """Of the problem, such as the middle of a hole in a surface."""
    notes: tuple[str, ...] = ()
    """What was left out, closed, turned or assumed."""
    parts: tuple[QuotedPart, ...] = ()
    sums: tuple[QuantitySum, ...] = ()
    """One for each quantity, in their order."""
    seconds: NonNegativeFloat = 0.0
    """How long it took to answer."""


class DrawnPart(Model):
    """A part to be shown in a row with the others of its file."""

    name: str
    surface: Surface
    offset_mm: Vector
    """How far it was moved into the row."""


class DrawnParts(Model):
    """The parts of a file that can be drawn."""

    parts: tuple[DrawnPart, ...] = ()


class QuoteReport(Model):
    """The answer about all files, in their order."""

    choice: QuoteChoice
    currency: Literal["USD"] = "USD"
    files: tuple[FileQuote, ...]
    verdict: Verdict
    """The worst of all files."""

"""An event as people read it: one line, and the long texts in it.

Models and kernels may have written any part of an event: no text is markup, and who shows it escapes control
characters.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from contracts.models.benchmark import Limits
from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult
from contracts.text import counted, spaced

Severity = Literal["success", "failure", "info", "detail"]
"""A detail is only of interest to readers of the whole log."""


@dataclass(frozen=True)
class EventLine:
    """A line of text, and its severity."""

    text: str
    severity: Severity = "info"


class EventText(NamedTuple):
    """A text that a model, a kernel or a user wrote, with its title."""

    title: str
    text: str
    form: Literal["prose", "code"] = "prose"
    """`prose`: Markdown."""

    @property
    def heading(self) -> str:
        """The title; empty for Markdown that begins with a heading of its own."""
        return "" if self.form == "prose" and self.text.lstrip().startswith("# ") else self.title


def limits_text(limits: Limits) -> str:
    """Return the limits of price, mass and parts that are set."""
    parts = [
        f"≤ {limits.max_unit_price_usd:g} USD" if limits.max_unit_price_usd is not None else "",
        f"≤ {limits.max_mass_kg:g} kg" if limits.max_mass_kg is not None else "",
        f"≤ {limits.max_parts} parts" if limits.max_parts is not None else "",
    ]
    return ", ".join(filter(None, parts)) or "no limits"


def bill_text(bill: BillOfMaterials) -> str:
    """Return price, mass and number of parts."""
    return f"{bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg, {counted(bill.part_count, 'part')}"


def result_text(result: SimulationResult) -> str:
    """Return the verdict, its stability, and the ending of the nominal run."""
    ending = f"{spaced(result.nominal.ending)} after {result.nominal.time_s:.1f} s"
    if not result.replicas:
        return f"{result.verdict}, {ending}"
    rate = f"{result.success_rate:.0%} of {len(result.replicas)} replicas"
    return f"{result.verdict} and {result.stability}, {rate}; {ending}"


def result_severity(result: SimulationResult) -> Severity:
    """Return whether the simulation proved the design, or a preview without replicas solved the benchmark."""
    is_good = result.is_proven if result.replicas else result.verdict == "solved"
    return "success" if is_good else "failure"

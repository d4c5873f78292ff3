"""The line of an event, and the function with which each event class registers its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Literal, Protocol

from contracts.envelope import Event
from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult

from documents.event_lines.text import LINE_CHARS, counted, headline, one_line

Severity = Literal["success", "failure", "info", "detail"]
"""A detail is only of interest to readers of the whole log."""

SIZES_SHOWN = 2


@dataclass(frozen=True)
class EventLine:
    """A line of text, and its severity."""

    text: str
    severity: Severity = "info"


def format_event(event: Event) -> EventLine:
    """Return the event's line, cut to `LINE_CHARS`, with the sizes of texts that were stored as artifacts."""
    line = describe(event)
    note = _truncation_note(event)
    return EventLine(one_line(line.text, LINE_CHARS - len(note)) + note, line.severity)


@singledispatch
def describe(event: Event) -> EventLine:
    """Return the event's line in full length."""
    return EventLine(event.type, "detail")


class _Failure(Protocol):
    @property
    def reason(self) -> str: ...

    @property
    def detail(self) -> str: ...


class _Review(Protocol):
    @property
    def review_md(self) -> str: ...


def register_failures(texts: Mapping[type[_Failure], str]) -> None:
    """Register lines that state what failed, with the event's reason and detail."""
    for event_class, text in texts.items():
        describe.register(event_class, partial(_describe_failure, text))


def register_reviews(texts: Mapping[type[_Review], str], severity: Severity) -> None:
    """Register lines that state a verdict, with the first words of its review."""
    for event_class, text in texts.items():
        describe.register(event_class, partial(_describe_review, text, severity))


def _describe_failure(text: str, event: _Failure) -> EventLine:
    return EventLine(f"{text} ({spaced(event.reason)}): {event.detail}", "failure")


def _describe_review(text: str, severity: Severity, event: _Review) -> EventLine:
    return EventLine(f"{text}: {headline(event.review_md)}", severity)


def _truncation_note(event: Event) -> str:
    if not event.large_fields:
        return ""
    sizes = (field.artifact.size_bytes / 1000 for field in event.large_fields[:SIZES_SHOWN])
    more = len(event.large_fields) - SIZES_SHOWN
    return f" (cut, was {', '.join(f'{size_kb:.0f} kB' for size_kb in sizes)}{f' and {more} more' * (more > 0)})"


def spaced(code: str) -> str:
    """Return a code such as `steps_exhausted` with spaces."""
    return code.replace("_", " ")


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

"""One line for people, and the function that each kind of event gives its own words to."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Literal

from contracts.envelope import Event

from cli.text import LINE_CHARS, one_line

Severity = Literal["good", "bad", "plain", "quiet"]
"""Quiet: only of interest to those who read the whole log."""

CUTS_TOLD = 2


@dataclass(frozen=True)
class EventLine:
    """One line, and how it is meant."""

    text: str
    severity: Severity = "plain"


def format_event(event: Event) -> EventLine:
    """Return what the event says, and how much of it is not told because it did not travel with the event."""
    told = describe(event)
    cut = _cut(event)
    return EventLine(one_line(told.text, LINE_CHARS - len(cut)) + cut, told.severity)


def _cut(event: Event) -> str:
    """Return how large the texts are of which the log keeps only the beginning."""
    if not event.large_fields:
        return ""
    sizes = (field.artifact.size_bytes / 1000 for field in event.large_fields[:CUTS_TOLD])
    more = len(event.large_fields) - CUTS_TOLD
    return f" (cut, was {', '.join(f'{size_kb:.0f} kB' for size_kb in sizes)}{f' and {more} more' * (more > 0)})"


@singledispatch
def describe(event: Event) -> EventLine:
    """Say it, whole; `gist` cuts it to a line."""
    return EventLine(event.type, "quiet")

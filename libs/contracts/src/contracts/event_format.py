"""Events as lines and texts that fit on a terminal, a page or a report."""

from contracts.envelope import Event
from contracts.event_line import EventLine, EventText
from contracts.text import LINE_CHARS, one_line

SIZES_SHOWN = 2


def format_event(event: Event) -> EventLine:
    """Return the event's line, cut to `LINE_CHARS`, with the sizes of texts that were stored as artifacts."""
    line = event.line()
    note = _truncation_note(event)
    return EventLine(one_line(line.text, LINE_CHARS - len(note)) + note, line.severity)


def texts_of(event: Event) -> list[EventText]:
    """Return the texts of an event that are not empty."""
    return [each for each in event.texts() if each.text]


def _truncation_note(event: Event) -> str:
    if not event.large_fields:
        return ""
    sizes = (field.artifact.size_bytes / 1000 for field in event.large_fields[:SIZES_SHOWN])
    more = len(event.large_fields) - SIZES_SHOWN
    return f" (cut, was {', '.join(f'{size_kb:.0f} kB' for size_kb in sizes)}{f' and {more} more' * (more > 0)})"

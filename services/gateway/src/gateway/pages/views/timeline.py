"""The timeline of a run: its events in groups, each as a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from contracts.envelope import Event
from contracts.event_format import format_event, texts_of
from contracts.events.conversation import ModelCalled
from contracts.registry import EVENTS
from contracts.text import LINE_CHARS, headline, one_line
from store.log import LogMarks, LogPosition

from gateway.http.cursors import event_cursor

CHUNK = 100
"""Rows that are loaded, and removed, together."""
_OTHER = "other"
_WORDS: Mapping[str, tuple[str, ...]] = {
    "run": (
        *("Engineering", "Environment", "World", "Run", "Cancel", "WorkAbandoned", "MessageAbandoned"),
        *("BenchmarkRequested", "BenchmarkPublished", "Generation", "QuestionA", "QuestionFailed"),
    ),
    "plan": ("Plan", "Refusal", "BenchmarkPlan"),
    "thought": ("ModelCalled", "Reply", "Tool"),
    "cell": ("Cell", "Look", "Perception"),
    "file": ("File",),
    "simulation": ("Simulation", "Film", "Render", "Certification"),
    "design": ("Design", "Draft", "BenchmarkDrafted"),
    "journal": ("Journal",),
}
"""By group: how the classes of its events begin."""


def _group_of_class(name: str) -> str:
    return next((group for group, words in _WORDS.items() if name.startswith(words)), _OTHER)


GROUP_OF: Mapping[str, str] = {each.__name__: _group_of_class(each.__name__) for each in EVENTS}
GROUPS: tuple[str, ...] = (*_WORDS, _OTHER)


def types_of(shown: Sequence[str]) -> tuple[str, ...]:
    """Return the classes of events in these groups; none of all, which means all classes."""
    if not shown or set(shown) >= set(GROUPS):
        return ()
    return tuple(name for name, group in GROUP_OF.items() if group in shown)


@dataclass(frozen=True)
class TimelineRow:
    """An event in the timeline."""

    cursor: str
    occurred_at: datetime
    role: str
    group: str
    type: str
    severity: str
    text: str


def row_of(position: LogPosition, event: Event) -> TimelineRow:
    """Return the row of an event."""
    line = format_event(event)
    text = _thought(event) if isinstance(event, ModelCalled) else line.text
    return TimelineRow(
        event_cursor(position),
        event.occurred_at,
        event.role,
        GROUP_OF[event.type],
        event.type,
        line.severity,
        text,
    )


def contains(event: Event, searched: str) -> bool:
    """Tell whether a row, or a text of its event, contains all the words; case does not matter."""
    line = _thought(event) if isinstance(event, ModelCalled) else format_event(event).text
    texts = (event.type, event.role, line, *(each.text for each in texts_of(event)))
    whole = "\n".join(texts).casefold()
    return all(word in whole for word in searched.casefold().split())


def _thought(call: ModelCalled) -> str:
    """Return what a model replied, in its first line."""
    if not call.reply.text.strip():
        names = ", ".join(each.name for each in call.reply.tool_calls)
        return one_line(f"step {call.step}: calls {names or 'nothing'}", LINE_CHARS)
    return one_line(f"step {call.step}: {headline(call.reply.text)}", LINE_CHARS)


@dataclass(frozen=True)
class TimelineChunk:
    """A part of the timeline; only some are in the page at once."""

    after: str
    """Cursor of the event before it; empty: it is the first."""
    first: int
    """Number of its first row, from 1."""
    count: int
    is_open: bool
    """Whether the page contains its rows from the beginning."""


def chunks_of(marks: LogMarks, row: int) -> list[TimelineChunk]:
    """Return the parts of a timeline, at least one; that with this row, from 1, is open."""
    cursors = ["", *map(event_cursor, marks.marks)]
    if len(cursors) > 1 and marks.count == CHUNK * len(marks.marks):
        cursors.pop()
    opened = min(max(row - 1, 0) // CHUNK, len(cursors) - 1)
    return [
        TimelineChunk(cursor, 1 + number * CHUNK, min(CHUNK, marks.count - number * CHUNK), number == opened)
        for number, cursor in enumerate(cursors)
    ]

"""The record of one run: its events by short ids, its journals at three depths, and each cell or write alone."""

from collections.abc import Sequence
from functools import cached_property
from uuid import UUID

from agent.journal.entries import fenced, one_line
from agent.journal.reader import Depth, RoleJournal, UnknownEntryError, journal_of, read_page
from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded
from contracts.events.design import DesignInvalidated, DesignRejected
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellCompleted, CellRequested, FileEditRequested, FileWriteRequested, FileWritten
from contracts.events.simulation import SimulationCompleted

ID_CHARS = 8
"""Of an event's id as the learner sees it."""
INDEX_CHARS = 24_000
"""Of all lines of an index: the more entries, the shorter its lines."""
_LINE_CHARS = (36, 160)
PAGE_LINES = 125
PAGE_CHARS = 6_000
_CODE_CHARS = 2_500
_OUTPUT_CHARS = 1_200


class RecordError(LookupError):
    """The run has no such entry or event; the message names what it has."""


class RunSource:
    """Reads the events of one run that has ended."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self._by_id = {event.id: event for event in events}

    @cached_property
    def opening(self) -> EngineeringRequested:
        """The request of the run."""
        for event in self.events:
            if isinstance(event, EngineeringRequested):
                return event
        raise LookupError("the log of the run has no EngineeringRequested: was it purged?")

    @cached_property
    def roles(self) -> frozenset[Role]:
        """The roles that worked in the run."""
        return frozenset(event.role for event in self.events)

    def journal(self, role: Role) -> RoleJournal:
        """Return a role's journal."""
        return journal_of(self.events, role)

    def index(self, role: Role, page: int) -> str:
        """Return a page of the list of all entries of a journal, in a line each; raise `RecordError`."""
        entries = self.journal(role).entries
        pages = max(-(-len(entries) // PAGE_LINES), 1)
        if not 1 <= page <= pages:
            raise RecordError(f"the journal of the {role} has {pages} pages of entries; page {page} does not exist")
        chars = min(max(INDEX_CHARS // max(len(entries), 1), _LINE_CHARS[0]), _LINE_CHARS[1])
        lines = [_index_line(each, chars) for each in entries[(page - 1) * PAGE_LINES : page * PAGE_LINES]]
        title = f"{len(entries)} entries of the {role}, page {page} of {pages}"
        return "\n".join([title, "", *(lines or ["Nothing was written down."])])

    def entry(self, role: Role, number: int, depth: Depth, page: int) -> str:
        """Return an entry at a depth; raise `RecordError`."""
        try:
            found = read_page(self.journal(role), number, depth, page, PAGE_CHARS)
        except UnknownEntryError as error:
            raise RecordError(str(error)) from error
        more = f"\n\n(page {found.page} of {found.pages})" if found.pages > 1 else ""
        return found.markdown + more

    def event(self, short_id: str) -> Event:
        """Return the event whose id begins so; raise `RecordError` if there is none, or if there are several."""
        wanted = short_id.strip().lower().replace("-", "")
        found = [each for each in self.events if each.id.hex.startswith(wanted)] if len(wanted) >= ID_CHARS else []
        if len(found) != 1:
            how = "several events" if found else "no event"
            raise RecordError(
                f"{how} of this run has the id {short_id[:40]!r}; ids have at least {ID_CHARS} characters"
            )
        return found[0]

    def shown(self, short_id: str) -> str:
        """Return a cell, a write, an edit or a verdict with what came of it; raise `RecordError`."""
        event = self.event(short_id)
        cause = self._by_id.get(event.causation_id) if event.causation_id else None
        match event:
            case CellCompleted():
                return "\n\n".join([_shown_alone(cause), _outcome(event)] if cause else [_outcome(event)])
            case CellRequested():
                outcomes = [each for each in self.events if each.causation_id == event.id]
                return "\n\n".join([_shown_alone(event), *(_outcome(each) for each in outcomes)])
            case FileWritten():
                return _shown_alone(cause) if cause else fenced(event.text or "")
            case _:
                return _shown_alone(event)


def short(event_id: UUID | None) -> str:
    """Return an event's id as the learner sees it."""
    return "" if event_id is None else event_id.hex[:ID_CHARS]


def _index_line(entry: JournalEntryAdded, chars: int) -> str:
    learned = f"learned: {entry.reflection}" if entry.reflection.strip() else entry.result or entry.intent
    return f"- {entry.number} {entry.about}: {one_line(learned, chars)}"


def _outcome(event: Event) -> str:
    if not isinstance(event, CellCompleted):
        return f"{event.type} {short(event.id)}"
    seen = event.observation
    error = f"{seen.error.type}: {seen.error.message}" if seen.error else ""
    output = seen.output[-_OUTPUT_CHARS:].strip()
    shown = [f"The cell ended as {seen.status} (event {short(event.id)}).", *([error] if error else [])]
    return "\n\n".join([*shown, *([fenced(output)] if output else [])])


def _shown_alone(event: Event) -> str:
    match event:
        case CellRequested():
            purpose = one_line(event.purpose, 300)
            return f"Cell {short(event.id)}: {purpose}\n\n{fenced(event.code[:_CODE_CHARS], 'python')}"
        case FileWriteRequested():
            return f"`{event.path}` was written:\n\n{fenced(event.text[:_CODE_CHARS])}"
        case FileEditRequested():
            before, after = event.old_text[:_OUTPUT_CHARS], event.new_text[:_OUTPUT_CHARS]
            return f"`{event.path}` was edited. Before:\n\n{fenced(before)}\n\nAfter:\n\n{fenced(after)}"
        case _:
            return fenced(_verdict_text(event))


def _verdict_text(event: Event) -> str:
    match event:
        case SimulationCompleted():
            return event.result.summary_md[:_CODE_CHARS] or event.result.verdict
        case DesignInvalidated():
            return "\n".join(f"{each.rule} {each.label}: {each.detail}" for each in event.findings)
        case DesignRejected():
            return event.review_md[:_CODE_CHARS]
        case _:
            return event.model_dump_json()[:_OUTPUT_CHARS]

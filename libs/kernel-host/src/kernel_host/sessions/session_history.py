"""The history of a session in the event log: what a replay must repeat, and the variables that it must restore."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from contracts.envelope import Event, Role
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.conversation import JournalEntryAdded
from contracts.events.question import QuestionSessionRequested
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileWriteRequested,
    FileWritten,
    SessionOpened,
    SessionRequested,
)
from contracts.models.observation import Observation, Variable


@dataclass(frozen=True)
class WrittenFile:
    """A file after a write."""

    path: str
    text: str


@dataclass(frozen=True)
class CompletedCell:
    """A cell and its outcome."""

    number: int
    """Position among all cells of the session, from 1."""
    request: CellRequested
    completed: CellCompleted


@dataclass(frozen=True)
class Reopened:
    """The session was requested again, with another plan or another design to review."""

    request: SessionRequested | BenchmarkSessionRequested


@dataclass(frozen=True)
class NotedEntry:
    """The engineer noted something, which the session added to journal.md."""

    added: JournalEntryAdded


@dataclass(frozen=True)
class JournalAddition:
    """What a cell added to journal.md, whether it can be repeated or not."""

    text: str


OpeningRequest = SessionRequested | QuestionSessionRequested | BenchmarkSessionRequested
"""A request for a kernel: with a design's namespace, a question's, or an author's."""
Step = WrittenFile | Reopened | CompletedCell | NotedEntry | JournalAddition


@dataclass
class SessionHistory:
    """The steps of a session, and its variables at the end."""

    steps: list[Step] = field(default_factory=list[Step])
    """In order: repeated with a new kernel and new files, they lead to the session's present state."""
    left_out: list[str] = field(default_factory=list[str])
    """Cells that cannot be repeated, a sentence each."""
    fingerprints: dict[str, str] = field(default_factory=dict[str, str])
    """Of each variable at the end, by name."""
    cells: int = 0
    """Number of all cells, whatever their outcome."""
    is_open: bool = False
    """Whether the session was requested."""

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of all written files."""
        return tuple(sorted({step.path for step in self.steps if isinstance(step, WrittenFile)}))

    def add(self, event: Event, cause: Event | None) -> None:
        """Add what a replay must repeat of an event of the session's role."""
        match event:
            case FileWritten(path=path, text=text):
                text = text if text is not None else _text_of(cause)
                if text is not None:
                    self.steps.append(WrittenFile(path, text))
            case CellCompleted() if isinstance(cause, CellRequested):
                self.add_cell(cause, event)
            case JournalEntryAdded():
                self.steps.append(NotedEntry(event))
            case SessionRequested() | BenchmarkSessionRequested() if self.is_open:
                self.add_request(event)
            case SessionRequested() | BenchmarkSessionRequested():
                self.is_open = True
            case _:
                pass

    def add_cell(self, request: CellRequested, completed: CellCompleted) -> None:
        """Add a completed cell, and what it added to the journal.

        Cells that an earlier replay left out stay out: later cells ran without them.
        """
        self._add_cell(request, completed)
        if completed.journal_md:
            self.steps.append(JournalAddition(completed.journal_md))

    def _add_cell(self, request: CellRequested, completed: CellCompleted) -> None:
        self.cells += 1
        seen = completed.observation
        if seen.recovery is not None:
            self._keep_cells(seen.recovery.replayed_cells)
            for name in (*seen.recovery.lost, *seen.recovery.different):
                self.fingerprints.pop(name, None)
        elif seen.status == "killed":  # and no replay followed
            self._keep_cells(0)
            self.fingerprints.clear()
        update_fingerprints(self.fingerprints, seen)
        if seen.status == "killed":
            return
        if seen.status == "timeout":
            self.left_out.append(f"cell {self.cells} had run out of time, and did not run again: {request.purpose}")
        elif seen.status != "refused" or seen.variables:
            self.steps.append(CompletedCell(self.cells, request, completed))

    def add_request(self, request: SessionRequested | BenchmarkSessionRequested) -> None:
        """Add a further request for the session; one for another review starts without variables."""
        if request.reviewed is not None:
            self.steps, self.left_out, self.fingerprints = [], [], {}
        self.steps.append(Reopened(request))

    def _keep_cells(self, count: int) -> None:
        """Keep the first `count` cells, and all other steps."""
        kept: list[Step] = []
        for step in self.steps:
            if not isinstance(step, CompletedCell):
                kept.append(step)
            elif count > 0:
                kept.append(step)
                count -= 1
        self.steps = kept


def session_history(events: Iterable[Event], role: Role) -> SessionHistory:
    """Return the history of a role's session from the events of its run."""
    history = SessionHistory()
    by_id: dict[UUID, Event] = {}
    for event in events:
        if event.role == role:
            by_id[event.id] = event
            history.add(event, None if event.causation_id is None else by_id.get(event.causation_id))
    return history


def opening_request(events: Iterable[Event], request: OpeningRequest) -> OpeningRequest:
    """Return the first request for the session that `request` asks for; it may be `request` itself."""
    for event in events:
        if isinstance(event, OpeningRequest) and event.role == request.role:
            return event
    return request


def opening_requests(history: Iterable[Event]) -> list[OpeningRequest]:
    """Return the first request for each session that was opened."""
    events = list(history)
    opened = {event.causation_id for event in events if isinstance(event, SessionOpened)}
    requests = [event for event in events if isinstance(event, OpeningRequest)]
    return [event for event in requests if event.id in opened and opening_request(requests, event) is event]


def update_fingerprints(fingerprints: dict[str, str], seen: Observation) -> None:
    """Apply the changes of a cell."""
    for variable in seen.variables:
        if variable.change == "lost":
            fingerprints.pop(variable.name, None)
        else:
            fingerprints[variable.name] = fingerprint_of(variable)


def fingerprint_of(variable: Variable) -> str:
    """Return the text by which a variable is recognised; older logs have only its type and summary."""
    return variable.fingerprint or f"{variable.type} {variable.summary}"


def _text_of(request: Event | None) -> str | None:
    return request.text if isinstance(request, FileWriteRequested) else None


class Trials:
    """Counts the simulations of each cell, for the journal, which must have an entry for each.

    A cell that begins once more counts once.
    """

    def __init__(self) -> None:
        self._by_cell: dict[UUID, int] = {}

    @property
    def simulations(self) -> int:
        """All of the run so far."""
        return sum(self._by_cell.values())

    def begin_cell(self, cell_id: UUID) -> None:
        """Start to count a cell."""
        self._by_cell[cell_id] = 0

    def add(self, cell_id: UUID) -> None:
        """Count a simulation that returned a result."""
        self._by_cell[cell_id] = self._by_cell.get(cell_id, 0) + 1

    def load_history(self, events: Iterable[Event], role: Role) -> None:
        """Count the simulations of the completed cells in the log."""
        for event in events:
            if isinstance(event, CellCompleted) and event.role == role and event.causation_id is not None:
                self._by_cell[event.causation_id] = event.simulations

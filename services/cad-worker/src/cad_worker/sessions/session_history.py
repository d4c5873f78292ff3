"""What the log knows of a session: what to do again, and what its variables were in the end."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from contracts.envelope import Event, Role
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, FileWritten, SessionRequested
from contracts.models.observation import Observation, Variable


@dataclass(frozen=True)
class WrittenFile:
    """A file as it stood after it was written."""

    path: str
    text: str


@dataclass(frozen=True)
class CompletedCell:
    """A cell and what became of it."""

    number: int
    """Its place among all cells of the session, 1-based."""
    request: CellRequested
    completed: CellCompleted


@dataclass(frozen=True)
class NewPlan:
    """The session was asked for again: its run has another plan, or another design to review."""

    request: SessionRequested


Step = WrittenFile | NewPlan | CompletedCell


@dataclass
class SessionHistory:
    """A session as the log has it."""

    steps: list[Step] = field(default_factory=list[Step])
    """What brings a new kernel, and new files, to where the session was; in order."""
    left_out: list[str] = field(default_factory=list[str])
    """What cannot be done again."""
    fingerprints: dict[str, str] = field(default_factory=dict[str, str])
    """Of each variable in the end: its name, and what tells whether it is the same."""
    cells: int = 0
    """How many cells there were, whatever became of them."""

    @property
    def files(self) -> tuple[str, ...]:
        """Return the paths of all files that were written."""
        return tuple(sorted({step.path for step in self.steps if isinstance(step, WrittenFile)}))

    def add_file(self, path: str, text: str) -> None:
        """A file was written."""
        self.steps.append(WrittenFile(path, text))

    def add_cell(self, request: CellRequested, completed: CellCompleted) -> None:
        """A cell came to its end. What an earlier replay left out stays left out: the cells after it went without."""
        self.cells += 1
        seen = completed.observation
        if seen.recovery is not None:
            self._cut(seen.recovery.replayed_cells)
            for name in (*seen.recovery.lost, *seen.recovery.different):
                self.fingerprints.pop(name, None)
        elif seen.status == "killed":  # nothing was brought back
            self._cut(0)
            self.fingerprints.clear()
        update_fingerprints(self.fingerprints, seen)
        if seen.status == "killed":
            return
        if seen.status == "timeout":
            self.left_out.append(f"cell {self.cells} had run out of time, and did not run again: {request.purpose}")
        elif seen.status != "refused" or seen.variables:
            self.steps.append(CompletedCell(self.cells, request, completed))

    def add_plan(self, request: SessionRequested) -> None:
        """The session was asked for again; a review of another design begins with no variable."""
        if request.reviewed is not None:
            self.steps, self.left_out, self.fingerprints = [], [], {}
        self.steps.append(NewPlan(request))

    def _cut(self, cells: int) -> None:
        """Keep so many cells from the first on, and all files."""
        kept: list[Step] = []
        for step in self.steps:
            if not isinstance(step, CompletedCell):
                kept.append(step)
            elif cells > 0:
                kept.append(step)
                cells -= 1
        self.steps = kept


def session_history(history: Iterable[Event], role: Role) -> SessionHistory:
    """Return what the log knows of the session of `role`."""
    memory = SessionHistory()
    asked: dict[UUID, Event] = {}
    is_open = False
    for event in history:
        if event.role != role:
            continue
        asked[event.id] = event
        request = None if event.causation_id is None else asked.get(event.causation_id)
        if isinstance(event, FileWritten):
            text = event.text if event.text is not None else _text_of(request)
            if text is not None:
                memory.add_file(event.path, text)
        elif isinstance(event, CellCompleted) and isinstance(request, CellRequested):
            memory.add_cell(request, event)
        elif isinstance(event, SessionRequested):
            if is_open:
                memory.add_plan(event)
            is_open = True
    return memory


def update_fingerprints(marks: dict[str, str], seen: Observation) -> None:
    """Bring `marks` up to date with what a cell left behind."""
    for variable in seen.variables:
        if variable.change == "lost":
            marks.pop(variable.name, None)
        else:
            marks[variable.name] = fingerprint_of(variable)


def fingerprint_of(variable: Variable) -> str:
    """Return what tells whether a variable is the same: its fingerprint; in older logs, how it reads."""
    return variable.fingerprint or f"{variable.type} {variable.summary}"


def _text_of(request: Event | None) -> str | None:
    return request.text if isinstance(request, FileWriteRequested) else None

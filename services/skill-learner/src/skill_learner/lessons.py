"""Lessons of a run: what failed and was resolved later, or failed again and again, read from its event log.

Each names the events that prove it. Files are compared as the log has them after each write and each edit.
"""

from collections.abc import Iterable
from difflib import SequenceMatcher, unified_diff
from typing import Literal
from uuid import UUID

from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignApproved, DesignInvalidated, DesignRejected, DesignValidated
from contracts.events.plan import PlanApproved, PlanRejected
from contracts.events.session import CellCompleted, CellRequested, FileWritten
from contracts.events.simulation import SimulationCompleted
from contracts.model import Model
from contracts.models.observation import Observation
from contracts.models.simulation import SimulationResult
from documents.markdown import one_line

Kind = Literal["cell_failed", "preview_failed", "design_invalidated", "design_rejected", "plan_rejected"]

MAX_LESSONS = 12
_TEXT_CHARS = 500
_CODE_CHARS = 1500
_CHANGE_LINES = 24
_COMPARED_LINES = 2000
"""Of both states of a file: the comparison takes up to quadratic time."""
_RETRY_SHARE = 0.6
"""Cells whose purposes or beginnings of code agree in this share try the same."""
_COMPARED_CHARS = 600
_MAX_OPEN = 60
"""Failures that wait for a resolution; the oldest is given up then."""


class Lesson(Model):
    """One failure, and what resolved it if anything did."""

    kind: Kind
    failed: str
    failed_by: UUID
    """The event that proves the failure."""
    times: int = 1
    """How often it occurred until it was resolved."""
    resolved_by: str = ""
    """Empty: nothing did."""
    proven_by: UUID | None = None
    """The event that proves the resolution: the newest write of a changed file, or else the cell that worked."""
    code: str = ""
    """Of the cell after which it worked."""
    step: int | None = None
    """The role's first model call after the failure."""
    steps_lost: int = 0
    """Model calls between failure and resolution."""
    change: str = ""
    """How the files changed between failure and success, as a unified diff."""

    @property
    def role(self) -> Role:
        """The role that can learn from it."""
        return "planner" if self.kind == "plan_rejected" else "engineer"


class _Failure(Model):
    kind: Kind
    text: str
    event: UUID
    times: int = 1
    at_step: int = 0
    files: dict[str, str]
    """The files at the time of the failure."""
    cell: CellRequested | None = None
    """The cell that failed."""


def find_lessons(history: Iterable[Event]) -> tuple[Lesson, ...]:
    """Return every failure that was resolved later in the run, once each; of too many those that cost most."""
    return tuple(_costliest(_read(history).lessons))


def find_repeated(history: Iterable[Event], times: int) -> tuple[Lesson, ...]:
    """Return the failures that occurred at least so often and that nothing resolved."""
    return tuple(_costliest([each for each in _read(history).open_failures if each.times >= times]))


def count_failures(history: Iterable[Event], target: str = "") -> tuple[int, int]:
    """Return how often anything failed in a run, and how often with this text in its message."""
    reader = _read(history)
    texts = reader.failures
    return len(texts), sum(bool(target) and target in text for text in texts)


def _read(history: Iterable[Event]) -> "_Reader":
    reader = _Reader()
    for event in history:
        if isinstance(event, ModelCalled) and event.role == "engineer" and event.purpose == "act":
            reader.start_step(event.step)
        reader.read(event)
    return reader


def _costliest(lessons: list[Lesson]) -> list[Lesson]:
    """Return the lessons that cost most repeats and steps, in the order of the run."""
    by_cost = sorted(lessons, key=lambda each: (each.times, each.steps_lost), reverse=True)[:MAX_LESSONS]
    return [each for each in lessons if each in by_cost]


class _Reader:
    """Reads a run event by event and tracks failures that are not resolved yet."""

    def __init__(self) -> None:
        self.lessons: list[Lesson] = []
        self.failures: list[str] = []
        """The text of each failure, in order."""
        self._open: list[_Failure] = []
        self._cells: dict[UUID, CellRequested] = {}
        self._latest: CellRequested | None = None
        self._files: dict[str, str] = {}
        self._written: dict[str, UUID] = {}
        """The newest write or edit of each file."""
        self._step = 0
        self._step_of: dict[str, int] = {}

    @property
    def open_failures(self) -> list[Lesson]:
        """The failures that nothing has resolved."""
        return [
            Lesson(
                kind=each.kind,
                failed=each.text,
                failed_by=each.event,
                times=each.times,
                step=self._step_of.get(each.text),
            )
            for each in self._open
        ]

    def start_step(self, step: int) -> None:
        """Record that the engineer learns of all open failures at this step, unless it did earlier."""
        self._step = step
        self._step_of = {each.text: step for each in self._open} | self._step_of

    def read(self, event: Event) -> None:
        match event:
            case CellRequested(role="engineer"):
                self._latest = self._cells[event.id] = event
            case FileWritten(role="engineer", text=str(text)):
                self._files = {**self._files, event.path: text}
                self._written[event.path] = event.id
            case CellCompleted(role="engineer"):
                self._complete_cell(event)
            case SimulationCompleted(role="engineer"):
                self._judge("preview_failed", _simulation_failure(event.result), event)
            case DesignInvalidated() | DesignRejected() | DesignValidated() | DesignApproved():
                self._read_verdict(event)
            case PlanRejected():
                self._judge("plan_rejected", event.review_md, event)
            case PlanApproved():
                self._judge("plan_rejected", "", event)
            case _:
                pass

    def _read_verdict(self, event: DesignInvalidated | DesignRejected | DesignValidated | DesignApproved) -> None:
        match event:
            case DesignInvalidated():
                text = "; ".join(f"{f.rule} {f.label}: {f.detail}" for f in event.findings)
                self._judge("design_invalidated", text, event)
            case DesignRejected():
                self._judge("design_rejected", event.review_md, event)
            case DesignValidated():
                self._judge("design_invalidated", "", event)
            case DesignApproved():
                self._judge("design_rejected", "", event)

    def _complete_cell(self, event: CellCompleted) -> None:
        """Resolve what this cell did better: the same without that failure, or anything after a change of the files."""
        cell = None if event.causation_id is None else self._cells.get(event.causation_id)
        self._latest = cell or self._latest
        failure_text = "" if event.observation.status == "ok" else _clipped(_cell_failure(event.observation))
        for failure in [each for each in self._open if each.kind == "cell_failed" and each.text != failure_text]:
            if _is_retry(failure.cell, cell) or (not failure_text and failure.files != self._files):
                self._open.remove(failure)
                self._resolve(failure, event)
        if failure_text:
            self._open_failure("cell_failed", failure_text, event, cell)

    def _judge(self, kind: Kind, failure_text: str, event: Event) -> None:
        """Open a failure; without a text, resolve all open ones of this kind."""
        if failure_text:
            self._open_failure(kind, _clipped(failure_text), event)
            return
        for failure in [each for each in self._open if each.kind == kind]:
            self._open.remove(failure)
            self._resolve(failure, event)

    def _open_failure(self, kind: Kind, text: str, event: Event, cell: CellRequested | None = None) -> None:
        self.failures.append(text)
        for number, each in enumerate(self._open):
            if each.text == text:
                self._open[number] = each.model_copy(update={"times": each.times + 1})
                return
        failure = _Failure(kind=kind, text=text, event=event.id, at_step=self._step, files=self._files, cell=cell)
        self._open = [*self._open, failure][-_MAX_OPEN:]

    def _resolve(self, failure: _Failure, event: Event) -> None:
        cell = self._latest
        changed = [path for path, text in self._files.items() if failure.files.get(path) != text]
        lesson = Lesson(
            kind=failure.kind,
            failed=failure.text,
            failed_by=failure.event,
            times=failure.times,
            resolved_by=_clipped(cell.purpose) if cell else "a change of script.py",
            proven_by=self._written[changed[-1]] if changed else event.id,
            code=cell.code[:_CODE_CHARS] if cell else "",
            step=self._step_of.get(failure.text),
            steps_lost=max(self._step - failure.at_step, 0),
            change=differences(failure.files, self._files),
        )
        if not any(_is_same(lesson, each) for each in self.lessons):
            self.lessons.append(lesson)


def _is_same(lesson: Lesson, other: Lesson) -> bool:
    return (lesson.failed, lesson.resolved_by, lesson.code, lesson.change) == (
        other.failed,
        other.resolved_by,
        other.code,
        other.change,
    )


def _is_retry(failed: CellRequested | None, cell: CellRequested | None) -> bool:
    """Tell whether a cell tries what another one did that failed."""
    if failed is None or cell is None:
        return False
    pairs = ((failed.purpose, cell.purpose), (failed.code[:_COMPARED_CHARS], cell.code[:_COMPARED_CHARS]))
    return any(SequenceMatcher(None, *pair, autojunk=False).ratio() >= _RETRY_SHARE for pair in pairs)


def _simulation_failure(result: SimulationResult) -> str:
    is_solved_preview = result.verdict == "solved" and result.stability == "untested"
    if result.is_proven or is_solved_preview:
        return ""
    return result.summary_md or f"{result.verdict}, {result.stability}"


def _cell_failure(observation: Observation) -> str:
    """Return the error of a cell, and the findings that it printed before."""
    error = f"{observation.error.type}: {observation.error.message}" if observation.error else "no more is known"
    findings = [line.removeprefix("- ") for line in observation.output.splitlines() if line.startswith("- **")]
    return " ".join([f"{observation.status}: {error}", *findings])


def differences(before: dict[str, str], after: dict[str, str]) -> str:
    """Return the differences between two states of the files, without context lines."""
    lines: list[str] = []
    for path, text in after.items():
        old, new = before.get(path, "").splitlines(), text.splitlines()
        if old != new and len(old) + len(new) > _COMPARED_LINES:
            lines.append(f"{path} changed, with {len(old)} lines before and {len(new)} after: too many to compare")
            continue
        lines += unified_diff(old, new, path, path, lineterm="", n=0)
    more = ["…"] if len(lines) > _CHANGE_LINES else []
    return "\n".join([*lines[:_CHANGE_LINES], *more])


def _clipped(text: str) -> str:
    return one_line(text)[:_TEXT_CHARS]

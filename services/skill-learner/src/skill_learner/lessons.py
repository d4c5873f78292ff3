"""What failed in a run and was then resolved, read from its log."""

from collections.abc import Iterable, Sequence
from difflib import unified_diff
from typing import Literal
from uuid import UUID

from agent.journal.reader import RoleJournal
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignApproved, DesignInvalidated, DesignRejected, DesignValidated
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested
from contracts.events.simulation import SimulationCompleted
from contracts.model import Model
from contracts.models.observation import Observation
from contracts.models.simulation import SimulationResult

from skill_learner.journal_excerpts import passage

Kind = Literal["cell_failed", "preview_failed", "design_invalidated", "design_rejected"]

_TEXT_CHARS = 500
_CODE_CHARS = 1500
_CHANGE_LINES = 24
_MAX_LESSONS = 12


class Lesson(Model):
    """One failure and what resolved it."""

    kind: Kind
    failed: str
    resolved_by: str
    code: str = ""
    """Of the cell after which it worked."""
    step: int | None = None
    """Of the engineer's model call that heard of the failure first."""
    change: str = ""
    """What was changed in the files between failure and success, as a unified diff."""


class _Failure(Model):
    kind: Kind
    text: str
    files: dict[str, str]
    """The files as they were written by then."""


def find_lessons(history: Iterable[Event]) -> tuple[Lesson, ...]:
    """Return every failure of the engineer that was resolved later in the run, once each, in order."""
    reader = _Reader()
    for event in history:
        if isinstance(event, ModelCalled) and event.role == "engineer" and event.purpose == "act":
            reader.tell(event.step)
        reader.read(event)
    return tuple(reader.lessons[:_MAX_LESSONS])


class _Reader:
    def __init__(self) -> None:
        self.lessons: list[Lesson] = []
        self._open: list[_Failure] = []
        self._cells: dict[UUID, CellRequested] = {}
        self._latest: CellRequested | None = None
        self._files: dict[str, str] = {}
        self._heard_at: dict[str, int] = {}

    def tell(self, step: int) -> None:
        """Take it that the engineer hears of what is open at this step, if it has not before."""
        self._heard_at = {each.text: step for each in self._open} | self._heard_at

    def read(self, event: Event) -> None:
        match event:
            case CellRequested(role="engineer") | FileWriteRequested(role="engineer"):
                self._act(event)
            case CellCompleted(role="engineer"):
                self._cell(event)
            case SimulationCompleted(role="engineer"):
                self._judge("preview_failed", _complaint(event.result))
            case DesignInvalidated():
                self._judge("design_invalidated", "; ".join(f"{f.rule} {f.label}: {f.detail}" for f in event.findings))
            case DesignRejected():
                self._judge("design_rejected", event.review_md)
            case DesignValidated():
                self._judge("design_invalidated", "")
            case DesignApproved():
                self._judge("design_rejected", "")
            case _:
                pass

    def _act(self, event: CellRequested | FileWriteRequested) -> None:
        if isinstance(event, FileWriteRequested):
            self._files = {**self._files, event.path: event.text}
        else:
            self._latest = self._cells[event.id] = event

    def _cell(self, event: CellCompleted) -> None:
        if event.causation_id is not None:
            self._latest = self._cells.get(event.causation_id, self._latest)
        seen = event.observation
        if seen.status == "ok":
            self._judge("cell_failed", "")
        else:
            self._judge("cell_failed", _told(seen))

    def _judge(self, kind: Kind, complaint: str) -> None:
        """Open a failure, or close all of its kind when there is no complaint."""
        if complaint:
            failure = _Failure(kind=kind, text=_one_line(complaint), files=self._files)
            if failure.text not in {each.text for each in self._open}:
                self._open.append(failure)
            return
        for failure in [each for each in self._open if each.kind == kind]:
            self._open.remove(failure)
            self._learn(failure)

    def _learn(self, failure: _Failure) -> None:
        cell = self._latest
        lesson = Lesson(
            kind=failure.kind,
            failed=failure.text,
            resolved_by=_one_line(cell.purpose) if cell else "a change of script.py",
            code=cell.code[:_CODE_CHARS] if cell else "",
            step=self._heard_at.get(failure.text),
            change=_change(failure.files, self._files),
        )
        if lesson not in [each.model_copy(update={"step": lesson.step}) for each in self.lessons]:
            self.lessons.append(lesson)


def _complaint(result: SimulationResult) -> str:
    if result.verdict == "solved" and result.stability in {"stable", "untested"}:
        return ""
    return result.summary_md or f"{result.verdict}, {result.stability}"


def _told(seen: Observation) -> str:
    """Say why a cell failed: its error, and the findings that it had printed before."""
    error = f"{seen.error.type}: {seen.error.message}" if seen.error else "no more is known"
    findings = [line.removeprefix("- ") for line in seen.output.splitlines() if line.startswith("- **")]
    return " ".join([f"{seen.status}: {error}", *findings])


def _change(before: dict[str, str], after: dict[str, str]) -> str:
    """Return what differs between two states of the files, without context lines."""
    lines: list[str] = []
    for path, text in after.items():
        lines += unified_diff(before.get(path, "").splitlines(), text.splitlines(), path, path, lineterm="", n=0)
    more = ["…"] if len(lines) > _CHANGE_LINES else []
    return "\n".join([*lines[:_CHANGE_LINES], *more])


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_TEXT_CHARS]


def lessons_markdown(lessons: Sequence[Lesson], journal: RoleJournal) -> str:
    """Write each lesson under its own heading: what failed, what resolved it, what was said, and what was changed."""
    return "\n\n".join(_markdown(number, lesson, journal) for number, lesson in enumerate(lessons, start=1))


def _markdown(number: int, lesson: Lesson, journal: RoleJournal) -> str:
    title = f"### {number}: {lesson.kind.replace('_', ' ')} (`{lesson.kind}`)"
    told = f"{title}\n\n- failed: {lesson.failed}\n- resolved by: {lesson.resolved_by}"
    said = "" if lesson.step is None else passage(journal, lesson.step)
    told += f"\n\n{said}" if said else ""
    told += f"\n\n~~~~python\n{lesson.code.strip()}\n~~~~" if lesson.code else ""
    return told + (f"\n\n~~~~diff\n{lesson.change}\n~~~~" if lesson.change else "")

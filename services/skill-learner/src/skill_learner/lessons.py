"""What failed in a run and was then resolved, read from its log."""

from collections.abc import Iterable, Sequence
from typing import Literal
from uuid import UUID

from contracts.design import DesignApproved, DesignInvalidated, DesignRejected, DesignValidated
from contracts.envelope import Event, Model
from contracts.session import CellCompleted, CellRequested
from contracts.simulation import SimulationCompleted, SimulationResult

Kind = Literal["cell_failed", "preview_failed", "design_invalidated", "design_rejected"]

_TEXT_CHARS = 500
_CODE_CHARS = 1500
_MAX_LESSONS = 12


class Lesson(Model):
    """One failure and what resolved it."""

    kind: Kind
    failed: str
    resolved_by: str
    code: str = ""
    """Of the cell after which it worked."""


class _Failure(Model):
    kind: Kind
    text: str


def find_lessons(history: Iterable[Event]) -> tuple[Lesson, ...]:
    """Return every failure of the engineer that was resolved later in the run, once each, in order."""
    reader = _Reader()
    for event in history:
        reader.read(event)
    return tuple(reader.lessons[:_MAX_LESSONS])


class _Reader:
    def __init__(self) -> None:
        self.lessons: list[Lesson] = []
        self._open: list[_Failure] = []
        self._cells: dict[UUID, CellRequested] = {}
        self._latest: CellRequested | None = None

    def read(self, event: Event) -> None:
        match event:
            case CellRequested(role="engineer"):
                self._latest = self._cells[event.id] = event
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

    def _cell(self, event: CellCompleted) -> None:
        if event.causation_id is not None:
            self._latest = self._cells.get(event.causation_id, self._latest)
        seen = event.observation
        if seen.status == "ok":
            self._judge("cell_failed", "")
        else:
            error = f"{seen.error.type}: {seen.error.message}" if seen.error else "no more is known"
            self._judge("cell_failed", f"{seen.status}: {error}")

    def _judge(self, kind: Kind, complaint: str) -> None:
        """Open a failure, or close all of its kind when there is no complaint."""
        if complaint:
            failure = _Failure(kind=kind, text=_one_line(complaint))
            if failure not in self._open:
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
        )
        if lesson not in self.lessons:
            self.lessons.append(lesson)


def _complaint(result: SimulationResult) -> str:
    if result.verdict == "solved" and result.stability in {"stable", "untested"}:
        return ""
    return result.summary_md or f"{result.verdict}, {result.stability}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_TEXT_CHARS]


def lessons_markdown(lessons: Sequence[Lesson]) -> str:
    """Write each lesson under its own heading: what failed, what resolved it, and the code after which it worked."""
    return "\n\n".join(_markdown(number, lesson) for number, lesson in enumerate(lessons, start=1))


def _markdown(number: int, lesson: Lesson) -> str:
    title = f"### {number}: {lesson.kind.replace('_', ' ')} (`{lesson.kind}`)"
    told = f"{title}\n\n- failed: {lesson.failed}\n- resolved by: {lesson.resolved_by}"
    return told if not lesson.code else f"{told}\n\n~~~~python\n{lesson.code.strip()}\n~~~~"

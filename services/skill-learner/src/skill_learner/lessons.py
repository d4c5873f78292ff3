"""Lessons of a run: what failed and was resolved later, read from its event log and the engineer's journal.

A run's whole record would be too much to read. A journal entry takes a line; only where a failure was resolved the
conversation itself is quoted, at the reply that answered the failure.
"""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import Literal
from uuid import UUID

from agent.journal.entries import entry_line, fenced
from agent.journal.reader import RoleJournal
from agent.journal.timeline import TimelineMessage
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.design import DesignApproved, DesignInvalidated, DesignRejected, DesignValidated
from contracts.events.session import CellCompleted, CellRequested, FileWritten
from contracts.events.simulation import SimulationCompleted
from contracts.model import Model
from contracts.models.observation import Observation
from contracts.models.simulation import SimulationResult
from documents.markdown import one_line

Kind = Literal["cell_failed", "preview_failed", "design_invalidated", "design_rejected"]

MAX_ENTRIES = 30
"""Journal entries in a line each: the first and the last, if there are more."""
QUOTE_CHARS = 900
_TEXT_CHARS = 500
_CODE_CHARS = 1500
_CHANGE_LINES = 24
_COMPARED_LINES = 2000
"""Of both states of a file: the comparison takes up to quadratic time."""
_MAX_LESSONS = 12
_RETRY_SHARE = 0.6
"""Cells whose purposes or beginnings of code agree in this share try the same."""
_COMPARED_CHARS = 600


class Lesson(Model):
    """One failure and what resolved it."""

    kind: Kind
    failed: str
    resolved_by: str
    code: str = ""
    """Of the cell after which it worked."""
    step: int | None = None
    """The engineer's first model call after the failure."""
    change: str = ""
    """How the files changed between failure and success, as a unified diff."""


class _Failure(Model):
    kind: Kind
    text: str
    files: dict[str, str]
    """The files at the time of the failure."""
    cell: CellRequested | None = None
    """The cell that failed."""


def find_lessons(history: Iterable[Event]) -> tuple[Lesson, ...]:
    """Return every failure of the engineer that was resolved later in the run, once each, in order."""
    reader = _Reader()
    for event in history:
        if isinstance(event, ModelCalled) and event.role == "engineer" and event.purpose == "act":
            reader.start_step(event.step)
        reader.read(event)
    return tuple(reader.lessons[:_MAX_LESSONS])


def lessons_markdown(lessons: Sequence[Lesson], journal: RoleJournal) -> str:
    """Return each lesson under its own heading: failure, resolution, reply, code and change."""
    return "\n\n".join(_markdown(number, lesson, journal) for number, lesson in enumerate(lessons, start=1))


def journal_lines(journal: RoleJournal) -> str:
    """Return the entries in a line each, at most `MAX_ENTRIES`."""
    lines = [
        f"- entry {entry.number} ({entry.about}), tokens {entry.from_token} to {entry.to_token}: {entry_line(entry)}"
        for entry in journal.entries
    ]
    half = MAX_ENTRIES // 2
    if len(lines) > MAX_ENTRIES:
        lines = [*lines[:half], f"- … {len(lines) - 2 * half} more …", *lines[-half:]]
    return "\n".join(lines) or "Nothing was written down."


class _Reader:
    """Reads a run event by event and tracks failures that are not resolved yet."""

    def __init__(self) -> None:
        self.lessons: list[Lesson] = []
        self._open: list[_Failure] = []
        self._cells: dict[UUID, CellRequested] = {}
        self._latest: CellRequested | None = None
        self._files: dict[str, str] = {}
        self._step_of: dict[str, int] = {}

    def start_step(self, step: int) -> None:
        """Record that the engineer learns of all open failures at this step, unless it did earlier."""
        self._step_of = {each.text: step for each in self._open} | self._step_of

    def read(self, event: Event) -> None:
        match event:
            case CellRequested(role="engineer"):
                self._latest = self._cells[event.id] = event
            case FileWritten(role="engineer", text=str(text)):
                self._files = {**self._files, event.path: text}
            case CellCompleted(role="engineer"):
                self._complete_cell(event)
            case SimulationCompleted(role="engineer"):
                self._judge("preview_failed", _simulation_failure(event.result))
            case DesignInvalidated() | DesignRejected() | DesignValidated() | DesignApproved():
                self._read_verdict(event)
            case _:
                pass

    def _read_verdict(self, event: DesignInvalidated | DesignRejected | DesignValidated | DesignApproved) -> None:
        match event:
            case DesignInvalidated():
                self._judge("design_invalidated", "; ".join(f"{f.rule} {f.label}: {f.detail}" for f in event.findings))
            case DesignRejected():
                self._judge("design_rejected", event.review_md)
            case DesignValidated():
                self._judge("design_invalidated", "")
            case DesignApproved():
                self._judge("design_rejected", "")

    def _complete_cell(self, event: CellCompleted) -> None:
        """Resolve what this cell did better: the same without that failure, or anything after a change of the files."""
        cell = None if event.causation_id is None else self._cells.get(event.causation_id)
        self._latest = cell or self._latest
        failure_text = "" if event.observation.status == "ok" else _clipped(_cell_failure(event.observation))
        for failure in [each for each in self._open if each.kind == "cell_failed" and each.text != failure_text]:
            if _is_retry(failure.cell, cell) or (not failure_text and failure.files != self._files):
                self._open.remove(failure)
                self._resolve(failure)
        if failure_text:
            self._open_failure("cell_failed", failure_text, cell)

    def _judge(self, kind: Kind, failure_text: str) -> None:
        """Open a failure; without a text, resolve all open ones of this kind."""
        if failure_text:
            self._open_failure(kind, _clipped(failure_text))
            return
        for failure in [each for each in self._open if each.kind == kind]:
            self._open.remove(failure)
            self._resolve(failure)

    def _open_failure(self, kind: Kind, text: str, cell: CellRequested | None = None) -> None:
        if text not in {each.text for each in self._open}:
            self._open.append(_Failure(kind=kind, text=text, files=self._files, cell=cell))

    def _resolve(self, failure: _Failure) -> None:
        cell = self._latest
        lesson = Lesson(
            kind=failure.kind,
            failed=failure.text,
            resolved_by=_clipped(cell.purpose) if cell else "a change of script.py",
            code=cell.code[:_CODE_CHARS] if cell else "",
            step=self._step_of.get(failure.text),
            change=differences(failure.files, self._files),
        )
        if lesson not in [each.model_copy(update={"step": lesson.step}) for each in self.lessons]:
            self.lessons.append(lesson)


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


def _markdown(number: int, lesson: Lesson, journal: RoleJournal) -> str:
    title = f"### {number}: {lesson.kind.replace('_', ' ')} (`{lesson.kind}`)"
    parts = [title, f"- failed: {lesson.failed}\n- resolved by: {lesson.resolved_by}"]
    if lesson.step is not None and (quote := _quoted_reply(journal, lesson.step)):
        parts.append(quote)
    if lesson.code:
        parts.append(f"~~~~python\n{lesson.code.strip()}\n~~~~")
    if lesson.change:
        parts.append(f"~~~~diff\n{lesson.change}\n~~~~")
    return "\n\n".join(parts)


def _quoted_reply(journal: RoleJournal, step: int) -> str:
    """Return the engineer's reply at a step with its place in the journal; empty if the record lacks it."""
    found = [each for each in journal.timeline.messages if each.step == step and each.message.author == "assistant"]
    if not found or not found[0].message.text.strip():
        return ""
    reply = found[0]
    text = reply.message.text.strip()
    more = " …" if len(text) > QUOTE_CHARS else ""
    position = f"tokens {reply.from_token} to {reply.to_token}, {_entry_of(journal, reply)}"
    return f"The engineer replied ({position}):\n\n{fenced(text[:QUOTE_CHARS] + more)}"


def _entry_of(journal: RoleJournal, reply: TimelineMessage) -> str:
    numbers = [entry.number for entry in journal.entries if entry.from_token <= reply.from_token < entry.to_token]
    return f"entry {numbers[0]} of the journal" if numbers else "which no entry of the journal covers"

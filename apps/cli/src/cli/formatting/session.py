"""Kernels, cells and files."""

from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
    SessionClosed,
    SessionFailed,
    SessionOpened,
    SessionRequested,
)
from contracts.models.submission import Refusal, Submission

from cli.formatting.event_line import EventLine, Severity, describe
from cli.formatting.phrases import words
from cli.text import headline


@describe.register
def _(_event: SessionRequested) -> EventLine:
    return EventLine("a kernel is wanted", "quiet")


@describe.register
def _(event: SessionOpened) -> EventLine:
    return EventLine(f"kernel ready in {event.ready_s:.1f} s, {len(event.files)} files in the workspace", "good")


@describe.register
def _(event: SessionFailed) -> EventLine:
    return EventLine(f"no kernel ({words(event.reason)}): {event.detail}", "bad")


@describe.register
def _(event: SessionClosed) -> EventLine:
    return EventLine(f"kernel closed: {words(event.reason)}", "quiet")


@describe.register
def _(event: CellRequested) -> EventLine:
    return EventLine(f"cell: {event.purpose}")


@describe.register
def _(event: CellCompleted) -> EventLine:
    seen = event.observation
    if seen.error is not None:
        line = f" in line {seen.error.line}" if seen.error.line else ""
        return EventLine(f"cell {seen.status}: {seen.error.type}{line}: {seen.error.message}", "bad")
    match event.ending:
        case Submission():
            return EventLine(f"cell done in {seen.elapsed_s:.1f} s: submitted for review", "good")
        case Refusal(proof=proof):
            return EventLine(f"cell refuses the plan: {proof}", "bad")
        case None:
            mood: Severity = "good" if seen.status == "ok" else "bad"
            return EventLine(f"cell {seen.status} in {seen.elapsed_s:.1f} s: {headline(seen.output)}", mood)


@describe.register
def _(event: FileWriteRequested) -> EventLine:
    return EventLine(f"write {event.path}, {len(event.text.splitlines())} lines", "quiet")


@describe.register
def _(event: FileEditRequested) -> EventLine:
    return EventLine(f"edit {event.path}", "quiet")


@describe.register
def _(event: FileViewRequested) -> EventLine:
    return EventLine(f"view {event.path}", "quiet")


@describe.register
def _(event: FileWritten) -> EventLine:
    if not event.findings:
        return EventLine(f"wrote {event.path}, {event.size_bytes} bytes", "good")
    first = event.findings[0]
    return EventLine(
        f"wrote {event.path}, {len(event.findings)} lint findings: line {first.line}: {first.message}", "bad"
    )


@describe.register
def _(event: FileViewed) -> EventLine:
    return EventLine(f"viewed {event.path}, {len(event.text.splitlines())} of {event.total_lines} lines", "quiet")


@describe.register
def _(event: FileRefused) -> EventLine:
    return EventLine(f"{event.path} refused ({words(event.reason)}): {event.detail}", "bad")

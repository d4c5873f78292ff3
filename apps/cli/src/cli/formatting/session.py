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

from cli.formatting.event_line import Gist, Mood, tell
from cli.formatting.phrases import words
from cli.text import headline


@tell.register
def _(_event: SessionRequested) -> Gist:
    return Gist("a kernel is wanted", "quiet")


@tell.register
def _(event: SessionOpened) -> Gist:
    return Gist(f"kernel ready in {event.ready_s:.1f} s, {len(event.files)} files in the workspace", "good")


@tell.register
def _(event: SessionFailed) -> Gist:
    return Gist(f"no kernel ({words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: SessionClosed) -> Gist:
    return Gist(f"kernel closed: {words(event.reason)}", "quiet")


@tell.register
def _(event: CellRequested) -> Gist:
    return Gist(f"cell: {event.purpose}")


@tell.register
def _(event: CellCompleted) -> Gist:
    seen = event.observation
    if seen.error is not None:
        line = f" in line {seen.error.line}" if seen.error.line else ""
        return Gist(f"cell {seen.status}: {seen.error.type}{line}: {seen.error.message}", "bad")
    match event.ending:
        case Submission():
            return Gist(f"cell done in {seen.elapsed_s:.1f} s: submitted for review", "good")
        case Refusal(proof=proof):
            return Gist(f"cell refuses the plan: {proof}", "bad")
        case None:
            mood: Mood = "good" if seen.status == "ok" else "bad"
            return Gist(f"cell {seen.status} in {seen.elapsed_s:.1f} s: {headline(seen.output)}", mood)


@tell.register
def _(event: FileWriteRequested) -> Gist:
    return Gist(f"write {event.path}, {len(event.text.splitlines())} lines", "quiet")


@tell.register
def _(event: FileEditRequested) -> Gist:
    return Gist(f"edit {event.path}", "quiet")


@tell.register
def _(event: FileViewRequested) -> Gist:
    return Gist(f"view {event.path}", "quiet")


@tell.register
def _(event: FileWritten) -> Gist:
    if not event.findings:
        return Gist(f"wrote {event.path}, {event.size_bytes} bytes", "good")
    first = event.findings[0]
    return Gist(f"wrote {event.path}, {len(event.findings)} lint findings: line {first.line}: {first.message}", "bad")


@tell.register
def _(event: FileViewed) -> Gist:
    return Gist(f"viewed {event.path}, {len(event.text.splitlines())} of {event.total_lines} lines", "quiet")


@tell.register
def _(event: FileRefused) -> Gist:
    return Gist(f"{event.path} refused ({words(event.reason)}): {event.detail}", "bad")

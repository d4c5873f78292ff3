"""Files between engineer and its workspace: what is requested, and how the answer reads."""

from agent.loop.role import StepEvents
from contracts.envelope import Request
from contracts.events.session import (
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
)
from contracts.models.observation import LintFinding

from engineer.action import EditFile, FileTool, ViewFile, WriteFile

MAX_FINDINGS = 12
"""Lint findings told at once: the first ones mostly cause the rest."""


def file_request(wanted: FileTool, pen: StepEvents) -> Request:
    """Return the request for what a tool call wants."""
    match wanted:
        case ViewFile(path=path, from_line=first, to_line=last):
            return pen.next(FileViewRequested, path=path, from_line=first, to_line=last)
        case EditFile(path=path, old_text=old_text, new_text=new_text):
            return pen.next(FileEditRequested, path=path, old_text=old_text, new_text=new_text)
        case WriteFile(path=path, text=text):
            return pen.next(FileWriteRequested, path=path, text=text)


def deed(wanted: FileTool) -> str:
    """Say in two words what is to be done, for the journal."""
    match wanted:
        case ViewFile():
            return f"view {wanted.path}"
        case EditFile():
            return f"edit {wanted.path}"
        case WriteFile():
            return f"write {wanted.path}"


def file_answer(event: FileWritten | FileViewed | FileRefused, tool: str) -> str:
    """Return what the model reads of what came of its call of a tool."""
    match event:
        case FileRefused():
            done = "shown" if tool == "view_file" else "written"
            return f"`{event.path}` was not {done} ({event.reason}): {event.detail}"
        case FileViewed():
            return _shown(event)
        case FileWritten():
            parts = [f"`{event.path}` is written ({event.size_bytes} bytes)."]
            if event.findings:
                parts.append(_linted(event.findings))
            if event.lint_note:
                parts.append(f"Not checked in full: {event.lint_note}.")
            return "\n\n".join(parts)


def _shown(event: FileViewed) -> str:
    lines = event.text.splitlines()
    last = event.from_line + len(lines) - 1
    if not lines:
        return f"`{event.path}` is empty."
    head = f"`{event.path}`, lines {event.from_line} to {last} of {event.total_lines}:"
    width = len(str(last))
    body = "\n".join(f"{number:{width}d}| {line}" for number, line in enumerate(lines, start=event.from_line))
    more = f"\n\nGo on with `from_line={last + 1}`." if last < event.total_lines else ""
    return f"{head}\n\n{body}{more}"


def _linted(findings: tuple[LintFinding, ...]) -> str:
    lines = [
        f"- line {each.line}, column {each.column}: {each.message} ({each.tool} {each.rule})"
        for each in findings[:MAX_FINDINGS]
    ]
    if len(findings) > MAX_FINDINGS:
        lines.append(f"- and {len(findings) - MAX_FINDINGS} more")
    return "The check of the text found:\n" + "\n".join(lines)

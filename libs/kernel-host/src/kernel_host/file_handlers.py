"""Handlers of the file tools: view, write and edit files of a session's workspace.

A written Python file is linted; todo.md and journal.md must keep their form. The texts are an agent's, so they are read
and searched in threads: the worker's event loop serves other sessions meanwhile.
"""

import asyncio
from functools import partial
from hashlib import sha256
from pathlib import PurePosixPath

from contracts.envelope import answering
from contracts.events.session import (
    FileEditRequested,
    FileRefusalReason,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
)
from documents.workspace_files import canonical_text
from documents.workspaces.archive import MAX_FILE_BYTES
from kernel.workspace_template import may_write

from kernel_host.linting.ruff import LintReport, lint
from kernel_host.producer import PRODUCER
from kernel_host.sessions.document_checks import problem_of_write
from kernel_host.sessions.workspace import FileProblem, Workspace

MAX_VIEWED_LINES = 400
MAX_VIEWED_CHARS = 16_000
MAX_LISTED_MATCHES = 10


async def write_file(request: FileWriteRequested, workspace: Workspace) -> FileWritten | FileRefused:
    """Write a whole file."""
    return await _write(request, request.text, workspace)


async def edit_file(request: FileEditRequested, workspace: Workspace) -> FileWritten | FileRefused:
    """Replace the only occurrence of a text; refuse if there is none, or several."""
    edited = await asyncio.to_thread(_edited, workspace, request)
    return edited if isinstance(edited, FileRefused) else await _write(request, edited, workspace)


async def view_file(request: FileViewRequested, workspace: Workspace) -> FileViewed | FileRefused:
    """Return lines of any file, up to a limit."""
    return await asyncio.to_thread(_view, request, workspace)


def _edited(workspace: Workspace, request: FileEditRequested) -> str | FileRefused:
    """Return the edited text."""
    text = workspace.read(request.path)
    if isinstance(text, FileProblem):
        return _refused(request, text.reason, text.detail)
    matches = text.count(request.old_text) if request.old_text else 0
    if matches == 0:
        return _refused(request, "not_found", _no_match(text, request))
    if matches > 1:
        return _refused(request, "not_unique", _several_matches(text, request, matches))
    return text.replace(request.old_text, request.new_text)


def _view(request: FileViewRequested, workspace: Workspace) -> FileViewed | FileRefused:
    text = workspace.read(request.path)
    if isinstance(text, FileProblem):
        return _refused(request, text.reason, text.detail)
    lines = text.splitlines(keepends=True)
    first, last = request.from_line or 1, request.to_line or len(lines)
    if first > max(last, 1) or first > max(len(lines), 1):
        detail = f"{request.path} has {len(lines)} lines; there are none from {first} to {last}"
        return _refused(request, "empty_range", detail)
    shown = "".join(lines[first - 1 : min(last, first - 1 + MAX_VIEWED_LINES)])
    return FileViewed(
        **answering(request, PRODUCER),
        path=request.path,
        text=shown[:MAX_VIEWED_CHARS],
        from_line=first,
        total_lines=len(lines),
    )


async def _write(
    request: FileWriteRequested | FileEditRequested, text: str, workspace: Workspace
) -> FileWritten | FileRefused:
    text = canonical_text(request.path, text)
    size_bytes = await asyncio.to_thread(_written, request, text, workspace)
    if isinstance(size_bytes, FileRefused):
        return size_bytes
    report = LintReport()
    if request.path.endswith(".py"):
        report = await lint(request.path, text, partial(_other_module, workspace, request.path))
    return FileWritten(
        **answering(request, PRODUCER),
        path=request.path,
        size_bytes=size_bytes,
        sha256=sha256(text.encode()).hexdigest(),
        text=text,
        findings=report.findings,
        lint_note=report.note,
    )


def _written(request: FileWriteRequested | FileEditRequested, text: str, workspace: Workspace) -> int | FileRefused:
    """Write the file and return its size."""
    if not may_write(request.role):
        detail = f"{request.path} is read-only for the {request.role}; try things in cells"
        return _refused(request, "read_only", detail)
    if problem := problem_of_write(workspace, request.path, text):
        return _refused(request, "malformed", problem)
    size_bytes = workspace.write(request.path, text)
    if isinstance(size_bytes, FileProblem):
        return _refused(request, size_bytes.reason, size_bytes.detail)
    return size_bytes


def _refused(
    request: FileWriteRequested | FileEditRequested | FileViewRequested, reason: FileRefusalReason, detail: str
) -> FileRefused:
    return FileRefused(**answering(request, PRODUCER), path=request.path, reason=reason, detail=detail)


def _other_module(workspace: Workspace, written: str, path: str) -> str | None:
    """Return the text of another Python file of the agent's, which the written one may import."""
    if path == written or PurePosixPath(path).parts[0] == "utils":
        return None
    try:
        return workspace.read_bytes(path, MAX_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError):  # no such file, or not a readable one
        return None


def _no_match(text: str, request: FileEditRequested) -> str:
    """Return why the old text is not in the file, with the line where it may begin."""
    if not request.old_text:
        return "old_text is empty; give the lines to be replaced, or write the whole file"
    old_lines = [line.strip() for line in request.old_text.splitlines() if line.strip()]
    for number, line in enumerate(text.splitlines(), start=1):
        if old_lines and line.strip() == old_lines[0]:
            return f"old_text is not in {request.path}; line {number} begins like it: compare blanks and the next lines"
    return f"old_text is not in {request.path}; view the file and copy its lines exactly"


def _several_matches(text: str, request: FileEditRequested, matches: int) -> str:
    lines: list[str] = []
    line, place = 1, 0
    while len(lines) < MAX_LISTED_MATCHES and (found := text.find(request.old_text, place)) >= 0:
        line += text.count("\n", place, found)
        lines.append(str(line))
        place = found + len(request.old_text)
        line += request.old_text.count("\n")
    occurrences = f"old_text occurs {matches} times in {request.path} (lines {', '.join(lines)})"
    return f"{occurrences}; add lines around it until it is unique"

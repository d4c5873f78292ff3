"""Handlers of the file tools: view, write and edit files of a session's workspace.

A written Python file is linted; todo.md and journal.md must keep their form.
"""

from hashlib import sha256
from pathlib import PurePosixPath

from contracts.events.session import (
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
)
from kernel.workspace_template import may_write

from cad_worker.linting.ruff import LintReport, lint
from cad_worker.sessions.document_checks import problem_of_write
from cad_worker.sessions.workspace import FileProblem, Workspace

PRODUCER = "cad-worker"
MAX_VIEWED_LINES = 400
MAX_VIEWED_CHARS = 16_000
MAX_LISTED_MATCHES = 10


async def write_file(request: FileWriteRequested, workspace: Workspace) -> FileWritten | FileRefused:
    """Write a whole file."""
    return await _write(request, request.text, workspace)


async def edit_file(request: FileEditRequested, workspace: Workspace) -> FileWritten | FileRefused:
    """Replace the only occurrence of a text; refuse if there is none, or several."""
    text = workspace.read(request.path)
    if isinstance(text, FileProblem):
        return _refused(request, text.reason, text.detail)
    matches = text.count(request.old_text) if request.old_text else 0
    if matches == 0:
        return _refused(request, "not_found", _no_match(text, request))
    if matches > 1:
        return _refused(request, "not_unique", _several_matches(text, request))
    return await _write(request, text.replace(request.old_text, request.new_text), workspace)


async def view_file(request: FileViewRequested, workspace: Workspace) -> FileViewed | FileRefused:
    """Return lines of any file, up to a limit."""
    text = workspace.read(request.path)
    if isinstance(text, FileProblem):
        return _refused(request, text.reason, text.detail)
    lines = text.splitlines(keepends=True)
    first, last = request.from_line or 1, request.to_line or len(lines)
    if first > max(last, 1) or first > max(len(lines), 1):
        detail = f"{request.path} has {len(lines)} lines; there are none from {first} to {last}"
        return _refused(request, "empty_range", detail)
    shown = "".join(lines[first - 1 : min(last, first - 1 + MAX_VIEWED_LINES)])
    return FileViewed.answering(
        request,
        PRODUCER,
        path=request.path,
        text=shown[:MAX_VIEWED_CHARS],
        from_line=first,
        total_lines=len(lines),
    )


async def _write(
    request: FileWriteRequested | FileEditRequested, text: str, workspace: Workspace
) -> FileWritten | FileRefused:
    if not may_write(request.role):
        detail = f"{request.path} is read-only for the {request.role}; try things in cells"
        return _refused(request, "read_only", detail)
    if problem := problem_of_write(workspace, request.path, text):
        return _refused(request, "malformed", problem)
    size_bytes = workspace.write(request.path, text)
    if isinstance(size_bytes, FileProblem):
        return _refused(request, size_bytes.reason, size_bytes.detail)
    report = LintReport()
    if request.path.endswith(".py"):
        report = await lint(request.path, text, _other_modules(workspace, request.path))
    return FileWritten.answering(
        request,
        PRODUCER,
        path=request.path,
        size_bytes=size_bytes,
        sha256=sha256(text.encode()).hexdigest(),
        text=text,
        findings=report.findings,
        lint_note=report.note,
    )


def _refused(
    request: FileWriteRequested | FileEditRequested | FileViewRequested, reason: str, detail: str
) -> FileRefused:
    return FileRefused.answering(request, PRODUCER, path=request.path, reason=reason, detail=detail)


def _other_modules(workspace: Workspace, excluded: str) -> dict[str, str]:
    """Return the agent's other Python files, which the written one may import: text by path."""
    own = [path for path in workspace.files() if path.endswith(".py") and PurePosixPath(path).parts[0] != "utils"]
    texts = {path: workspace.read(path) for path in own if path != excluded}
    return {path: text for path, text in texts.items() if isinstance(text, str)}


def _no_match(text: str, request: FileEditRequested) -> str:
    """Return why the old text is not in the file, with the line where it may begin."""
    if not request.old_text:
        return "old_text is empty; give the lines to be replaced, or write the whole file"
    old_lines = [line.strip() for line in request.old_text.splitlines() if line.strip()]
    for number, line in enumerate(text.splitlines(), start=1):
        if old_lines and line.strip() == old_lines[0]:
            return f"old_text is not in {request.path}; line {number} begins like it: compare blanks and the next lines"
    return f"old_text is not in {request.path}; view the file and copy its lines exactly"


def _several_matches(text: str, request: FileEditRequested) -> str:
    lines: list[str] = []
    start = text.find(request.old_text)
    while start >= 0:
        lines.append(str(text.count("\n", 0, start) + 1))
        start = text.find(request.old_text, start + len(request.old_text))
    listed = ", ".join(lines[:MAX_LISTED_MATCHES])
    occurrences = f"old_text occurs {len(lines)} times in {request.path} (lines {listed})"
    return f"{occurrences}; add lines around it until it is unique"

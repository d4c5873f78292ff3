"""Files of a session's workspace: shown, written, edited in one place.

What is written is linted; todo.md and journal.md must keep their form.
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

MAX_SHOWN_LINES = 400
MAX_SHOWN_CHARS = 16_000

Written = FileWritten | FileRefused


async def write_file(request: FileWriteRequested, workspace: Workspace) -> Written:
    """Write a whole file of the agent into its workspace."""
    return await _written(request, request.text, workspace)


async def edit_file(request: FileEditRequested, workspace: Workspace) -> Written:
    """Replace the one place where the old text stands, to the last blank; refuse if there is none, or several."""
    text = workspace.read(request.path)
    if isinstance(text, FileProblem):
        return _refused(request, text)
    times = text.count(request.old_text) if request.old_text else 0
    if times != 1:
        reason = "not_unique" if times > 1 else "not_found"
        detail = _misses(text, request) if times == 0 else _ambiguous(text, request)
        return FileRefused.answering(request, "cad-worker", path=request.path, reason=reason, detail=detail)
    return await _written(request, text.replace(request.old_text, request.new_text), workspace)


async def view_file(request: FileViewRequested, workspace: Workspace) -> FileViewed | FileRefused:
    """Return lines of a file, whoever wrote it; as many as anybody reads at once."""
    text = workspace.read(request.path)
    if isinstance(text, FileProblem):
        return _refused(request, text)
    lines = text.splitlines(keepends=True)
    first, last = request.from_line or 1, request.to_line or len(lines)
    if first > max(last, 1) or first > max(len(lines), 1):
        detail = f"{request.path} has {len(lines)} lines; there are none from {first} to {last}"
        return FileRefused.answering(request, "cad-worker", path=request.path, reason="empty_range", detail=detail)
    shown = "".join(lines[first - 1 : min(last, first - 1 + MAX_SHOWN_LINES)])
    return FileViewed.answering(
        request,
        "cad-worker",
        path=request.path,
        text=shown[:MAX_SHOWN_CHARS],
        from_line=first,
        total_lines=len(lines),
    )


async def _written(request: FileWriteRequested | FileEditRequested, text: str, workspace: Workspace) -> Written:
    if not may_write(request.role, request.path):
        detail = f"{request.path} is read-only for the {request.role}; what it tries stands in cells"
        return FileRefused.answering(request, "cad-worker", path=request.path, reason="read_only", detail=detail)
    if problem := problem_of_write(workspace, request.path, text):
        return FileRefused.answering(request, "cad-worker", path=request.path, reason="malformed", detail=problem)
    size_bytes = workspace.write(request.path, text)
    if isinstance(size_bytes, FileProblem):
        return _refused(request, size_bytes)
    report = LintReport()
    if request.path.endswith(".py"):
        report = await lint(request.path, text, _modules(workspace, request.path))
    return FileWritten.answering(
        request,
        "cad-worker",
        path=request.path,
        size_bytes=size_bytes,
        sha256=sha256(text.encode()).hexdigest(),
        text=text,
        findings=report.findings,
        lint_note=report.note,
    )


def _modules(workspace: Workspace, but: str) -> dict[str, str]:
    """Return the agent's other modules by path: what the file may import."""
    own = [path for path in workspace.files() if path.endswith(".py") and PurePosixPath(path).parts[0] != "utils"]
    texts = {path: workspace.read(path) for path in own if path != but}
    return {path: text for path, text in texts.items() if isinstance(text, str)}


def _refused(request: FileWriteRequested | FileEditRequested | FileViewRequested, problem: FileProblem) -> FileRefused:
    return FileRefused.answering(request, "cad-worker", path=request.path, reason=problem.reason, detail=problem.detail)


def _misses(text: str, request: FileEditRequested) -> str:
    """Say why the old text is not there, with the place where it nearly is."""
    if not request.old_text:
        return "old_text is empty; give the lines to be replaced, or write the whole file"
    wanted = [line.strip() for line in request.old_text.splitlines() if line.strip()]
    for number, line in enumerate(text.splitlines(), start=1):
        if wanted and line.strip() == wanted[0]:
            return f"old_text is not in {request.path}; line {number} begins like it: compare blanks and what follows"
    return f"old_text is not in {request.path}; look at the file and copy the lines as they stand"


def _ambiguous(text: str, request: FileEditRequested) -> str:
    lines: list[str] = []
    place = text.find(request.old_text)
    while place >= 0:
        lines.append(str(text.count("\n", 0, place) + 1))
        place = text.find(request.old_text, place + len(request.old_text))
    where = ", ".join(lines[:10])
    return (
        f"old_text stands {len(lines)} times in {request.path} (lines {where}); add lines around it until it is unique"
    )

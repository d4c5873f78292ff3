"""todo.md and journal.md keep their form, whether a file tool writes them or code in a cell does.

A tool's write is refused before it stands. A cell has written already when anybody can look, so what it spoilt is put
back to what stood there before the cell; the place for that is the session itself, since cells also run when a lost
kernel is brought back, and must then leave the same files behind.
"""

from collections.abc import Mapping

from documents.agent_files import AGENT_FILES, check_text
from documents.problems import DocumentError

from cad_worker.sessions.workspace import FileProblem, Workspace


def problem_of_write(workspace: Workspace, path: str, text: str) -> str:
    """Return why a text must not stand at this path, or nothing."""
    before = workspace.read(path)
    return _problem(path, before if isinstance(before, str) else None, text)


def well_formed_documents(workspace: Workspace) -> dict[str, str]:
    """Return the documents that keep their form, by path: what `put_back` goes back to."""
    texts = {path: workspace.read(path) for path in AGENT_FILES}
    return {path: text for path, text in texts.items() if isinstance(text, str) and not _problem(path, None, text)}


def restore_documents(workspace: Workspace, before: Mapping[str, str]) -> tuple[str, ...]:
    """Put back each document that lost its form, or what was agreed; return what is to be said of it."""
    remarks: list[str] = []
    for path, text in before.items():
        now = workspace.read(path)
        why = now.detail if isinstance(now, FileProblem) else _problem(path, text, now)
        if not why:
            continue
        again = workspace.write(path, text)
        done = f"could not be put back: {again.detail}" if isinstance(again, FileProblem) else "stands as before"
        remarks.append(f"{path} {done}, since the cell spoilt it: {why}")
    return tuple(remarks)


def _problem(path: str, before: str | None, after: str) -> str:
    try:
        check_text(path, before, after)
    except DocumentError as error:
        return str(error)
    return ""

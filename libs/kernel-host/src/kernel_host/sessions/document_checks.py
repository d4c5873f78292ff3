"""Checks of todo.md and journal.md, which must keep their form whether a file tool or a cell writes them.

What is clear is written in the canonical form; the rest is refused.

A file tool's write is refused before it happens. A cell's write is only visible afterwards, so the session restores the
document to its state before the cell, also when the cell runs again in the replay of a lost kernel.
"""

from collections.abc import Mapping

from documents.parser import DocumentError
from documents.workspace_files import VALIDATED_FILES, canonical_text, check_file

from kernel_host.sessions.workspace import FileProblem, Workspace


def problem_of_write(workspace: Workspace, path: str, text: str) -> str:
    """Return why a text must not be written to this path, or an empty text."""
    before = workspace.read(path)
    return _problem(path, before if isinstance(before, str) else None, text)


def well_formed_documents(workspace: Workspace) -> dict[str, str]:
    """Return the texts of the well-formed documents, by path."""
    return {path: text for path, text in documents_of(workspace).items() if not _problem(path, None, text)}


def documents_of(workspace: Workspace) -> dict[str, str]:
    """Return the texts of TODO list and journal, by path, as far as they can be read."""
    texts = {path: workspace.read(path) for path in VALIDATED_FILES}
    return {path: text for path, text in texts.items() if isinstance(text, str)}


def restore_documents(workspace: Workspace, before: Mapping[str, str]) -> tuple[str, ...]:
    """Restore each document whose form, or whose agreed content, is lost; return a remark for each."""
    remarks: list[str] = []
    for path, text in before.items():
        now = workspace.read(path)
        if isinstance(now, str) and not _problem(path, text, canonical := canonical_text(path, now)):
            if canonical != now:
                workspace.write(path, canonical)
            continue
        why = now.detail if isinstance(now, FileProblem) else _problem(path, text, now)
        restored = workspace.write(path, text)
        state = f"could not be restored: {restored.detail}" if isinstance(restored, FileProblem) else "was restored"
        remarks.append(f"{path} {state}, since the cell spoilt it: {why}")
    return tuple(remarks)


def _problem(path: str, before: str | None, after: str) -> str:
    try:
        check_file(path, before, after)
    except DocumentError as error:
        return str(error)
    return ""

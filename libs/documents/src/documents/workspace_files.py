"""Validation of the documents that agents write in their workspace: todo.md and journal.md."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Generic, TypeVar

from documents import journal, todo
from documents.drafts.journal import canonical_journal
from documents.drafts.todo import canonical_todo
from documents.parser import DocumentError

_Document = TypeVar("_Document")


@dataclass(frozen=True)
class _Validator(Generic[_Document]):
    read: Callable[[str], _Document]
    check_change: Callable[[_Document, _Document], None]

    def check(self, before: str | None, after: str) -> None:
        new = self.read(after)
        old = self._read_if_valid(before)
        if old is not None:
            self.check_change(old, new)

    def _read_if_valid(self, text: str | None) -> _Document | None:
        """Return the former document; None if there was none, or it was malformed and thus restricts no change."""
        try:
            return None if text is None else self.read(text)
        except DocumentError:
            return None


_VALIDATORS = {
    "todo.md": _Validator(todo.read_todo, todo.check_change),
    "journal.md": _Validator(journal.read_journal, journal.check_change),
}
_CANONICAL: Mapping[str, Callable[[str], str]] = {"todo.md": canonical_todo, "journal.md": canonical_journal}
VALIDATED_FILES = tuple(_VALIDATORS)
"""Paths in a workspace."""


def canonical_text(path: str, text: str) -> str:
    """Return a validated file in its canonical form as far as it is clear; one that has it, or another, as it is."""
    canonical = _CANONICAL.get(PurePosixPath(path).as_posix())
    if canonical is None:
        return text
    try:
        check_file(path, None, text)
    except DocumentError:
        return canonical(text)
    return text


def check_file(path: str, before: str | None, after: str) -> None:
    """Raise `DocumentError` if a validated file must not change from `before` to `after`; other paths always may."""
    validator = _VALIDATORS.get(PurePosixPath(path).as_posix())
    if validator is not None:
        validator.check(before, after)

"""The documents that an agent writes itself and must keep in their form: todo.md and journal.md."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Generic, TypeVar

from documents import journal, todo
from documents.problems import DocumentError

_Document = TypeVar("_Document")


@dataclass(frozen=True)
class _Kind(Generic[_Document]):
    read: Callable[[str], _Document]
    check_change: Callable[[_Document, _Document], None]

    def check(self, before: str | None, after: str) -> None:
        """Raise `DocumentError` if the text is malformed, or says what must not be said after `before`."""
        document = self.read(after)
        if before is not None and (was := self._well_formed(before)) is not None:
            self.check_change(was, document)

    def _well_formed(self, text: str) -> _Document | None:
        """Return what a text says; None for one from before there was a form: it binds nobody."""
        try:
            return self.read(text)
        except DocumentError:
            return None


_KINDS = {
    "todo.md": _Kind(todo.read_todo, todo.check_change),
    "journal.md": _Kind(journal.read_journal, journal.check_change),
}
AGENT_FILES = tuple(_KINDS)
"""Their paths in a workspace."""


def check_text(path: str, before: str | None, after: str) -> None:
    """Raise `DocumentError` if a text must not stand at this path of a workspace; `before` is what stood there."""
    kind = _KINDS.get(PurePosixPath(path).as_posix())
    if kind is not None:
        kind.check(before, after)

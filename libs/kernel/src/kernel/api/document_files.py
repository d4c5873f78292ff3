"""`todo` and `journal` of a kernel: todo.md and journal.md as objects.

They write only valid documents and make only legal changes (see `documents.todo` and `documents.journal`).
"""

from collections.abc import Sequence
from pathlib import Path

from documents import journal as journals
from documents import todo as todos
from documents.journal import JournalEntry
from documents.markdown import one_line
from documents.parser import DocumentError
from documents.todo import TodoItem
from documents.workspace_files import canonical_text

SHOWN_ENTRIES = 3


class UnknownItemError(KeyError):
    """The list has no such item; the message lists its items."""

    def __str__(self) -> str:
        """Return the message without the quotes of a `KeyError`."""
        return str(self.args[0])


class TodoFile:
    """The list in todo.md. `todo.items` shows it, `todo.check("T1")` marks an item as done."""

    def __init__(self, file: Path) -> None:
        """The file is read at each access."""
        self._file = file

    @property
    def items(self) -> tuple[TodoItem, ...]:
        """The items of the file; raises `DocumentError` if it is malformed."""
        return self._read().items

    def check(self, item_id: str) -> None:
        """Mark an item as done; raise `UnknownItemError`, or `DocumentError` for a dropped one."""
        self._change(item_id, {"state": "done", "reason": None})

    def uncheck(self, item_id: str) -> None:
        """Mark an item as open again; raise as `check` does."""
        self._change(item_id, {"state": "open", "reason": None})

    def drop(self, item_id: str, reason: str) -> None:
        """Drop an open item for good, with the reason; raise as `check` does."""
        self._change(item_id, {"state": "dropped", "reason": _required("reason", reason)})

    def add(self, text: str) -> str:
        """Add an item at the end and return its id."""
        items = self.items
        item = TodoItem(number=len(items) + 1, text=_required("text", text))
        self._write(todos.Todo(items=(*items, item)))
        return item.id

    def __repr__(self) -> str:
        """Show the list and how to change it."""
        usage = 'todo.check("T1") marks an item as done, todo.drop("T1", reason) drops it, todo.add(text) adds one'
        try:
            return "\n".join([*(item.line for item in self.items), usage])
        except (DocumentError, OSError) as error:
            return str(error)

    def _change(self, item_id: str, update: dict[str, str | None]) -> None:
        before = self._read()
        if item_id not in (item.id for item in before.items):
            known = ", ".join(item.id for item in before.items)
            raise UnknownItemError(f"todo.md has no item {item_id!r}; it has {known}")
        items = [
            TodoItem.model_validate({**item.model_dump(), **update}) if item.id == item_id else item
            for item in before.items
        ]
        after = todos.Todo(items=tuple(items))
        todos.check_change(before, after)
        self._write(after)

    def _read(self) -> todos.Todo:
        return todos.read_todo(canonical_text("todo.md", self._file.read_text(encoding="utf-8")))

    def _write(self, todo: todos.Todo) -> None:
        self._file.write_text(todo.markdown(), encoding="utf-8")


class JournalFile:
    """The journal in journal.md. `journal.add(intent, result, reflection, next_step)` writes an entry."""

    def __init__(self, file: Path) -> None:
        """The file is read at each access."""
        self._file = file

    def add(  # noqa: PLR0913, PLR0917 - the lines of an entry
        self,
        intent: str,
        result: str,
        reflection: str,
        next_step: str,
        film: str | None = None,
        frames: Sequence[str] = (),
    ) -> None:
        """Add an entry: what you tried, the result, what it means, and the next step.

        After a simulation also what its film shows, and the ids of its key frames.
        """
        entries = self.entries
        entry = JournalEntry(
            number=len(entries) + 1,
            intent=_required("intent", intent),
            result=_required("result", result),
            reflection=_required("reflection", reflection),
            next_step=_required("next_step", next_step),
            film=None if film is None else _required("film", film),
            frames=_required("frames", ", ".join(frames)) if frames else None,
        )
        self._file.write_text(journals.Journal(entries=(*entries, entry)).markdown(), encoding="utf-8")

    @property
    def entries(self) -> tuple[JournalEntry, ...]:
        """The entries, oldest first; raises `DocumentError` if the file is malformed."""
        text = self._file.read_text(encoding="utf-8") if self._file.exists() else f"{journals.TITLE}\n"
        return journals.read_journal(canonical_text("journal.md", text)).entries

    def __repr__(self) -> str:
        """Show the last entries and how to add one."""
        usage = "journal.add(intent, result, reflection, next_step) adds an entry"
        try:
            entries = self.entries
        except (DocumentError, OSError) as error:
            return str(error)
        shown = [entry.markdown() for entry in entries[-SHOWN_ENTRIES:]]
        return "\n".join([*shown, f"{len(entries)} entries; {usage}"])


def _required(name: str, text: str) -> str:
    """Return a text on one line; raise `ValueError` if it is empty."""
    line = one_line(text)
    if not line:
        raise ValueError(f"{name} is empty; it must be a text")
    return line

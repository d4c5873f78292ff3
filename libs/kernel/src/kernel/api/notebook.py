"""The journal and the list of things to do, as objects: what they hold stands in journal.md and todo.md.

They write only what `kernel.documents` can read again, and change only what may be changed.
"""

from collections.abc import Sequence
from pathlib import Path

from documents import journal as journals
from documents import todo as todos
from documents.journal import JournalEntry
from documents.markdown import one_line
from documents.problems import DocumentError
from documents.todo import TodoItem

SHOWN_ENTRIES = 3


class UnknownItemError(KeyError):
    """The list has no such item; the message names those it has."""

    def __str__(self) -> str:
        """Return the message as it is; a `KeyError` would put it in quotes."""
        return str(self.args[0])


class Todo:
    """The list in todo.md. `todo.items` shows it, `todo.check("T1")` ticks an item off."""

    def __init__(self, file: Path) -> None:
        """Keep the place; the file is read whenever something is asked."""
        self._file = file

    @property
    def items(self) -> tuple[TodoItem, ...]:
        """Return the items as the file has them now; raise `DocumentError` if it does not keep its form."""
        return self._read().items

    def check(self, item_id: str) -> None:
        """Tick an item off; raise `UnknownItemError`, or `DocumentError` for one that was dropped."""
        self._change(item_id, {"state": "done", "reason": None})

    def uncheck(self, item_id: str) -> None:
        """Take the tick away; raise as `check` does."""
        self._change(item_id, {"state": "open", "reason": None})

    def drop(self, item_id: str, reason: str) -> None:
        """Drop an open item for good, and say why; raise as `check` does."""
        self._change(item_id, {"state": "dropped", "reason": _said("reason", reason)})

    def add(self, text: str) -> str:
        """Add an item at the end and return its id."""
        items = self.items
        item = TodoItem(number=len(items) + 1, text=_said("text", text))
        self._write(todos.Todo(items=(*items, item)))
        return item.id

    def __repr__(self) -> str:
        """Show the list, and what can be done with it."""
        told = 'todo.check("T1") ticks an item off, todo.drop("T1", reason) drops it, todo.add(text) adds one'
        try:
            return "\n".join([*(item.line for item in self.items), told])
        except (DocumentError, OSError) as error:
            return str(error)

    def _change(self, item_id: str, update: dict[str, str | None]) -> None:
        before = self._read()
        if item_id not in (item.id for item in before.items):
            known = ", ".join(item.id for item in before.items)
            raise UnknownItemError(f"todo.md has no item {item_id!r}; it has {known}")
        changed = [
            TodoItem.model_validate({**item.model_dump(), **update}) if item.id == item_id else item
            for item in before.items
        ]
        after = todos.Todo(items=tuple(changed))
        todos.check_change(before, after)
        self._write(after)

    def _read(self) -> todos.Todo:
        return todos.read_todo(self._file.read_text(encoding="utf-8"))

    def _write(self, todo: todos.Todo) -> None:
        self._file.write_text(todo.markdown(), encoding="utf-8")


class Journal:
    """The journal in journal.md. `journal.add(intent, result, reflection, next_step)` writes an entry."""

    def __init__(self, file: Path) -> None:
        """Keep the place; the file is read whenever something is asked."""
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
        """Write an entry at the end: what was tried, what came of it, what that means, and what is next.

        After a simulation also what its film shows, and the ids of its key frames.
        """
        entries = self.entries
        entry = JournalEntry(
            number=len(entries) + 1,
            intent=_said("intent", intent),
            result=_said("result", result),
            reflection=_said("reflection", reflection),
            next_step=_said("next_step", next_step),
            film=None if film is None else _said("film", film),
            frames=_said("frames", ", ".join(frames)) if frames else None,
        )
        self._file.write_text(journals.Journal(entries=(*entries, entry)).markdown(), encoding="utf-8")

    @property
    def entries(self) -> tuple[JournalEntry, ...]:
        """Return the entries, the oldest first; raise `DocumentError` if the file does not keep its form."""
        return journals.read_journal(self._text()).entries

    def __repr__(self) -> str:
        """Show the last entries, and how to add one."""
        told = "journal.add(intent, result, reflection, next_step) writes an entry"
        try:
            entries = self.entries
        except (DocumentError, OSError) as error:
            return str(error)
        return "\n".join([*(each.markdown() for each in entries[-SHOWN_ENTRIES:]), f"{len(entries)} entries; {told}"])

    def _text(self) -> str:
        return self._file.read_text(encoding="utf-8") if self._file.exists() else f"{journals.TITLE}\n"


def _said(name: str, text: str) -> str:
    """Return a text on one line; raise `ValueError` if it says nothing."""
    said = one_line(text)
    if not said:
        raise ValueError(f"{name} is empty; say something")
    return said

"""The journal and the list of things to do, as objects: what they hold stands in journal.md and todo.md."""

import re
from dataclasses import dataclass
from pathlib import Path

_ITEM = re.compile(r"^(?P<before>\s*[-*] \[)(?P<mark>[ xX])(?P<between>\] )(?P<text>.*)$")
_ID = re.compile(r"^(?P<id>\w+)\s*:\s*(?P<rest>.*)$")


class UnknownItemError(KeyError):
    """The list has no such item; the message names those it has."""

    def __str__(self) -> str:
        """Return the message as it is; a `KeyError` would put it in quotes."""
        return str(self.args[0])


@dataclass(frozen=True)
class TodoItem:
    """One line of the list."""

    id: str
    """Such as `T1`; the number of the item where its line names none."""
    text: str
    done: bool


class Todo:
    """The list in todo.md. `todo.items` shows it, `todo.check("T1")` ticks an item off."""

    def __init__(self, file: Path) -> None:
        """Keep the place; the file is read whenever something is asked."""
        self._file = file

    @property
    def items(self) -> tuple[TodoItem, ...]:
        """Return the items as the file has them now."""
        matches = [match for line in self._lines() if (match := _ITEM.match(line))]
        return tuple(_item(match, number) for number, match in enumerate(matches, start=1))

    def check(self, item_id: str) -> None:
        """Tick an item off; raise `UnknownItemError`."""
        self._mark(item_id, "x")

    def uncheck(self, item_id: str) -> None:
        """Take the tick away; raise `UnknownItemError`."""
        self._mark(item_id, " ")

    def __repr__(self) -> str:
        """Show the list, and what can be done with it."""
        lines = [f"[{'x' if each.done else ' '}] {each.id}: {each.text}" for each in self.items]
        return "\n".join([*lines, 'todo.check("T1") ticks an item off; write_file changes the list'])

    def _mark(self, item_id: str, mark: str) -> None:
        lines, number = self._lines(), 0
        for place, line in enumerate(lines):
            match = _ITEM.match(line)
            if match is None:
                continue
            number += 1
            if _item(match, number).id == item_id:
                lines[place] = f"{match['before']}{mark}{match['between']}{match['text']}"
                self._file.write_text("\n".join(lines) + "\n", encoding="utf-8")
                return
        known = ", ".join(each.id for each in self.items) or "none"
        raise UnknownItemError(f"todo.md has no item {item_id!r}; it has {known}")

    def _lines(self) -> list[str]:
        return self._file.read_text(encoding="utf-8").splitlines()


class Journal:
    """The journal in journal.md. `journal.add(intent, result, reflection, next_step)` writes an entry."""

    def __init__(self, file: Path) -> None:
        """Keep the place; the file is read whenever something is asked."""
        self._file = file

    def add(self, intent: str, result: str, reflection: str, next_step: str) -> None:
        """Write an entry at the end: what was tried, what came of it, what that means, and what is next."""
        parts = {"Result": result, "Reflection": reflection, "Next step": next_step}
        entry = "\n".join(f"- {name}: {_one_line(text)}" for name, text in parts.items())
        text = self._text().rstrip("\n")
        self._file.write_text(f"{text}\n\n## {_one_line(intent)}\n\n{entry}\n".lstrip("\n"), encoding="utf-8")

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the entries as Markdown, the oldest first."""
        return tuple(f"## {part.strip()}\n" for part in re.split(r"^## ", self._text(), flags=re.MULTILINE)[1:])

    def __repr__(self) -> str:
        """Show the last entries, and how to add one."""
        told = "journal.add(intent, result, reflection, next_step) writes an entry"
        return "\n".join([*self.entries[-3:], f"{len(self.entries)} entries; {told}"])

    def _text(self) -> str:
        return self._file.read_text(encoding="utf-8") if self._file.exists() else "# Journal\n"


def _item(match: re.Match[str], number: int) -> TodoItem:
    done = match["mark"] != " "
    found = _ID.match(match["text"])
    if found is None:
        return TodoItem(id=str(number), text=match["text"], done=done)
    return TodoItem(id=found["id"], text=found["rest"], done=done)


def _one_line(text: str) -> str:
    return " ".join(text.split())

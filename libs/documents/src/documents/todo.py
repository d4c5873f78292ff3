"""todo.md: the list of work items, one line each, with permanent ids.

# TODO

- [ ] T1: measure the world
- [x] T2: build the legs
- [-] T3: glue the rail (reason: the rail is screwed)
"""

import re
from typing import Literal, Self

from contracts.model import Model
from pydantic import Field, PositiveInt, model_validator

from documents.parser import Line, OneLine, ProblemList, quoted, read_body, require_layout

TITLE = "# TODO"
ItemState = Literal["open", "done", "dropped"]

_NAME = "todo.md"
_STATES: dict[str, ItemState] = {" ": "open", "x": "done", "-": "dropped"}
_MARKS = {state: mark for mark, state in _STATES.items()}
_ITEM = re.compile(r"- \[(?P<mark>.)\] T(?P<number>[1-9][0-9]{0,3}): (?P<text>\S.*)")
_REASON = " (reason: "
_TRANSITIONS = {("open", "done"), ("open", "dropped"), ("done", "open")}
_FORM = "write `- [ ] T{0}: what to do`, or `[x]` for done, or `[-]` and `(reason: …)` at the end for dropped"
_HOW_TO_DROP = "an item that is no longer needed is dropped, as `[-]` with `(reason: …)` at its end"


class TodoItem(Model):
    """One line of the list."""

    number: PositiveInt
    text: OneLine
    state: ItemState = "open"
    reason: OneLine | None = None
    """Why it was dropped; dropped items have a reason, others none."""

    @property
    def id(self) -> str:
        """Such as `T1`."""
        return f"T{self.number}"

    @property
    def line(self) -> str:
        """The item's line in todo.md."""
        reason = "" if self.reason is None else f"{_REASON}{self.reason})"
        return f"- [{_MARKS[self.state]}] {self.id}: {self.text}{reason}"

    @model_validator(mode="after")
    def _require_reason_if_dropped(self) -> Self:
        if (self.state == "dropped") != (self.reason is not None):
            raise ValueError("a dropped item has a reason, and no other item has one")
        if self.reason is None and _split_reason(self.text)[1] is not None:
            raise ValueError("only a dropped item ends with `(reason: …)`")
        if self.reason is not None and _split_reason(f"{self.text}{_REASON}{self.reason})") != (self.text, self.reason):
            raise ValueError("an item has one reason at most")
        return self


class Todo(Model):
    """The list: items T1, T2 and so on."""

    items: tuple[TodoItem, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _require_consecutive_numbers(self) -> Self:
        if [item.number for item in self.items] != list(range(1, len(self.items) + 1)):
            raise ValueError("items are numbered T1, T2 and so on")
        return self

    def markdown(self) -> str:
        """Return todo.md."""
        return f"{TITLE}\n\n" + "\n".join(item.line for item in self.items) + "\n"


def read_todo(text: str) -> Todo:
    """Return the list of a todo.md in its exact layout; raise `DocumentError` with all problems."""
    todo = parse_todo(text)
    require_layout(_NAME, text, todo.markdown())
    return todo


def parse_todo(text: str) -> Todo:
    """Return the list of a draft, with any empty lines; raise `DocumentError` with all problems."""
    problems = ProblemList(_NAME)
    lines = [line for line in read_body(text, TITLE, problems) if line.text]
    items = [_read_item(line, number, problems) for number, line in enumerate(lines, start=1)]
    if not lines:
        problems.add(1, "the list has no items", _FORM.format(1))
    problems.raise_any()
    return Todo(items=tuple(item for item in items if item is not None))


def check_change(before: Todo, after: Todo) -> None:
    """Raise `DocumentError` if `after` is not a legal change of `before`.

    Items keep their id, text and order, none is removed, and new ones are added at the end. An open item may become
    done or dropped, a done one open again; a dropped item keeps its state and reason.
    """
    problems = ProblemList(_NAME)
    for index, old in enumerate(before.items):
        line = index + 3  # after the title and an empty line
        if index >= len(after.items):
            problems.add(line, f"{old.id} was removed: {quoted(old.line)}", f"restore it: {_HOW_TO_DROP}")
        else:
            _check_item(line, old, after.items[index], problems)
    problems.raise_any()


def _check_item(line: int, old: TodoItem, new: TodoItem, problems: ProblemList) -> None:
    if old.text != new.text:
        fix = f"keep its text, {quoted(old.text)}; {_HOW_TO_DROP}"
        problems.add(line, f"the text of {old.id} was changed to {quoted(new.text)}", fix)
    if old.state != new.state and (old.state, new.state) not in _TRANSITIONS:
        fix = "leave it dropped, and add a new item at the end" if old.state == "dropped" else "open it first"
        problems.add(line, f"{old.id} goes from {old.state} to {new.state}", fix)
    elif old.state == "dropped" and old.reason != new.reason:
        problems.add(line, f"the reason of {old.id} was changed", f"keep it: {quoted(old.line)}")


def _read_item(line: Line, expected: int, problems: ProblemList) -> TodoItem | None:
    def reject(reason: str, fix: str) -> None:
        problems.add(line.number, reason, fix)

    match = _ITEM.fullmatch(line.text)
    if match is None:
        return reject(f"{quoted(line.text)} is not an item", _FORM.format(expected))
    if match["mark"] not in _STATES:
        return reject(f"`[{match['mark']}]` is not a state", _FORM.format(expected))
    if int(match["number"]) != expected:
        return reject(f"T{match['number']} is where T{expected} belongs", "number the items from T1, without gaps")
    state = _STATES[match["mark"]]
    text, reason = _split_reason(match["text"])
    if state == "dropped" and reason is None:
        return reject(f"T{expected} is dropped without a reason", "end the line with `(reason: …)`")
    if state != "dropped" and reason is not None:
        return reject(f"T{expected} is {state} and has a reason", "give a reason for dropped items (`[-]`) only")
    return TodoItem(number=expected, text=text, state=state, reason=reason)


def _split_reason(text: str) -> tuple[str, str | None]:
    """Return text and reason; None if the text does not end with a reason."""
    before, separator, reason = text.removesuffix(")").rpartition(_REASON)
    is_reason = separator and text.endswith(")") and before.strip() == before and reason.strip() == reason
    return (before, reason) if is_reason and before and reason else (text, None)

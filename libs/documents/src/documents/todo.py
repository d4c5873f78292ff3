"""todo.md: what is to be done, one line each, with ids that stay.

# TODO

- [ ] T1: measure the world
- [x] T2: build the legs
- [-] T3: glue the rail (reason: the rail is screwed)
"""

import re
from typing import Literal, Self

from contracts.model import Model
from pydantic import Field, PositiveInt, model_validator

from documents.problems import Problem, refuse, shown
from documents.reader import Line, require_layout, titled
from documents.text import OneLine

TITLE = "# TODO"
State = Literal["open", "done", "dropped"]

_NAME = "todo.md"
_STATES: dict[str, State] = {" ": "open", "x": "done", "-": "dropped"}
_MARKS = {state: mark for mark, state in _STATES.items()}
_ITEM = re.compile(r"- \[(?P<mark>.)\] T(?P<number>[1-9][0-9]{0,3}): (?P<text>\S.*)")
_REASON = " (reason: "
_LEGAL = {("open", "done"), ("open", "dropped"), ("done", "open")}
_FORM = "write `- [ ] T{0}: what to do`, or `[x]` for done, or `[-]` and `(reason: …)` at the end for dropped"


class TodoItem(Model):
    """One line of the list."""

    number: PositiveInt
    text: OneLine
    state: State = "open"
    reason: OneLine | None = None
    """Why it was dropped, and only then."""

    @property
    def id(self) -> str:
        """Such as `T1`."""
        return f"T{self.number}"

    @property
    def line(self) -> str:
        """As it stands in the list."""
        why = "" if self.reason is None else f"{_REASON}{self.reason})"
        return f"- [{_MARKS[self.state]}] {self.id}: {self.text}{why}"

    @model_validator(mode="after")
    def _gives_a_reason_if_dropped(self) -> Self:
        if (self.state == "dropped") != (self.reason is not None):
            raise ValueError("a dropped item gives a reason, and no other does")
        if self.reason is None and _split(self.text)[1] is not None:
            raise ValueError("only a dropped item ends with `(reason: …)`")
        if self.reason is not None and _split(f"{self.text}{_REASON}{self.reason})") != (self.text, self.reason):
            raise ValueError("one reason is enough")
        return self


class Todo(Model):
    """The list: items T1, T2 and so on."""

    items: tuple[TodoItem, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _counts_from_one(self) -> Self:
        if [item.number for item in self.items] != list(range(1, len(self.items) + 1)):
            raise ValueError("items are numbered T1, T2 and so on")
        return self

    def markdown(self) -> str:
        """Write the list."""
        return f"{TITLE}\n\n" + "\n".join(item.line for item in self.items) + "\n"


def read_todo(text: str) -> Todo:
    """Return the list; raise `DocumentError` with every line that is wrong."""
    todo = todo_from(text)
    require_layout(_NAME, text, todo.markdown())
    return todo


def todo_from(text: str) -> Todo:
    """Return the list, whatever its empty lines; raise `DocumentError` with every line that is wrong."""
    problems: list[Problem] = []
    lines = [line for line in titled(text, TITLE, problems) if line.text]
    items = [_item(line, place, problems) for place, line in enumerate(lines, start=1)]
    if not lines:
        problems.append(Problem(line=1, reason="the list has no item", mend=_FORM.format(1)))
    refuse(_NAME, problems)
    return Todo(items=tuple(item for item in items if item is not None))


def check_change(before: Todo, after: Todo) -> None:
    """Raise `DocumentError` with every line of `after` that a change of `before` must not have made.

    Ids, texts and order stay, nothing goes, and what is new stands at the end. Open may become done or dropped, done
    may become open again; what was dropped stays dropped, for its reason.
    """
    problems = [
        Problem(line=_line(place), reason=f"{was.id} was taken out: {shown(was.line)}", mend=f"put it back: {_DROP}")
        for place, was in enumerate(before.items)
        if place >= len(after.items)
    ]
    for place, (was, now) in enumerate(zip(before.items, after.items, strict=False)):
        problems += [Problem(line=_line(place), reason=why, mend=mend) for why, mend in _wrongs(was, now)]
    refuse(_NAME, problems)


_DROP = "an item that is not wanted any more is dropped, as `[-]` with `(reason: …)` at its end"


def _wrongs(was: TodoItem, now: TodoItem) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if was.text != now.text:
        found.append((f"{was.id} says {shown(now.text)}", f"keep its text, {shown(was.text)}; {_DROP}"))
    if was.state != now.state and (was.state, now.state) not in _LEGAL:
        mend = "leave it dropped, and add a new item at the end" if was.state == "dropped" else "open it first"
        found.append((f"{was.id} goes from {was.state} to {now.state}", mend))
    elif was.state == "dropped" and was.reason != now.reason:
        found.append((f"{was.id} was dropped for another reason", f"keep it: {shown(was.line)}"))
    return found


def _item(line: Line, expected: int, problems: list[Problem]) -> TodoItem | None:
    def refused(reason: str, mend: str) -> None:
        problems.append(Problem(line=line.number, reason=reason, mend=mend))

    match = _ITEM.fullmatch(line.text)
    if match is None:
        return refused(f"{shown(line.text)} is no item", _FORM.format(expected))
    if match["mark"] not in _STATES:
        return refused(f"`[{match['mark']}]` is no state", _FORM.format(expected))
    if int(match["number"]) != expected:
        return refused(f"T{match['number']} stands where T{expected} belongs", "number the items from T1, without gaps")
    state = _STATES[match["mark"]]
    text, reason = _split(match["text"])
    if state == "dropped" and reason is None:
        return refused(f"T{expected} is dropped without a reason", "end the line with `(reason: …)`")
    if state != "dropped" and reason is not None:
        return refused(f"T{expected} is {state} and gives a reason", "give one only to what is dropped, as `[-]`")
    return TodoItem(number=expected, text=text, state=state, reason=reason)


def _split(text: str) -> tuple[str, str | None]:
    """Return text and reason."""
    before, found, reason = text.removesuffix(")").rpartition(_REASON)
    is_reason = found and text.endswith(")") and before.strip() == before and reason.strip() == reason
    return (before, reason) if is_reason and before and reason else (text, None)


def _line(place: int) -> int:
    """Return the line of an item, by its place from 0."""
    return place + 3

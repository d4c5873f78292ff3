"""Drafts of TODO lists: items with or without ids and boxes, and what belongs to an item on lines of its own."""

import re
from collections.abc import Sequence

from documents.drafts.lines import BULLET, NUMBER, DraftLine, document_text, join_items, without_rules
from documents.drafts.markdown import read_heading, unwrapped
from documents.todo import TITLE

_TITLES: dict[str, str] = dict.fromkeys(
    ("todo", "to do", "todos", "todo list", "to do list", "tasks", "task list"), "TODO"
)
_BOX = re.compile(r"\[(?P<mark>[ xX\u2713\u2714-]?)\][ \t]*")
_SIGNS = {"\u2610": "[ ] ", "\u2611": "[x] ", "\u2705": "[x] "}
_ID = re.compile(
    r"(?:task[ \t]*)?T?0*(?P<number>[1-9][0-9]{0,3})[ \t]*(?:[:.)\u2013\u2014-]|[ \t](?=\S))[ \t]*(?=\S)", re.IGNORECASE
)
_MARKED_ID = re.compile(r"T[0-9]|task|[0-9]{1,3}[.):]", re.IGNORECASE)
_POLITE = re.compile(
    r"(?:let me know|feel free|happy to|i'm happy|i am happy|i hope|please (?:let|tell|review|confirm)|good luck"
    r"|ready to|shall i|would you|do you want|if you (?:have|want|need|would|like)|looking forward|thanks|thank you"
    r"|this plan (?:is ready|should)|that's (?:it|the plan)|end of plan)\b",
    re.IGNORECASE,
)


def canonical_todo(text: str) -> str:
    """Return todo.md in canonical form as far as its items are clear; the rest stays as it is."""
    lines = [*enumerate(unwrapped(text.replace("\r\n", "\n")).split("\n"), start=1)]
    first = next((index for index, (_, line) in enumerate(lines) if line.strip()), 0)
    heading = read_heading(lines[first][1], _TITLES)
    if heading is None or heading.rest:
        return text
    return document_text(TITLE, canonical_items(lines[first + 1 :])) + "\n"


def canonical_items(lines: Sequence[tuple[int, str]]) -> list[DraftLine]:
    """Return the items of a list, one a line with id and box. Politeness after the last one is left out."""
    items = join_items(without_rules(_with_boxes(lines)))
    while items and not BULLET.match(items[-1].text) and _POLITE.match(items[-1].text.lstrip("*_ ")):
        items.pop()
    return [DraftLine(line.number, _item(line.text, place)) for place, line in enumerate(items, start=1)]


def _with_boxes(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for number, line in lines:
        text = line
        for sign, box in _SIGNS.items():
            text = text.replace(sign, box, 1) if text.lstrip("-* \t").startswith(sign) else text
        is_bare = _BOX.match(text.strip()) or re.match(r"\**T[0-9]", text.strip())
        found.append((number, f"- {text.strip()}" if is_bare and not text[:1].isspace() else text))
    return found


def _item(line: str, place: int) -> str:
    """Return an item in canonical form; without an id it gets that of its place."""
    bullet, number = BULLET.match(line), NUMBER.match(line)
    if not bullet and not number:
        return line
    text = line[bullet.end() :] if bullet else line
    box = _BOX.match(text)
    if not bullet and number:
        after = _BOX.match(text[number.end() :])
        box, text = after, text[: number.end()] + text[number.end() + after.end() :] if after else text
    elif box:
        text = text[box.end() :]
    mark = (box["mark"] if box else " ").lower() or " "
    mark = "x" if mark in "\u2713\u2714" else mark
    plain = text.replace("**", "").replace("__", "") if re.match(r"[*_]{2}", text) else text
    given = _ID.match(plain) if _MARKED_ID.match(plain) else None
    written, what = (given["number"], plain[given.end() :]) if given else (str(place), plain)
    return f"- [{mark}] T{written}: {what.strip()}"

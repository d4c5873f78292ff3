"""Lines of a draft: lists as models write them, with the line that each item came from."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from documents.drafts.markdown import is_rule, joined
from documents.parser import DocumentError, Problem

TITLE_LINES = 2
"""A document has a title and an empty line before the lines of a draft."""
BULLET = re.compile(r"\A(?P<mark>[-*+\u2022\u25cf]|\u2013|\u2014)[ \t]+(?=\S)")
NUMBER = re.compile(r"\A\(?(?P<number>[0-9]{1,3})[.):][ \t]+(?=\S)")
_TAB = 4


class DraftLine(NamedTuple):
    """A line in canonical form, and the number of the line that it was made from."""

    number: int
    text: str


def document_text(title: str, lines: Sequence[DraftLine]) -> str:
    """Return the document that the lines make below its title."""
    return "\n".join([title, "", *(line.text for line in lines)])


def in_draft(error: DocumentError, lines: Sequence[DraftLine], end: int) -> list[Problem]:
    """Return the problems of `document_text` with their lines in the draft, whose last line is `end`."""
    numbers = [line.number for line in lines] or [end]
    return [
        problem.model_copy(update={"line": max(1, numbers[max(0, min(problem.line - TITLE_LINES, len(numbers)) - 1)])})
        for problem in error.problems
    ]


def without_rules(lines: Iterable[tuple[int, str]]) -> list[DraftLine]:
    """Return the lines without thematic breaks, and without white space at their ends."""
    return [DraftLine(number, "" if is_rule(text) else text.rstrip()) for number, text in lines]


def indent_of(text: str) -> int:
    """Return the width of the white space before a line."""
    expanded = text.expandtabs(_TAB)
    return len(expanded) - len(expanded.lstrip(" "))


def is_item(text: str) -> bool:
    """Return whether a line begins an item of a list."""
    stripped = text.strip()
    return bool(BULLET.match(stripped) or NUMBER.match(stripped))


def join_items(lines: Sequence[DraftLine]) -> list[DraftLine]:
    """Return the lines with what belongs to an item on the item's line: wrapped lines, and indented ones below it.

    A line that is not indented after an empty line belongs to no item.
    """
    found: list[DraftLine] = []
    was_empty, top = False, 0
    for line in lines:
        if not line.text.strip():
            was_empty = True
            continue
        indent, begins = indent_of(line.text), is_item(line.text)
        is_below = (
            bool(found) and is_item(found[-1].text) and (indent > top + 1 if begins else indent > 0 or not was_empty)
        )
        if is_below:
            text = line.text.strip()
            text = BULLET.sub("", text, count=1)
            separator = ";" if begins and found[-1].text[-1] not in ".;:,!?" else ""
            found[-1] = DraftLine(found[-1].number, joined([found[-1].text + separator, text]))
        else:
            top = indent if begins or not found else top
            found.append(DraftLine(line.number, line.text.strip()))
        was_empty = False
    return found

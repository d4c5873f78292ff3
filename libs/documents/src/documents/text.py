"""The words that documents are made of, so that what is written can be read again."""

from typing import Annotated

from pydantic import AfterValidator

STRANGE_BREAKS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What some programs take for the end of a line, and others do not: no document holds it."""


def _one_line(text: str) -> str:
    if text != text.strip() or len(text.splitlines()) != 1:
        raise ValueError("must be one line that is not empty, with no blanks around it")
    return text


def _prose(text: str) -> str:
    if not text or text != text.strip() or any(each in text for each in STRANGE_BREAKS):
        raise ValueError("must not be empty, have no blanks around it and no line breaks but \\n")
    if any(line.startswith(("# ", "## ")) or line != line.rstrip() for line in text.split("\n")):
        raise ValueError("must hold no heading of the first or second level, and no blanks at the end of a line")
    return text


def _cell(text: str) -> str:
    if "|" in _one_line(text):
        raise ValueError("must hold no `|`, which ends a cell of a table")
    return text


def _subject(text: str) -> str:
    if ":" in _one_line(text):
        raise ValueError("must hold no colon, which ends it")
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]
Prose = Annotated[str, AfterValidator(_prose)]
"""Markdown of one or more paragraphs, without headings of the first two levels."""
CellText = Annotated[str, AfterValidator(_cell)]
Subject = Annotated[str, AfterValidator(_subject)]
"""What stands before the colon of a list's item."""


def flattened(text: str) -> str:
    """Return a text on one line, for a document that has a line for it."""
    return " ".join(text.split())

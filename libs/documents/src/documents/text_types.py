"""Validated types of the texts that documents consist of, so that a written document can always be read back."""

from typing import Annotated

from pydantic import AfterValidator

UNUSUAL_LINE_BREAKS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Characters that only some programs treat as line breaks; documents must not contain them."""


def _one_line(text: str) -> str:
    if text != text.strip() or len(text.splitlines()) != 1:
        raise ValueError("must be a single non-empty line without surrounding white space")
    return text


def _prose(text: str) -> str:
    if not text or text != text.strip() or any(character in text for character in UNUSUAL_LINE_BREAKS):
        raise ValueError("must not be empty, have surrounding white space or line breaks other than \\n")
    if any(line.startswith(("# ", "## ")) or line != line.rstrip() for line in text.split("\n")):
        raise ValueError("must not contain headings of the first or second level, or lines ending in white space")
    return text


def _cell(text: str) -> str:
    if "|" in _one_line(text):
        raise ValueError("must not contain `|`, which ends a table cell")
    return text


def _subject(text: str) -> str:
    if ":" in _one_line(text):
        raise ValueError("must not contain a colon, which ends the subject")
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]
Prose = Annotated[str, AfterValidator(_prose)]
"""Markdown of one or more paragraphs, without headings of the first two levels."""
CellText = Annotated[str, AfterValidator(_cell)]
Subject = Annotated[str, AfterValidator(_subject)]
"""Text before the colon of a list item."""

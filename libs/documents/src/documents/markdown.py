"""Markdown building blocks: tables, fenced blocks, and text on one line."""

import re
from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table without a line break at its end; a `|` or a line break in a cell cannot break it."""
    return "\n".join(_row(cells) for cells in (header, ["---"] * len(header), *rows))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(table_cell, cells))} |"


def table_cell(text: str) -> str:
    """Return a text that ends neither its cell nor its row."""
    return " ".join(text.replace("|", "\\|").splitlines())


def fenced(text: str, language: str = "text", fence: str = "```") -> str:
    """Return the text in a code fence long enough that the text cannot close it; `fence` is the shortest one."""
    runs = re.findall(f"{re.escape(fence)}{re.escape(fence[0])}*", text)
    fence += fence[0] * (max(map(len, runs)) - len(fence) + 1) if runs else ""
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def inline_or_fenced(text: str) -> str:
    """Return the text after a blank; if it has several lines, which could open a section, in a fence below."""
    return f" {text}" if len(text.splitlines()) < 2 else f"\n\n{fenced(text)}"


def one_line(text: str) -> str:
    """Return the text with every run of white space as a single space."""
    return " ".join(text.split())

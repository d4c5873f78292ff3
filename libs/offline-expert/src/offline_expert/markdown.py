"""Reading Markdown as the expert gets it: tables, and the boxes in them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage

_CELL = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

Point = tuple[float, float, float]


class Box(NamedTuple):
    """An axis-aligned box of the zones' or the environment's table, in millimetres."""

    kind: str
    label: str
    low: Point
    high: Point

    @property
    def center(self) -> Point:
        """The middle of the box, in millimetres."""
        (x0, y0, z0), (x1, y1, z1) = self.low, self.high
        return ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)

    def crosses(self, start: Point, end: Point, margin_mm: float = 0.0) -> bool:
        """Tell whether the segment from `start` to `end` comes closer to this box than the margin (per axis)."""
        enters, leaves = 0.0, 1.0
        for a, b, low, high in zip(start, end, self.low, self.high, strict=True):
            low_mm, high_mm = low - margin_mm, high + margin_mm
            if abs(b - a) < 1e-9:
                if not low_mm <= a <= high_mm:
                    return False
                continue
            first, second = sorted(((low_mm - a) / (b - a), (high_mm - a) / (b - a)))
            enters, leaves = max(enters, first), min(leaves, second)
        return enters <= leaves


def rows(text: str) -> list[list[str]]:
    """Return every row of every Markdown table in the text, headers and rules included."""
    return [
        [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip())[1:-1]]
        for line in text.splitlines()
        if line.strip().startswith("|")
    ]


def boxes(text: str) -> list[Box]:
    """Return every box of the tables with kind, label and two corners."""
    found: list[Box] = []
    for row in rows(text):
        if len(row) == 8 and all(_NUMBER.fullmatch(cell) for cell in row[2:]):
            x0, y0, z0, x1, y1, z1 = (float(cell) for cell in row[2:])
            found.append(Box(row[0], row[1], (x0, y0, z0), (x1, y1, z1)))
    return found


def value(text: str, name: str) -> str | None:
    """Return the second cell of the first table row that begins with `name`."""
    return next((row[1] for row in rows(text) if len(row) >= 2 and row[0] == name), None)


def numbers(text: str) -> list[float]:
    """Return all numbers in the text."""
    return [float(each) for each in _NUMBER.findall(text)]


def last_containing(messages: Sequence[BaseMessage], phrase: str) -> str:
    """Return the text of the last message that contains the phrase; empty if none does."""
    return next((each.text for each in reversed(messages) if phrase in each.text), "")

"""Parser for the Markdown that the expert receives: tables, and the boxes and numbers in them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage

_CELL = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

Point = tuple[float, float, float]


class LabelledBox(NamedTuple):
    """An axis-aligned box of the table of zones or of the environment, in millimetres."""

    kind: str
    label: str
    low: Point
    high: Point

    @property
    def center(self) -> Point:
        """Centre in millimetres."""
        (x0, y0, z0), (x1, y1, z1) = self.low, self.high
        return ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)

    def crosses(self, start: Point, end: Point) -> bool:
        """Tell whether the segment from `start` to `end` intersects the box."""
        entry, exit_ = 0.0, 1.0
        for a, b, low, high in zip(start, end, self.low, self.high, strict=True):
            if abs(b - a) < 1e-9:
                if not low <= a <= high:
                    return False
                continue
            first, second = sorted(((low - a) / (b - a), (high - a) / (b - a)))
            entry, exit_ = max(entry, first), min(exit_, second)
        return entry <= exit_


def rows(text: str) -> list[list[str]]:
    """Return the cells of every row of every table, headers and rules included."""
    return [
        [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip())[1:-1]]
        for line in text.splitlines()
        if line.strip().startswith("|")
    ]


def boxes(text: str) -> list[LabelledBox]:
    """Return every table row that consists of kind, label and two corners."""
    found: list[LabelledBox] = []
    for row in rows(text):
        if len(row) == 8 and all(_NUMBER.fullmatch(cell) for cell in row[2:]):
            x0, y0, z0, x1, y1, z1 = (float(cell) for cell in row[2:])
            found.append(LabelledBox(row[0], row[1], (x0, y0, z0), (x1, y1, z1)))
    return found


def value(text: str, name: str) -> str | None:
    """Return the second cell of the first table row that begins with `name`."""
    return next((row[1] for row in rows(text) if len(row) >= 2 and row[0] == name), None)


def numbers(text: str) -> list[float]:
    """Return all numbers in the text."""
    return [float(number) for number in _NUMBER.findall(text)]


def last_containing(messages: Sequence[BaseMessage], phrase: str) -> str:
    """Return the text of the last message that contains the phrase; empty if there is none."""
    return next((message.text for message in reversed(messages) if phrase in message.text), "")

"""The title block of a drawing."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from parts_catalog.methods.registry import METHODS

from build_package.drawings.sheet import Item, Point, Polyline, Text
from build_package.machine import MadePart

TITLE_BLOCK_MM = (100.0, 58.0)
ROW_MM = 7.25
TOLERANCES = {"coarse": "ISO 2768-c", "medium": "ISO 2768-m", "fine": "ISO 2768-f"}
MOST_CHARS = 46
"""Of a text in a whole row."""


@dataclass(frozen=True)
class TitleBlock:
    """What a title block states."""

    part: MadePart
    machine: str
    run: str

    def rows(self, scale: str, format_name: str) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Return caption and text of each cell, from the top."""
        line = self.part.line
        return (
            (("part", self.part.label),),
            (("machine", self.machine),),
            (("run", self.run),),
            (("material", line.material_id), ("mass", f"{line.mass_kg * 1000:.1f} g")),
            (("method", METHODS[line.method].drawing_name), ("pieces", str(len(self.part.lines)))),
            (("general tolerances", TOLERANCES[self.part.tolerance_class]), ("unit", "mm")),
            (("projection", "first angle (ISO 5456-2)"), ("scale", scale)),
            (("made by", "Millwright"), ("sheet", f"{format_name}, 1 of 1")),
        )


def title_block(block: TitleBlock, scale: str, format_name: str, corner: Point) -> Iterator[Item]:
    """Draw a title block whose lower left corner is given."""
    x, y = corner
    width, height = TITLE_BLOCK_MM
    for number, row in enumerate(block.rows(scale, format_name)):
        top = y + height - number * ROW_MM
        yield Polyline(np.array([[x, top], [x + width, top]]), "frame")
        for column, (caption, text) in enumerate(row):
            left = x + column * 0.62 * width
            yield Text(caption, (left + 1.5, top - 2.6), 1.5)
            yield Text(_short(text), (left + 1.5, top - 6.1), 2.3)
            if column:
                yield Polyline(np.array([[left, top], [left, top - ROW_MM]]), "frame")


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 3]}..."

"""Words set into lines, and columns of tables into the width of a page."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from build_package.drawings.pdf import FONT, POINTS_PER_MM

_SETTER = TextToPath()
_NEAR_MM = 1e-6
"""By which a sum of widths may be above the room."""


@lru_cache(maxsize=1 << 14)
def width_mm(text: str, size_pt: float, weight: str = "normal") -> float:
    """Return the width of one line."""
    font = FontProperties(family=FONT, size=size_pt, weight=weight)
    return _SETTER.get_text_width_height_descent(text, font, ismath=False)[0] / POINTS_PER_MM


def lines_of(text: str, room_mm: float, size_pt: float, weight: str = "normal") -> list[str]:
    """Return a text as lines that fit; a longer word is broken."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        for piece in _pieces(word, room_mm, size_pt, weight):
            longer = f"{line} {piece}" if line else piece
            if line and width_mm(longer, size_pt, weight) > room_mm + _NEAR_MM:
                lines.append(line)
                line = piece
            else:
                line = longer
    return [*lines, line]


def _pieces(word: str, room_mm: float, size_pt: float, weight: str) -> Iterator[str]:
    piece = ""
    for letter in word:
        if piece and width_mm(piece + letter, size_pt, weight) > room_mm + _NEAR_MM:
            yield piece
            piece = ""
        piece += letter
    yield piece


def column_widths_mm(rows: Sequence[Sequence[str]], room_mm: float, size_pt: float, beside_mm: float) -> list[float]:
    """Return the width of each column: what its longest cell takes, less where all together are wider than the room."""
    wanted = [max(width_mm(cell, size_pt) for cell in column) + beside_mm for column in zip(*rows, strict=True)]
    narrow: dict[int, float] = {}
    while True:
        wide = [column for column in range(len(wanted)) if column not in narrow]
        share = (room_mm - sum(narrow.values())) / max(1, len(wide))
        fitting = {column: wanted[column] for column in wide if wanted[column] <= share}
        if not fitting:
            return [narrow.get(column, share) for column in range(len(wanted))]
        narrow |= fitting

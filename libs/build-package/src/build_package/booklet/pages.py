"""Pages of A4 with a text and its pictures."""

# pyright: basic, reportMissingTypeStubs=false
# matplotlib leaves most of its types open; the function that others call is fully annotated.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from PIL import Image

from build_package.booklet.blocks import Block, NamedPicture, Paragraph, TableRows, blocks_of
from build_package.booklet.text_lines import column_widths_mm, lines_of
from build_package.drawings.pdf import FONT, MM_PER_INCH, shown

PAGE_MM, LEFT_MM, TOP_MM, BOTTOM_MM = (210.0, 297.0), 18.0, 16.0, 18.0
ROOM_MM = PAGE_MM[0] - 2 * LEFT_MM
SIZES_PT, CELL_PT = {0: 9.0, 1: 16.0, 2: 12.5, 3: 10.5}, 7.0
LINE_SHARE = 0.48
"""Distance of lines in mm over the size of letters in points."""
BEFORE_MM = {0: 1.5, 1: 0.0, 2: 7.0, 3: 5.0}
INDENT_MM, CELL_MM, PICTURE_MM = 6.0, 2.0, 84.0
KEPT_MM = 22.0
"""Least room below a heading."""


@dataclass
class _Page:
    """The page that is being filled."""

    axes: Axes
    used_mm: float = TOP_MM

    @property
    def y_mm(self) -> float:
        """Height of the next line's top over the bottom of the page."""
        return PAGE_MM[1] - self.used_mm


def as_booklet(markdown: str, pictures: Mapping[str, bytes], title: str) -> bytes:
    """Return a text with the pictures that it names, by path, as PDF; equal texts give equal bytes."""
    stream = BytesIO()
    with PdfPages(stream, metadata={"CreationDate": None, "Title": title}) as document:
        writer = _Writer(document, pictures, title)
        blocks = list(blocks_of(markdown))
        for index, block in enumerate(blocks):
            writer.add(block, blocks[index + 1 :])
        writer.close()
    return stream.getvalue()


class _Writer:
    """Fills page after page."""

    def __init__(self, document: PdfPages, pictures: Mapping[str, bytes], title: str) -> None:
        self._document, self._pictures, self._title = document, pictures, title
        self._count = 0
        self._page = self._new()

    def add(self, block: Block, after: Sequence[Block]) -> None:
        """Add a block; a step begins where all of it has room."""
        if isinstance(block, TableRows):
            self._table(block)
        elif isinstance(block, NamedPicture):
            self._picture(self._pictures[block.path])
        else:
            rest = [] if block.level == 0 else _until_heading(after)
            kept = _heights_mm(rest) if block.level == 3 else KEPT_MM if block.level else 0.0
            self._paragraph(block, kept)

    def close(self) -> None:
        """Write the last page."""
        self._document.savefig(self._page.axes.figure)

    def _new(self) -> _Page:
        self._count += 1
        figure = Figure(figsize=(PAGE_MM[0] / MM_PER_INCH, PAGE_MM[1] / MM_PER_INCH))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, PAGE_MM[0])
        axes.set_ylim(0, PAGE_MM[1])
        axes.axis("off")
        page = _Page(axes)
        _write(axes, (LEFT_MM, 8.0), self._title, 7.0)
        _write(axes, (PAGE_MM[0] - LEFT_MM, 8.0), str(self._count), 7.0, anchor="right")
        return page

    def _room(self, height_mm: float) -> _Page:
        """Return a page with room for what comes."""
        if self._page.used_mm + height_mm > PAGE_MM[1] - BOTTOM_MM and self._page.used_mm > TOP_MM:
            self.close()
            self._page = self._new()
        return self._page

    def _paragraph(self, block: Paragraph, kept_mm: float) -> None:
        size, weight = SIZES_PT[block.level], "bold" if block.level else "normal"
        indent = INDENT_MM if block.mark else 0.0
        lines = lines_of(shown(block.text), ROOM_MM - indent, size, weight)
        step = LINE_SHARE * size
        self._room(BEFORE_MM[block.level] + step * len(lines) + min(kept_mm, PAGE_MM[1] / 2))
        self._page.used_mm += BEFORE_MM[block.level] if self._page.used_mm > TOP_MM else 0.0
        for number, line in enumerate(lines):
            page = self._room(step)
            page.used_mm += step
            if block.mark and number == 0:
                _write(page.axes, (LEFT_MM, page.y_mm), block.mark, size)
            _write(page.axes, (LEFT_MM + indent, page.y_mm), line, size, weight=weight)

    def _table(self, table: TableRows) -> None:
        rows = [[shown(cell) for cell in row] for row in table.rows]
        widths = column_widths_mm(rows, ROOM_MM, CELL_PT, CELL_MM)
        starts = LEFT_MM + np.cumsum([0.0, *widths[:-1]])
        step = LINE_SHARE * CELL_PT
        self._page.used_mm += BEFORE_MM[0]
        for number, row in enumerate(rows):
            cells = [lines_of(cell, width - CELL_MM, CELL_PT) for cell, width in zip(row, widths, strict=True)]
            height = step * max(map(len, cells)) + CELL_MM / 2
            page = self._room(height + (height if number == 0 else 0.0))
            for start, lines in zip(starts, cells, strict=True):
                for line, text in enumerate(lines):
                    _write(page.axes, (start, page.y_mm - step * (line + 1)), text, CELL_PT)
            page.used_mm += height
            ends = (LEFT_MM, LEFT_MM + sum(widths))
            page.axes.plot(ends, [page.y_mm - 0.3] * 2, color="black", linewidth=0.8 if number == 0 else 0.2)
        self._page.used_mm += BEFORE_MM[0]

    def _picture(self, data: bytes) -> None:
        pixels = np.asarray(Image.open(BytesIO(data)).convert("RGB"))
        height = _picture_height_mm(pixels.shape)
        page = self._room(height)
        wide, high = PAGE_MM
        place = (LEFT_MM / wide, (page.y_mm - height) / high, PICTURE_MM / wide, (height - BEFORE_MM[0]) / high)
        frame = page.axes.figure.add_axes(place)
        frame.imshow(pixels, aspect="auto", interpolation="none")
        frame.axis("off")
        page.used_mm += height


def _until_heading(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks before the next heading."""
    ends = [number for number, block in enumerate(blocks) if isinstance(block, Paragraph) and block.level]
    return list(blocks[: min(ends, default=len(blocks))])


def _heights_mm(blocks: Sequence[Block]) -> float:
    """Return about how high paragraphs and pictures are."""
    step = LINE_SHARE * SIZES_PT[0]
    texts = [len(lines_of(shown(block.text), ROOM_MM, SIZES_PT[0])) for block in blocks if isinstance(block, Paragraph)]
    pictures = sum(isinstance(block, NamedPicture) for block in blocks)
    return sum(BEFORE_MM[0] + step * count for count in texts) + pictures * _picture_height_mm((3, 4))


def _picture_height_mm(shape: Sequence[int]) -> float:
    return PICTURE_MM * shape[0] / shape[1] + BEFORE_MM[0]


def _write(  # noqa: PLR0913 - what a line of text is
    axes: Axes, at_mm: tuple[float, float], text: str, size_pt: float, *, weight: str = "normal", anchor: str = "left"
) -> None:
    axes.text(*at_mm, text, fontsize=size_pt, family=FONT, weight=weight, ha=anchor, va="baseline", parse_math=False)

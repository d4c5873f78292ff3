"""The legend of a drawing: a swatch and a name for each colour."""

from dataclasses import dataclass

from contracts.models.scene import Scene
from PIL import Image, ImageDraw

from sim_worker import colors
from sim_worker.media.drawings.captions import INK, LINE_SHARE, MARGIN_PX, font

Ink = tuple[int, int, int, int]
FILL_ALPHA = 42
PAPER: Ink = (255, 255, 255, 255)
SWATCH_PX, GAP_PX = 14, 18


def _ink(rgba: colors.Rgba, darker: float = 1.0) -> Ink:
    red, green, blue = (round(255 * darker * part) for part in rgba[:3])
    return red, green, blue, 255


GOAL, FORBID, BUILD = _ink(colors.GOAL, 0.85), _ink(colors.FORBID, 0.95), _ink(colors.BUILD, 0.95)
PATH = _ink(colors.PAYLOAD, 0.92)
ENVIRONMENT: Ink = (185, 188, 194, 255)


@dataclass(frozen=True)
class Entry:
    """A swatch with its text; without a colour only a text."""

    text: str
    ink: Ink | None = None

    def width_px(self, size_px: int) -> int:
        """Width with the gap to the next entry."""
        swatch = 0 if self.ink is None else SWATCH_PX + 5
        return swatch + round(font(size_px).getlength(self.text)) + GAP_PX


def lines(scene: Scene, grid: str, moment: str, width_px: int, size_px: int) -> list[list[Entry]]:
    """Return the entries in lines that are at most so wide."""
    entries = [Entry("goal zone", GOAL)]
    entries += [Entry("forbid zone", FORBID)] if scene.forbid_zones else []
    entries += [
        Entry("build zone", BUILD),
        Entry("payload and its path", PATH),
        Entry("environment", ENVIRONMENT),
        Entry(grid),
        *(Entry(part.strip()) for part in moment.split(";")),
    ]
    rows: list[list[Entry]] = [[]]
    for entry in entries:
        if rows[-1] and sum(each.width_px(size_px) for each in (*rows[-1], entry)) > width_px + GAP_PX:
            rows.append([])
        rows[-1].append(entry)
    return rows


def height_px(rows: list[list[Entry]], size_px: int) -> int:
    """Return the height of the legend."""
    return round(LINE_SHARE * 1.15 * size_px) * len(rows) + 2 * MARGIN_PX


def draw(sheet: Image.Image, rows: list[list[Entry]], left: int, top: int, size_px: int) -> None:
    """Draw the legend on a sheet."""
    paint = ImageDraw.Draw(sheet)
    line_px = round(LINE_SHARE * 1.15 * size_px)
    for number, row in enumerate(rows):
        x, middle = left, top + MARGIN_PX + number * line_px + line_px // 2
        for entry in row:
            at = x
            if entry.ink is not None:
                box = (at, middle - SWATCH_PX // 2 + 2, at + SWATCH_PX, middle + SWATCH_PX // 2 - 2)
                paint.rectangle(box, fill=entry.ink[:3])
                at += SWATCH_PX + 5
            paint.text((at, middle), entry.text, INK, font(size_px), anchor="lm")
            x += entry.width_px(size_px)

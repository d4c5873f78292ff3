"""Dimension lines of a machine in a perspective picture: its width, depth and height."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from PIL import Image, ImageDraw

from sim_worker.media.camera import CameraView
from sim_worker.media.canvas import Picture
from sim_worker.media.drawings.captions import INK, PAPER, font
from sim_worker.units import Floats

GAP_SHARE, TICK_SHARE = 0.07, 0.02
"""Of the machine's diagonal: from the machine to its lines, and half of a tick at an end."""
TEXT_SHARE, HALO_PX, LINE_PX = 1 / 44, 3, 1
"""Size of letters over the width of the picture; widths of lines, and of the paper around lines and letters."""
OVERSAMPLING = 3


@dataclass(frozen=True)
class DimensionLine:
    """A measured length between two points; half a tick, (3,), reaches outwards and inwards at each."""

    start_m: Floats
    end_m: Floats
    tick_m: Floats

    @property
    def text(self) -> str:
        """The length, as it is written."""
        return f"{1000 * float(np.linalg.norm(self.end_m - self.start_m)):.0f} mm"

    @property
    def strokes_m(self) -> list[tuple[Floats, Floats]]:
        """The line and its ticks, each from one end to the other."""
        ends = (self.start_m, self.end_m)
        return [ends, *((end_m - self.tick_m, end_m + self.tick_m) for end_m in ends)]


def dimension_lines(points_m: Floats, view: CameraView) -> list[DimensionLine]:
    """Return width, depth and height of the box around points (n, 3), on the sides that a camera sees."""
    low, high = points_m.min(axis=0), points_m.max(axis=0)
    size_m = float(np.linalg.norm(high - low))
    faces_camera = (view.forward < 0).astype(float)
    outwards: Floats = 2 * faces_camera - 1
    near: Floats = low + faces_camera * (high - low)
    near[2] = low[2]
    lines: list[DimensionLine] = []
    for axis in (0, 1):
        away = outwards * (np.arange(3) == 1 - axis)
        start_m, end_m = (near + GAP_SHARE * size_m * away for _ in range(2))
        start_m[axis], end_m[axis] = low[axis], high[axis]
        lines.append(DimensionLine(start_m, end_m, TICK_SHARE * size_m * away))
    right, _ = view.axes
    corners = [np.array(corner) for corner in product(*zip(low[:2], high[:2], strict=True))]
    outermost = max(corners, key=lambda corner: float(corner @ right[:2]))
    foot_m, head_m = (np.array([*outermost, z]) + GAP_SHARE * size_m * right for z in (low[2], high[2]))
    return [*lines, DimensionLine(foot_m, head_m, TICK_SHARE * size_m * right)]


def with_dimensions(picture: Picture, lines: Sequence[DimensionLine], view: CameraView) -> Picture:
    """Return a picture with dimension lines over it, each with its length in its middle."""
    image = Image.fromarray(picture)
    for color, width_px in ((PAPER, LINE_PX + 2 * HALO_PX - 2), (INK, LINE_PX)):
        image.paste(color, mask=_strokes(image, lines, view, width_px))
    draw, letters = ImageDraw.Draw(image), font(round(TEXT_SHARE * image.width))
    for line in lines:
        place = view.pixel((line.start_m + line.end_m) / 2, image.width, image.height)
        draw.text(place, line.text, INK, letters, "mm", stroke_width=HALO_PX, stroke_fill=PAPER)
    return np.array(image)


def _strokes(image: Image.Image, lines: Sequence[DimensionLine], view: CameraView, width_px: int) -> Image.Image:
    """Return where lines of a width are, as a smooth mask."""
    large = Image.new("L", (OVERSAMPLING * image.width, OVERSAMPLING * image.height))
    draw = ImageDraw.Draw(large)
    for stroke in (each for line in lines for each in line.strokes_m):
        draw.line([view.pixel(end_m, *large.size) for end_m in stroke], 255, OVERSAMPLING * width_px)
    return large.resize(image.size, Image.Resampling.BOX)

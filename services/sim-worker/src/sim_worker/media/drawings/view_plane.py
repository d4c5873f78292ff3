"""The plane of an orthographic picture: millimetres to pixels, and shapes drawn on it in world coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from contracts.models.geometry import Box
from PIL import Image, ImageDraw

from sim_worker.media.camera import CameraView, box_corners_m
from sim_worker.media.canvas import Picture
from sim_worker.units import Floats

Ink = tuple[int, int, int, int]
SMOOTHING = 3
"""Overlays are drawn this many times larger, and then made smaller."""
DASH_PX = 7


@dataclass(frozen=True)
class ViewPlane:
    """Where points of the world are in a picture of `width` x `height` pixels, whose middle shows the view's target."""

    view: CameraView
    width: int
    height: int
    px_per_m: float

    def pixels(self, points_m: Floats) -> Floats:
        """Return the places (n, 2), to the right and downwards, of points (n, 3)."""
        right, up = self.view.axes
        offsets_m = np.atleast_2d(points_m) - self.view.target_m
        return np.stack(
            [
                self.width / 2 + offsets_m @ right * self.px_per_m,
                self.height / 2 - offsets_m @ up * self.px_per_m,
            ],
            axis=1,
        )

    def rectangle(self, box: Box) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a box."""
        places = self.pixels(box_corners_m(box))
        (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
        return float(left), float(top), float(right), float(bottom)


class Overlay:
    """Smooth lines and shapes over a picture."""

    def __init__(self, plane: ViewPlane, picture: Picture) -> None:
        self.plane = plane
        size = (plane.width * SMOOTHING, plane.height * SMOOTHING)
        self._image = Image.fromarray(picture).resize(size, Image.Resampling.NEAREST)
        self._draw = ImageDraw.Draw(self._image, "RGBA")  # mixes translucent colours with what is there

    @property
    def picture(self) -> Picture:
        """The picture with everything drawn so far."""
        return np.asarray(self._image.resize((self.plane.width, self.plane.height), Image.Resampling.BOX))

    def polygon(self, places_px: Floats, fill: Ink | None, line: Ink, width_px: float = 1.5) -> None:
        """Draw a closed polygon (n, 2)."""
        if fill is not None:
            self._draw.polygon(_scaled(places_px), fill=fill)
        self.line(np.concatenate([places_px, places_px[:1]]), line, width_px)

    def line(self, places_px: Floats, ink: Ink, width_px: float = 1.5) -> None:
        """Draw a line through places (n, 2)."""
        self._draw.line(_scaled(places_px), fill=ink, width=_scaled_width(width_px), joint="curve")

    def dashes(self, places_px: Floats, ink: Ink, width_px: float = 1.5) -> None:
        """Draw a dashed line through places (n, 2)."""
        for start, end in pairwise(places_px):
            count = max(1, int(np.linalg.norm(end - start) / (2 * DASH_PX)))
            for number in range(count):
                low, high = number / count, (number + 0.5) / count
                self.line(np.array([start + low * (end - start), start + high * (end - start)]), ink, width_px)

    def disc(self, center_px: Floats, radius_px: float, fill: Ink | None, line: Ink, width_px: float = 1.5) -> None:
        """Draw a circle."""
        x, y = (float(each) * SMOOTHING for each in center_px)
        radius = radius_px * SMOOTHING
        box = (x - radius, y - radius, x + radius, y + radius)
        self._draw.ellipse(box, fill=fill, outline=line, width=_scaled_width(width_px))


def _scaled(places_px: Floats) -> Sequence[tuple[float, float]]:
    return [(float(x) * SMOOTHING, float(y) * SMOOTHING) for x, y in places_px]


def _scaled_width(width_px: float) -> int:
    return max(1, round(width_px * SMOOTHING))

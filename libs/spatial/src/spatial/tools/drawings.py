"""`tools.Draw` and `tools.Graph`: pictures of boxes, points, lines and curves, with a description in words."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image, ImageColor, ImageDraw

from spatial.arrays import Floats
from spatial.bird_view import render_bev
from spatial.frames import InputImage
from spatial.pictures import DescribedPicture

Drawable: TypeAlias = "InputImage | Image.Image | np.ndarray"
GRAPH_SIZE = (640, 360)
MARGIN = 48


class DrawTool:
    """Draws on a copy of an image and returns it (PIL): show(picture) displays it. draw_bbox(image, box) |
    draw_point(image, point) | draw_line(image, start, end); each takes one or a list, a CSS `color` and a `label`.
    render_bev(rec, masks): where objects and cameras are, from above, as picture.image and in words.
    """

    render_bev = staticmethod(render_bev)

    @staticmethod
    def draw_bbox(image: Drawable, box: ArrayLike, color: str = "red", label: str = "") -> Image.Image:
        """Draw one box (x1, y1, x2, y2) or several (k, 4)."""
        picture, brush, width = _canvas(image)
        for x1, y1, x2, y2 in _rows(box, 4):
            brush.rectangle((min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), outline=_color(color), width=width)
            _caption(brush, (x1, y1), label, color)
        return picture

    @staticmethod
    def draw_point(image: Drawable, point: ArrayLike, color: str = "red", label: str = "") -> Image.Image:
        """Draw one point (u, v) or several (k, 2)."""
        picture, brush, width = _canvas(image)
        for u, v in _rows(point, 2):
            brush.ellipse((u - 2 * width, v - 2 * width, u + 2 * width, v + 2 * width), fill=_color(color))
            _caption(brush, (u + 2 * width, v), label, color)
        return picture

    @staticmethod
    def draw_line(
        image: Drawable, start: ArrayLike, end: ArrayLike, color: str = "red", label: str = ""
    ) -> Image.Image:
        """Draw one line between two points (u, v), or several between the rows of both."""
        picture, brush, width = _canvas(image)
        for first, second in zip(_rows(start, 2), _rows(end, 2), strict=True):
            brush.line((*first, *second), fill=_color(color), width=width)
            _caption(brush, (first[0], first[1]), label, color)
        return picture

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""


class GraphTool:
    """graph = tools.Graph.plot(values): a curve with minimum, maximum, mean, first, last and trend in words."""

    @staticmethod
    def plot(  # noqa: PLR0913 - texts of one picture
        values: ArrayLike,
        validity: ArrayLike | None = None,
        *,
        x: ArrayLike | None = None,
        x_label: str = "frame",
        y_label: str = "value",
        title: str = "",
    ) -> DescribedPicture:
        """Draw values (n,), without those that are invalid or not finite; raise `ValueError` if none is left."""
        heights = np.asarray(values, np.float64).reshape(-1)
        places: Floats = np.arange(len(heights), dtype=np.float64) if x is None else np.asarray(x, np.float64)
        valid = np.isfinite(heights)
        if validity is not None:
            valid &= np.asarray(validity, np.bool_).reshape(-1)
        if not valid.any():
            raise ValueError(f"none of the {len(heights)} values is finite and valid: check the masks they come from")
        shown, at = heights[valid], places[valid]
        text = _description(shown, at, title or y_label, int((~valid).sum()))
        return DescribedPicture(_curve(at, shown, x_label, y_label, title), text)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""


def _description(values: Floats, places: Floats, name: str, invalid: int) -> str:
    slope = float(np.polyfit(places, values, 1)[0]) if np.ptp(places) > 0 else 0.0
    change = abs(slope) * float(np.ptp(places))
    trend = "constant" if change <= 0.05 * max(float(np.ptp(values)), 1e-9) else "rising" if slope > 0 else "falling"
    left_out = f", {invalid} invalid left out" if invalid else ""
    return (
        f"{name}: {len(values)} values{left_out}; min {values.min():.4g} at {places[values.argmin()]:g}, "
        f"max {values.max():.4g} at {places[values.argmax()]:g}, mean {values.mean():.4g}, first {values[0]:.4g}, "
        f"last {values[-1]:.4g}, trend {trend}"
    )


def _curve(places: Floats, values: Floats, x_label: str, y_label: str, title: str) -> Image.Image:
    width, height = GRAPH_SIZE
    picture = Image.new("RGB", GRAPH_SIZE, "white")
    brush = ImageDraw.Draw(picture)
    across, up = _scaled(places, MARGIN, width - 16), _scaled(values, height - MARGIN, 24)
    brush.line((MARGIN, 24, MARGIN, height - MARGIN, width - 16, height - MARGIN), fill="black", width=1)
    points = list(zip(across.tolist(), up.tolist(), strict=True))
    if len(points) > 1:
        brush.line([value for point in points for value in point], fill="steelblue", width=2)
    for u, v in points:
        brush.ellipse((u - 3, v - 3, u + 3, v + 3), fill="steelblue")
    brush.text((MARGIN, 6), title or y_label, fill="black")
    brush.text((width // 2, height - 20), x_label, fill="black")
    for text, place in (
        (f"{values.max():.3g}", (2, 20)),
        (f"{values.min():.3g}", (2, height - MARGIN - 6)),
        (f"{places.min():g}", (MARGIN, height - MARGIN + 6)),
        (f"{places.max():g}", (width - 48, height - MARGIN + 6)),
    ):
        brush.text(place, text, fill="black")
    return picture


def _scaled(values: Floats, low: float, high: float) -> Floats:
    span = float(np.ptp(values))
    share = (values - values.min()) / span if span > 0 else np.full(len(values), 0.5)
    return low + share * (high - low)


def _canvas(image: Drawable) -> tuple[Image.Image, ImageDraw.ImageDraw, int]:
    """Return a copy to draw on, its brush and a line width that suits its size."""
    if isinstance(image, InputImage):
        picture = image.image
    elif isinstance(image, Image.Image):
        picture = image.convert("RGB")
    else:
        picture = Image.fromarray(np.asarray(image, np.uint8)).convert("RGB")
    return picture, ImageDraw.Draw(picture), max(2, round(max(picture.size) / 320))


def _rows(values: ArrayLike, length: int) -> list[list[float]]:
    rows = np.atleast_2d(np.asarray(values, np.float64))
    if rows.ndim != 2 or rows.shape[1] != length:
        raise ValueError(f"expected {length} numbers, or rows of {length}, got an array {np.asarray(values).shape}")
    return [[float(value) for value in row] for row in rows]


def _caption(brush: ImageDraw.ImageDraw, at: Sequence[float], label: str, color: str) -> None:
    if label:
        brush.text((at[0] + 3, at[1] + 3), label, fill=_color(color))


def _color(name: str) -> tuple[int, ...]:
    try:
        return ImageColor.getrgb(name)
    except ValueError as error:
        raise ValueError(
            f"{name!r} is not a CSS colour; use names such as red, lime, deepskyblue or #ff8800"
        ) from error

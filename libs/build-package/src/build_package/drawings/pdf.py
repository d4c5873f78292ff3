"""A drawing sheet as PDF, at its true size on paper."""

# pyright: basic, reportMissingTypeStubs=false
# matplotlib leaves most of its types open; the function that others call is fully annotated.

from functools import cache
from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.patches import Circle as CirclePatch

from build_package.drawings.sheet import Circle, Layer, Polyline, Sheet, Text

MM_PER_INCH, POINTS_PER_MM = 25.4, 72 / 25.4
FONT, CAPITAL = "DejaVu Sans", 0.73
"""The font, and the height of its capitals over its size."""
_LINES: dict[Layer, dict[str, Any]] = {
    "hidden": {"linewidth": 0.25 * POINTS_PER_MM, "color": "#555555", "linestyle": (0, (4, 2.5))},
    "dimensions": {"linewidth": 0.15 * POINTS_PER_MM, "color": "black"},
    "frame": {"linewidth": 0.35 * POINTS_PER_MM, "color": "black"},
    "visible": {"linewidth": 0.5 * POINTS_PER_MM, "color": "black", "solid_capstyle": "round"},
}


def as_pdf(sheet: Sheet) -> bytes:
    """Return one page of the sheet's format; equal sheets give equal bytes."""
    width, height = sheet.size_mm
    figure = Figure(figsize=(width / MM_PER_INCH, height / MM_PER_INCH))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.axis("off")
    for item in sheet.items:
        if isinstance(item, Polyline):
            axes.plot(item.points_mm[:, 0], item.points_mm[:, 1], **_LINES[item.layer])
        elif isinstance(item, Circle):
            _circle(axes, item)
        else:
            _text(axes, item)
    stream = BytesIO()
    figure.savefig(stream, format="pdf", metadata={"CreationDate": None, "Title": sheet.title})
    return stream.getvalue()


def _circle(axes: Axes, circle: Circle) -> None:
    look = {key: value for key, value in _LINES[circle.layer].items() if key != "solid_capstyle"}
    axes.add_patch(CirclePatch(circle.center_mm, circle.radius_mm, fill=False, **look))


def _text(axes: Axes, text: Text) -> None:
    axes.text(
        *text.at_mm,
        shown(text.text),
        fontsize=text.height_mm / CAPITAL * POINTS_PER_MM,
        family=FONT,
        ha=text.anchor,
        va="baseline",
        rotation=text.turned_deg,
        rotation_mode="anchor",
        parse_math=False,
    )


def shown(text: str) -> str:
    """Return a text with the codes of letters that the font lacks."""
    return "".join(letter if ord(letter) in _letters() else f"<U+{ord(letter):04X}>" for letter in text)


@cache
def _letters() -> frozenset[int]:
    """The letters that the font can show; a label may be of any script, and the name of its file has them all."""
    return frozenset(get_font(findfont(FONT)).get_charmap())

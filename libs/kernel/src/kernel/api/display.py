"""`show()`: pictures of parts, figures, arrays and simulated runs, sent to the host apart from printed output."""

import io
import sys
from collections.abc import Iterable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from kernel.api.simulation_run import SimulationRun

LABEL_CHARS = 80
MAX_PIXELS = 16_000_000
MAX_THINGS = 20
"""Arguments of one call."""
FIGURE_DPI = 100
_COLOR_CHANNELS = (3, 4)


class Screen(Protocol):
    """Displays pictures to the agent."""

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        """Draw geometry, all of it in one picture."""
        ...

    def show_picture(self, png: bytes, label: str) -> None:
        """Display a finished picture."""
        ...

    def show_run(self, run: SimulationRun, label: str) -> None:
        """Draw a run, or a slice of one."""
        ...


def show_on(screen: Screen, things: tuple[object, ...], label: str | None) -> None:
    """Show each thing; shapes in one list share a picture. Raises `TypeError` with a hint for other types."""
    if not things:
        raise TypeError("show() needs something to show: a Part, a Figure, a uint8 array or a simulated run")
    if len(things) > MAX_THINGS:
        raise ValueError(f"show() takes at most {MAX_THINGS} things at once; these are {len(things)}")
    for number, thing in enumerate(things, 1):
        suffix = f" ({number} of {len(things)})" if len(things) > 1 else ""
        _show(screen, thing, None if label is None else label + suffix)


def _show(screen: Screen, thing: object, label: str | None) -> None:
    if isinstance(thing, list | tuple):
        _show_list(screen, tuple(cast("Iterable[object]", thing)), label)
    elif isinstance(thing, SimulationRun):
        screen.show_run(thing, label or f"simulation: {thing.verdict}")
    elif (png := _png_of(thing)) is not None:
        screen.show_picture(png, label or _default_label(thing))
    else:
        screen.show_shapes((thing,), label or _default_label(thing))


def _show_list(screen: Screen, things: tuple[object, ...], label: str | None) -> None:
    if any(isinstance(each, list | tuple) for each in things):
        raise TypeError("show() takes lists of things, not lists of lists")
    if any(isinstance(each, SimulationRun | np.ndarray | Image.Image) or _is_figure(each) for each in things):
        show_on(screen, things, label)
    else:
        screen.show_shapes(things, label or f"{len(things)} shapes")


def _is_figure(thing: object) -> bool:
    """Tell whether it is a matplotlib figure, without importing matplotlib."""
    figure = getattr(sys.modules.get("matplotlib.figure"), "Figure", None)
    return isinstance(figure, type) and isinstance(thing, figure)


def _png_of(thing: object) -> bytes | None:
    """Return a picture as PNG; None for anything else."""
    if isinstance(thing, np.ndarray):
        return png_of_array(cast("NDArray[Any]", thing))
    if isinstance(thing, Image.Image):
        return _encoded(thing.convert("RGB"))
    return _png_of_figure(thing) if _is_figure(thing) else None


def png_of(thing: object) -> bytes:
    """Return a PIL image, a figure or a uint8 array as PNG; raise `TypeError` for anything else."""
    png = _png_of(thing)
    if png is None:
        raise TypeError(f"a picture is needed: an image, a figure or a uint8 array, not {type(thing).__name__}")
    return png


def _png_of_figure(figure: Any) -> bytes:  # noqa: ANN401 - matplotlib belongs to the agent's side
    width, height = (float(inches) * FIGURE_DPI for inches in figure.get_size_inches())
    if width * height > MAX_PIXELS:
        raise ValueError(f"a figure of {width:.0f} x {height:.0f} pixels is too large; set a smaller figsize")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=FIGURE_DPI)
    return buffer.getvalue()


def png_of_array(array: NDArray[Any]) -> bytes:
    """Return an array (height, width), (height, width, 3) or (height, width, 4) of uint8 as PNG.

    Raises `TypeError` with a hint for other types and shapes, and `ValueError` for an empty or too large array.
    """
    if array.dtype != np.uint8:
        raise TypeError(
            f"show() draws arrays of uint8, this one is {array.dtype}; scale it to 0..255 and use .astype(np.uint8), "
            "or draw it with plt.imshow(array) and show(plt.gcf())"
        )
    if array.ndim != 2 and not (array.ndim == 3 and array.shape[2] in _COLOR_CHANNELS):
        raise TypeError(f"show() draws arrays (height, width), (…, 3) or (…, 4); not {array.shape}")
    height, width = array.shape[:2]
    if not 0 < height * width <= MAX_PIXELS:
        raise ValueError(f"an array of {width} x {height} pixels cannot be shown; at most {MAX_PIXELS} pixels can")
    return _encoded(Image.fromarray(np.ascontiguousarray(array)))


def _encoded(image: Image.Image) -> bytes:
    if image.width * image.height > MAX_PIXELS:
        raise ValueError(f"an image of {image.width} x {image.height} pixels cannot be shown; at most {MAX_PIXELS} can")
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def _default_label(thing: object) -> str:
    if isinstance(thing, np.ndarray):
        return "array " + " x ".join(str(length) for length in cast("NDArray[Any]", thing).shape)
    if _is_figure(thing):
        axes: list[Any] = cast("Any", thing).axes
        titles = [str(each.get_title()) for each in axes]
        return next((title for title in titles if title), "figure")
    label = getattr(thing, "label", "")
    return label if isinstance(label, str) and label else type(thing).__name__

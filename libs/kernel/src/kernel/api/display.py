"""`show()`: what a cell wants to be seen leaves as geometry or as a picture, apart from what is printed."""

import io
import struct
import sys
import zlib
from collections.abc import Iterable
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from kernel.api.simulation_run import SimulationRun

LABEL_CHARS = 80
MAX_PIXELS = 16_000_000
MAX_THINGS = 20
"""Of one call; nobody looks at more."""
FIGURE_DPI = 100
_GREY = 0
_COLOR_TYPES = {3: 2, 4: 6}
"""PNG's number for as many channels."""

Pixels = NDArray[np.uint8]


class Screen(Protocol):
    """Where things are shown."""

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        """Have geometry drawn, all of it in one picture."""
        ...

    def show_picture(self, png: bytes, label: str) -> None:
        """Hand over a picture."""
        ...

    def show_run(self, run: SimulationRun, label: str) -> None:
        """Have a run, or a slice of one, drawn."""
        ...


def show_on(screen: Screen, things: tuple[object, ...], label: str | None) -> None:
    """Show each thing; shapes that come in one list share a picture. Raises `TypeError` with a hint."""
    if not things:
        raise TypeError("show() needs something to show: a Part, a Figure, a uint8 array or a simulated run")
    if len(things) > MAX_THINGS:
        raise ValueError(f"show() takes at most {MAX_THINGS} things at once; these are {len(things)}")
    for number, thing in enumerate(things, 1):
        several = f" ({number} of {len(things)})" if len(things) > 1 else ""
        _show(screen, thing, None if label is None else label + several)


def _show(screen: Screen, thing: object, label: str | None) -> None:
    if isinstance(thing, list | tuple):
        _show_many(screen, tuple(cast("Iterable[object]", thing)), label)
    elif isinstance(thing, SimulationRun):
        screen.show_run(thing, label or f"simulation: {thing.verdict}")
    elif (png := _png_of(thing)) is not None:
        screen.show_picture(png, label or _name_of(thing))
    else:
        screen.show_shapes((thing,), label or _name_of(thing))


def _show_many(screen: Screen, things: tuple[object, ...], label: str | None) -> None:
    if any(isinstance(each, list | tuple) for each in things):
        raise TypeError("show() takes lists of things, not lists of lists")
    if any(isinstance(each, SimulationRun) or _is_picture(each) for each in things):
        show_on(screen, things, label)
    else:
        screen.show_shapes(things, label or f"{len(things)} shapes")


def _is_picture(thing: object) -> bool:
    if isinstance(thing, np.ndarray):
        return True
    return _is(thing, "matplotlib.figure", "Figure") or _is(thing, "PIL.Image", "Image")


def _is(thing: object, module: str, name: str) -> bool:
    """Tell whether it is of a class whose module may not even be there: then it is not."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(thing, kind)


def _png_of(thing: object) -> bytes | None:
    """Return a picture as PNG; None for what is no picture."""
    if isinstance(thing, np.ndarray):
        return png_of_array(cast("NDArray[Any]", thing))
    if _is(thing, "matplotlib.figure", "Figure"):
        return _png_of_figure(thing)
    if _is(thing, "PIL.Image", "Image"):
        return png_of_array(np.asarray(cast("Any", thing).convert("RGB")))
    return None


def _png_of_figure(figure: Any) -> bytes:  # noqa: ANN401 - matplotlib belongs to the agent's side
    width, height = (float(inches) * FIGURE_DPI for inches in figure.get_size_inches())
    if width * height > MAX_PIXELS:
        raise ValueError(f"a figure of {width:.0f} x {height:.0f} pixels is too large; set a smaller figsize")
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=FIGURE_DPI)
    return drawn.getvalue()


def png_of_array(array: NDArray[Any]) -> bytes:
    """Return an array (height, width), (height, width, 3) or (height, width, 4) of uint8 as PNG.

    Raises `TypeError` that says what to do for anything else, and `ValueError` for what is empty or too large.
    """
    if array.dtype != np.uint8:
        raise TypeError(
            f"show() draws arrays of uint8, this one is {array.dtype}; scale it to 0..255 and use .astype(np.uint8), "
            "or draw it with plt.imshow(array) and show(plt.gcf())"
        )
    if array.ndim != 2 and not (array.ndim == 3 and array.shape[2] in _COLOR_TYPES):
        raise TypeError(f"show() draws arrays (height, width), (…, 3) or (…, 4); not {array.shape}")
    height, width = array.shape[:2]
    if not 0 < height * width <= MAX_PIXELS:
        raise ValueError(f"an array of {width} x {height} pixels cannot be shown; at most {MAX_PIXELS} pixels can")
    color_type = _GREY if array.ndim == 2 else _COLOR_TYPES[array.shape[2]]
    lines = np.ascontiguousarray(array).reshape(height, -1)
    unfiltered = np.concatenate([np.zeros((height, 1), np.uint8), lines], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(unfiltered, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _name_of(thing: object) -> str:
    if isinstance(thing, np.ndarray):
        return "array " + " x ".join(str(length) for length in cast("NDArray[Any]", thing).shape)
    if _is(thing, "matplotlib.figure", "Figure"):
        axes: list[Any] = cast("Any", thing).axes
        titles = [str(each.get_title()) for each in axes]
        return next((title for title in titles if title), "figure")
    label = getattr(thing, "label", "")
    return label if isinstance(label, str) and label else type(thing).__name__

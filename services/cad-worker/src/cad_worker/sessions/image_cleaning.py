"""Pictures from a kernel, decoded and encoded anew: what is kept is a PNG that we have written."""

import io
import warnings
from dataclasses import dataclass

from contracts.text import shortened, storable
from PIL import Image, UnidentifiedImageError

MAX_PIXELS = 16_000_000
"""Decoded; a few kilobytes of PNG can claim to be a thousand times as much."""
MAX_EDGE_PX = 1024
"""Larger pictures are made smaller."""
LABEL_CHARS = 80
_PAPER = (255, 255, 255)


class UnfitImageError(ValueError):
    """The bytes are no picture that can be kept; the message says why."""


@dataclass(frozen=True)
class CleanImage:
    """A picture that can be kept."""

    png: bytes
    width_px: int
    height_px: int


def clean_image(sent: bytes) -> CleanImage:
    """Return the picture as we would have written it: RGB on white, without anything else that came in the file."""
    try:
        with warnings.catch_warnings(), Image.open(io.BytesIO(sent), formats=("PNG",)) as image:
            warnings.simplefilter("error")  # Pillow warns of what it takes for a bomb
            if image.width * image.height > MAX_PIXELS:
                raise UnfitImageError(f"{image.width} x {image.height} pixels are too many; at most {MAX_PIXELS}")
            flat = _on_paper(image)
    except UnidentifiedImageError as error:
        raise UnfitImageError("this is no PNG") from error
    except (OSError, SyntaxError, ValueError, Warning, Image.DecompressionBombError) as error:
        raise UnfitImageError(f"the PNG cannot be read: {error}") from error
    flat.thumbnail((MAX_EDGE_PX, MAX_EDGE_PX))
    return _written(flat)


def _on_paper(image: Image.Image) -> Image.Image:
    colored = image.convert("RGBA")
    flat = Image.new("RGB", colored.size, _PAPER)
    flat.paste(colored, mask=colored.getchannel("A"))
    return flat


def _written(image: Image.Image) -> CleanImage:
    file = io.BytesIO()
    image.save(file, "PNG")
    return CleanImage(file.getvalue(), image.width, image.height)


def clean_label(text: str) -> str:
    """Return a label of one line and few characters, all of them printable, none of them Markdown's quotes."""
    words = " ".join(storable(text).split())
    printable = "".join(each if each.isprintable() and each != "`" else "\ufffd" for each in words)
    return shortened(printable, LABEL_CHARS // 2, LABEL_CHARS // 4) if len(printable) > LABEL_CHARS else printable

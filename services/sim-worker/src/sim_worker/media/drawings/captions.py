"""Text below a picture, where it hides nothing of it."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from sim_worker.media.canvas import Picture

INK, PAPER = (40, 44, 52), (255, 255, 255)
MARGIN_PX = 6
LINE_SHARE = 1.3
"""Height of a line over that of its letters."""
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@cache
def font(size_px: int) -> Font:
    """Return Pillow's own font, which every machine has."""
    return ImageFont.load_default(size_px)


def wrapped(text: str, width_px: int, size_px: int) -> list[str]:
    """Return a text in lines that are at most so wide; a longer word has a line of its own."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font(size_px).getlength(longer) > width_px:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def with_captions(pictures: Sequence[Picture], captions: Sequence[Sequence[str]], size_px: int) -> list[Picture]:
    """Return pictures of one width with their lines of text below them, all strips equally high."""
    width_px = pictures[0].shape[1] - 2 * MARGIN_PX
    texts = [[line for text in lines for line in wrapped(text, width_px, size_px)] for lines in captions]
    most = max(map(len, texts))
    return [_above(picture, lines, most, size_px) for picture, lines in zip(pictures, texts, strict=True)]


def _above(picture: Picture, lines: Sequence[str], most: int, size_px: int) -> Picture:
    line_px = round(LINE_SHARE * size_px)
    strip = Image.new("RGB", (picture.shape[1], most * line_px + 2 * MARGIN_PX), PAPER)
    draw = ImageDraw.Draw(strip)
    for number, line in enumerate(lines):
        draw.text((MARGIN_PX, MARGIN_PX + number * line_px), line, INK, font(size_px))
    return np.concatenate([picture, np.asarray(strip)], axis=0)

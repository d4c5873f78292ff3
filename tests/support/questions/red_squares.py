"""Pictures and videos of red squares: how many there are is known."""

from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path

import av
import numpy as np
from PIL import Image, ImageDraw

SIZE = (96, 64)
SIDE = 8
"""Of a square, in pixels."""
VIDEO_FRAMES = 6


def squares(number: int) -> int:
    """Return how many red squares picture and video `number` have: 1 to 4."""
    return number % 4 + 1


def shade(number: int) -> int:
    """Return the red of the squares of a picture: every third one is dim."""
    return 110 if number % 3 == 2 else 255


def picture(number: int) -> Image.Image:
    """Return a picture with its red squares."""
    image = Image.new("RGB", SIZE, "navy")
    draw = ImageDraw.Draw(image)
    for index in range(squares(number)):
        left, top = 8 + 20 * index, 8 + 10 * ((number + index) % 4)
        draw.rectangle((left, top, left + SIDE - 1, top + SIDE - 1), fill=(shade(number), 0, 0))
    return image


def encoded(number: int, form: str = "PNG") -> bytes:
    """Return a picture's file."""
    file = BytesIO()
    picture(number).save(file, form)
    return file.getvalue()


def write_picture(path: Path, number: int) -> None:
    """Write a picture in the form of its suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture(number).save(path)


def write_video(path: Path, number: int) -> None:
    """Write a video that shows the picture; none if it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=6, options={"crf": "5"})  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv444p"
        for frame in chain(_frames(number), [None]):
            container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part


def mask_of(number: int) -> str:
    """Return a mask of the first square in base64."""
    left, top = 8, 8 + 10 * (number % 4)
    mask = Image.new("L", SIZE, 0)
    ImageDraw.Draw(mask).rectangle((left, top, left + SIDE - 1, top + SIDE - 1), fill=255)
    file = BytesIO()
    mask.save(file, "PNG")
    return b64encode(file.getvalue()).decode()


def _frames(number: int) -> Iterator[av.VideoFrame]:
    pixels = np.asarray(picture(number))
    for _ in range(VIDEO_FRAMES):
        yield av.VideoFrame.from_ndarray(pixels, format="rgb24")

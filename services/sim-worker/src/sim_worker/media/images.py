"""Pictures: tiling, and encoding as PNG, MP4 and animated WebP."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# PyAV leaves the keyword arguments and the stream type of its packets untyped.

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from io import BytesIO
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
from PIL import Image

from sim_worker.media.canvas import Picture

ENCODER = "libvpx-vp9"
"""VP9: free of royalties, and its encoder has the BSD licence. x264, which lies beside it, has the GPL."""
ENCODING = {"deadline": "realtime", "cpu-used": "8", "crf": "32", "b": "0", "row-mt": "1"}
"""The encoder's fastest way; `crf` is its constant quality: less is better and larger."""
THREADS = 2
"""Encode one picture while the next is drawn. The number is fixed, because other numbers give other bytes."""

CLIP_WIDTH_PX, CLIP_PICTURES, CLIP_PICTURE_MS = 480, 120, 80
"""A longer run is shown faster, so that a clip has at most so many pictures."""
CLIP_BYTES = 2_000_000
CLIP_QUALITIES = (80, 60, 35, 10, 0)
"""From the best on, until a clip is small enough; at the last one a picture of noise is."""


def tiled(pictures: Sequence[Picture], columns: int) -> Picture:
    """Return pictures of one size in rows; the rest of the last row is white."""
    columns = min(columns, len(pictures))
    tiles = [*pictures, *[np.full_like(pictures[0], 255)] * (-len(pictures) % columns)]
    rows = [np.concatenate(tiles[first : first + columns], axis=1) for first in range(0, len(tiles), columns)]
    sheet: Picture = np.concatenate(rows, axis=0)
    return sheet


def halved(picture: Picture) -> Picture:
    """Return a picture of half the width and height, which must be even."""
    height, width, channels = picture.shape
    quarters = picture.reshape(height // 2, 2, width // 2, 2, channels).astype(np.uint16)
    smaller: Picture = ((quarters.sum(axis=(1, 3)) + 2) // 4).astype(np.uint8)
    return smaller


def png(picture: Picture) -> bytes:
    """Return a PNG; the same picture gives the same bytes."""
    height, width, _ = picture.shape
    encoder = av.VideoCodecContext.create("png", "w")
    encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = width, height, "rgb24", Fraction(1)
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
    return b"".join(bytes(packet) for packet in (*encoder.encode(frame), *encoder.encode()))


def mp4(pictures: Iterable[Picture], width: int, height: int, pictures_per_s: int) -> bytes:
    """Return a VP9 video that every browser plays, with its index in front so that it plays while it loads."""
    with TemporaryDirectory(prefix="millwright-film-") as folder:
        file = Path(folder, "film.mp4")  # the index can only be moved to the front in a named file
        _write(file, pictures, width, height, pictures_per_s)
        return file.read_bytes()


def _write(file: Path, pictures: Iterable[Picture], width: int, height: int, pictures_per_s: int) -> None:
    with av.open(file, "w", format="mp4", options={"movflags": "+faststart"}) as film:
        stream = film.add_stream(ENCODER, rate=pictures_per_s, options=ENCODING)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.thread_count, stream.codec_context.thread_type = THREADS, "FRAME"
        for picture in pictures:
            film.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        film.mux(stream.encode())


class Clip:
    """A short form of a video for sharing: an animated WebP, which repeats itself."""

    def __init__(self, pictures: int, pictures_per_s: int) -> None:
        """Prepare the clip of a video with so many pictures."""
        usual = max(1, round(pictures_per_s * CLIP_PICTURE_MS / 1000))
        self._every = max(usual, ceil(pictures / CLIP_PICTURES))
        self._pictures: list[Image.Image] = []

    def passing(self, pictures: Iterable[Picture]) -> Iterator[Picture]:
        """Yield the pictures of the video, and keep some of them."""
        for number, picture in enumerate(pictures):
            if number % self._every == 0:
                height_px = round(CLIP_WIDTH_PX * picture.shape[0] / picture.shape[1])
                self._pictures.append(Image.fromarray(picture).resize((CLIP_WIDTH_PX, height_px)))
            yield picture

    def webp(self) -> bytes:
        """Return the clip, in at most 2 MB."""
        clips = (self._encoded(quality) for quality in CLIP_QUALITIES)
        return next(clip for clip in clips if len(clip) <= CLIP_BYTES)

    def _encoded(self, quality: int) -> bytes:
        file, (first, *others) = BytesIO(), self._pictures
        options = {"duration": CLIP_PICTURE_MS, "loop": 0, "quality": quality, "method": 2}
        first.save(file, "WEBP", save_all=True, append_images=others, **options)
        return file.getvalue()

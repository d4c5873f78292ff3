"""Pictures to files."""

# pyright: reportUnknownMemberType=false
# PyAV leaves the keyword arguments and the stream type of its packets untyped.

import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import av

from sim_worker.media.canvas import Picture

QUALITY = "21"
"""x264's constant rate factor: less is better and larger."""
THREADS = 2
"""One picture is encoded while the next is drawn; always as many, since other numbers give other bytes."""


def mp4(pictures: Iterable[Picture], width: int, height: int, pictures_per_s: int) -> bytes:
    """Return an H.264 film that every browser plays, with its index in front so that it plays while it loads."""
    with TemporaryDirectory(prefix="millwright-film-") as folder:
        file = Path(folder, "film.mp4")  # the index can only be moved to the front in a file with a name
        _write(file, pictures, width, height, pictures_per_s)
        return file.read_bytes()


def _write(file: Path, pictures: Iterable[Picture], width: int, height: int, pictures_per_s: int) -> None:
    with av.open(file, "w", format="mp4", options={"movflags": "+faststart"}) as film:
        stream = film.add_stream("libx264", rate=pictures_per_s, options={"preset": "veryfast", "crf": QUALITY})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.thread_count, stream.codec_context.thread_type = THREADS, "FRAME"
        for picture in pictures:
            film.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        film.mux(stream.encode())


def png(picture: Picture) -> bytes:
    """Return a PNG; the same picture gives the same bytes."""
    height, width, _ = picture.shape
    lines = b"".join(b"\0" + line.tobytes() for line in picture)  # each line begins with its filter: none
    eight_bit_rgb = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", eight_bit_rgb), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

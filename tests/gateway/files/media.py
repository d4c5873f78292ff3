# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# PyAV leaves the types of encoders open
"""Pictures and videos to send, and such that must be refused."""

import io
import zlib
from pathlib import Path

import av
import numpy as np
from PIL import Image


def image(width_px: int, height_px: int, form: str = "PNG") -> bytes:
    """Return a picture of one colour."""
    file = io.BytesIO()
    Image.new("RGB", (width_px, height_px), (200, 30, 90)).save(file, form)
    return file.getvalue()


def animation(form: str, frames: int = 3) -> bytes:
    """Return a picture with frames that differ."""
    first, *others = (Image.new("RGB", (16, 12), (60 * number, 0, 0)) for number in range(frames))
    file = io.BytesIO()
    first.save(file, form, save_all=True, append_images=others)
    return file.getvalue()


def huge_png(width_px: int, height_px: int) -> bytes:
    """Return a picture of which only the header is large: it is refused before its pixels are decoded."""
    small = image(1, 1)
    header = small[:12] + b"IHDR" + width_px.to_bytes(4, "big") + height_px.to_bytes(4, "big") + small[24:29]
    return header + zlib.crc32(header[12:]).to_bytes(4, "big") + small[33:]


def video(path: Path, frames: int, size_px: tuple[int, int] = (160, 120)) -> bytes:
    """Write a video that gets brighter, and return it; its index comes first, as in files for the web."""
    with av.open(str(path), "w", options={"movflags": "faststart"} if path.suffix == ".mp4" else {}) as container:
        stream = container.add_stream("libx264", rate=24)
        stream.width, stream.height, stream.pix_fmt = *size_px, "yuv420p"
        for number in range(frames):
            pixels = np.full((size_px[1], size_px[0], 3), 5 * number % 256, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        if frames:
            container.mux(stream.encode())
        else:
            container.start_encoding()
    return path.read_bytes()


def sound(path: Path) -> bytes:
    """Write a film without pictures, and return it."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), dtype=np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44100
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path.read_bytes()

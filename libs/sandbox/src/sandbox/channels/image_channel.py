"""How images leave a kernel: framed PNG bytes on a pipe of their own (descriptor 4), so that print can forge none.

In the kernel: `ImageSender(IMAGES_FD).send(label, png)`, once per image, in the thread of the cell or in any other; it
raises `ImageTooLargeError` for an image that the host would not take. `begin_cell(name)` says which cell is running; a
thread that an earlier cell left behind still sends for whom it likes, and the host drops what is not for the cell that
runs. On the host: `CellOutcome.images` holds what a cell sent, in order, at most `MAX_IMAGES` and `MAX_CELL_BYTES`
together, and `CellOutcome.images_left_out` how many more there were. The bytes are a kernel's word: whoever makes an
artifact of them decodes and encodes them anew. What is no frame ends the kernel that wrote it, and no other.
"""

import os
import struct
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock

from pydantic import BaseModel, ValidationError

from sandbox.channels.channel import ChannelBrokenError
from sandbox.channels.pipe_drain import PipeDrain

IMAGES_FD = 4
MAX_IMAGES = 20
"""Of one cell."""
MAX_IMAGE_BYTES = 4 << 20
MAX_CELL_BYTES = 16 << 20
LABEL_CHARS = 200
_MAX_HEAD_BYTES = 4096
_FRAME = struct.Struct(">4sII")
_MARK = b"MWIM"


class ImageTooLargeError(ValueError):
    """The image has more bytes than may leave the kernel."""


class ImagesBrokenError(ChannelBrokenError):
    """A kernel wrote what is no image; the message says so."""


class ImageHead(BaseModel):
    """What comes before the bytes of an image."""

    cell: str
    label: str


@dataclass(frozen=True)
class SentImage:
    """An image as a kernel sent it: nothing of it is believed."""

    label: str
    png: bytes


class ImageSender:
    """The kernel's end: blocking."""

    def __init__(self, descriptor: int, uninterrupted: Callable[[], AbstractContextManager[None]]) -> None:
        """`uninterrupted`: a block in which no interrupt may leave half a frame behind."""
        self._descriptor = descriptor
        self._uninterrupted = uninterrupted
        self._one_at_a_time = Lock()
        self._cell = ""

    def begin_cell(self, name: str) -> None:
        """Send for this cell from now on."""
        self._cell = name

    def send(self, label: str, png: bytes) -> None:
        """Send one image, all of it; raise `ImageTooLargeError`."""
        if len(png) > MAX_IMAGE_BYTES:
            raise ImageTooLargeError(f"an image of {len(png)} bytes is too large; at most {MAX_IMAGE_BYTES} are taken")
        head = ImageHead(cell=self._cell, label=label[:LABEL_CHARS]).model_dump_json().encode()
        rest = memoryview(_FRAME.pack(_MARK, len(head), len(png)) + head + png)
        with self._one_at_a_time, self._uninterrupted():
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]


class ReceivedImages:
    """The host's end: keeps what the running cell sends, within bounds."""

    def __init__(self, descriptor: int) -> None:
        self._buffer = bytearray()
        self._broken = False
        self._pipe = PipeDrain(descriptor, self._take)
        self.begin("")

    def begin(self, cell: str) -> None:
        """Keep what is sent for this cell from now on."""
        self._cell = cell
        self._kept: list[SentImage] = []
        self._room_bytes = MAX_CELL_BYTES
        self.left_out = 0

    def taken(self) -> tuple[SentImage, ...]:
        """Return what the cell has sent; raise `ImagesBrokenError` when there was something that is no image."""
        self._pipe.drain()
        if self._broken:
            raise ImagesBrokenError("it wrote what is no image on the channel for images")
        return tuple(self._kept)

    def close(self) -> None:
        """Stop listening."""
        self._pipe.close()

    def _take(self, piece: bytes) -> None:
        if self._broken:
            return
        self._buffer += piece
        while len(self._buffer) >= _FRAME.size and not self._broken:
            mark, head_bytes, png_bytes = _FRAME.unpack_from(self._buffer)
            if mark != _MARK or head_bytes > _MAX_HEAD_BYTES or png_bytes > MAX_IMAGE_BYTES:
                self._break()
                return
            end = _FRAME.size + head_bytes + png_bytes
            if len(self._buffer) < end:
                return
            start = _FRAME.size + head_bytes
            self._keep(bytes(self._buffer[_FRAME.size : start]), bytes(self._buffer[start:end]))
            del self._buffer[:end]

    def _keep(self, head: bytes, png: bytes) -> None:
        try:
            words = ImageHead.model_validate_json(head)
        except ValidationError:
            self._break()
            return
        if words.cell != self._cell or len(self._kept) >= MAX_IMAGES or len(png) > self._room_bytes:
            self.left_out += 1
            return
        self._room_bytes -= len(png)
        self._kept.append(SentImage(words.label[:LABEL_CHARS], png))

    def _break(self) -> None:
        self._broken = True
        self._buffer.clear()

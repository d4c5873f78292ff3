"""Image channel: framed PNG bytes from a child to its host, on a pipe of their own that printed text cannot forge.

The child sends each image under the name of the task that it works on; the host keeps those of the task that it expects
and counts the others. Nothing about the bytes is trusted: the host must decode and encode an image before it passes it
on. Bytes that are not a frame break the channel.
"""

import os
import struct
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock

from pydantic import BaseModel, ValidationError

from sandbox.channels.channel import InvalidMessageError
from sandbox.channels.printed_output import PipeDrain

IMAGES_FD = 4
"""The child's end."""
MAX_IMAGES = 20
"""Per task."""
MAX_IMAGE_BYTES = 4 << 20
MAX_TASK_BYTES = 16 << 20
LABEL_CHARS = 200
_MAX_HEAD_BYTES = 4096
_FRAME = struct.Struct(">4sII")
_MAGIC = b"MWIM"


class ImageTooLargeError(ValueError):
    """The image has more bytes than the host accepts."""


class ImagesBrokenError(InvalidMessageError):
    """A child wrote bytes that are not an image frame."""


class ImageHead(BaseModel):
    """The head of a frame, before the bytes of the image."""

    task: str
    label: str


@dataclass(frozen=True)
class SentImage:
    """An image as a child sent it, untrusted."""

    label: str
    png: bytes


class ImageSender:
    """The child's end: blocking, for any thread."""

    def __init__(self, descriptor: int, uninterrupted: Callable[[], AbstractContextManager[None]]) -> None:
        """`uninterrupted` returns a context in which no interrupt can leave half a frame behind."""
        self._descriptor = descriptor
        self._uninterrupted = uninterrupted
        self._lock = Lock()
        self._task = ""

    def begin(self, task: str) -> None:
        """Send images under this name from now on."""
        self._task = task

    def send(self, label: str, png: bytes) -> None:
        """Send a whole image; raise `ImageTooLargeError`."""
        if len(png) > MAX_IMAGE_BYTES:
            raise ImageTooLargeError(f"an image of {len(png)} bytes is too large; at most {MAX_IMAGE_BYTES} are taken")
        head = ImageHead(task=self._task, label=label[:LABEL_CHARS]).model_dump_json().encode()
        rest = memoryview(_FRAME.pack(_MAGIC, len(head), len(png)) + head + png)
        with self._lock, self._uninterrupted():
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]


class ReceivedImages:
    """The host's end: keeps the images of the current task, within bounds."""

    def __init__(self, descriptor: int) -> None:
        self._buffer = bytearray()
        self._is_broken = False
        self._pipe = PipeDrain(descriptor, self._take)
        self.begin("")

    def begin(self, task: str) -> None:
        """Keep images of this task from now on."""
        self._task = task
        self._images: list[SentImage] = []
        self._free_bytes = MAX_TASK_BYTES
        self.left_out = 0
        """How many images of this or another task were dropped."""

    def images(self) -> tuple[SentImage, ...]:
        """Return the images of the task; raise `ImagesBrokenError` when the child wrote anything else."""
        self._pipe.drain()
        if self._is_broken:
            raise ImagesBrokenError("it wrote something other than images to the image channel")
        return tuple(self._images)

    def close(self) -> None:
        """Close this end."""
        self._pipe.close()

    def _take(self, piece: bytes) -> None:
        if self._is_broken:
            return
        self._buffer += piece
        while len(self._buffer) >= _FRAME.size and not self._is_broken:
            magic, head_bytes, png_bytes = _FRAME.unpack_from(self._buffer)
            if magic != _MAGIC or head_bytes > _MAX_HEAD_BYTES or png_bytes > MAX_IMAGE_BYTES:
                self._break()
                return
            end = _FRAME.size + head_bytes + png_bytes
            if len(self._buffer) < end:
                return
            start = _FRAME.size + head_bytes
            self._add(bytes(self._buffer[_FRAME.size : start]), bytes(self._buffer[start:end]))
            del self._buffer[:end]

    def _add(self, head: bytes, png: bytes) -> None:
        try:
            parsed = ImageHead.model_validate_json(head)
        except ValidationError:
            self._break()
            return
        if parsed.task != self._task or len(self._images) >= MAX_IMAGES or len(png) > self._free_bytes:
            self.left_out += 1
            return
        self._free_bytes -= len(png)
        self._images.append(SentImage(parsed.label[:LABEL_CHARS], png))

    def _break(self) -> None:
        self._is_broken = True
        self._buffer.clear()

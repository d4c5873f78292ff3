"""The wire between host and child: length-prefixed JSON on a descriptor of its own, apart from what is printed."""

import os
import struct
from typing import TypeVar

from pydantic import BaseModel

MAX_MESSAGE_BYTES = 64 << 20
"""Larger messages break the channel: nobody has that much to say."""

HEADER = struct.Struct(">I")
M = TypeVar("M", bound=BaseModel)


class ChannelBrokenError(ConnectionError):
    """The other side is gone, or does not speak our language."""


def frame(message: BaseModel) -> bytes:
    """Return the message as it travels."""
    body = message.model_dump_json().encode()
    if len(body) > MAX_MESSAGE_BYTES:
        raise ChannelBrokenError(f"a message of {len(body)} bytes is too large for the channel")
    return HEADER.pack(len(body)) + body


def body_size(header: bytes) -> int:
    """Return how many bytes follow; raise `ChannelBrokenError` when that is absurd."""
    (size,) = HEADER.unpack(header)
    if size > MAX_MESSAGE_BYTES:
        raise ChannelBrokenError(f"a message of {size} bytes was announced")
    return size


class Channel:
    """The child's end: blocking."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, message: BaseModel) -> None:
        """Send one message, all of it."""
        rest = memoryview(frame(message))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def receive(self, expected: type[M]) -> M:
        """Wait for one message; raise `ChannelBrokenError` at the end."""
        return expected.model_validate_json(self._read(body_size(self._read(HEADER.size))))

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = os.read(self._descriptor, min(size, 1 << 20))
            if not part:
                raise ChannelBrokenError("the host has closed the channel")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

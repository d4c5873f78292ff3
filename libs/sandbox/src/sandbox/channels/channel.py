"""Message channel between host and child: length-prefixed JSON on a socket, apart from what the child prints."""

import asyncio
import os
import socket
import struct
from typing import TypeVar

from pydantic import BaseModel

MAX_MESSAGE_BYTES = 64 << 20
"""Larger messages break the channel."""

_HEADER = struct.Struct(">I")
_INBOX_MESSAGES = 4
M = TypeVar("M", bound=BaseModel)


class ChannelBrokenError(ConnectionError):
    """The other end is closed, or sent bytes that are not a message."""


class ChildChannel:
    """The child's end: blocking."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, message: BaseModel) -> None:
        """Send a whole message."""
        rest = memoryview(_frame(message))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def receive(self, expected: type[M]) -> M:
        """Wait for a message; raise `ChannelBrokenError` when the host has closed the channel."""
        return expected.model_validate_json(self._read(_body_size(self._read(_HEADER.size))))

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = os.read(self._descriptor, min(size, 1 << 20))
            if not part:
                raise ChannelBrokenError("the host has closed the channel")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


class HostChannel:
    """The host's end: sends and receives whole messages. A cancelled `receive` loses no message."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue(_INBOX_MESSAGES)
        self._pump = asyncio.create_task(self._read())

    @classmethod
    async def over(cls, end: socket.socket) -> "HostChannel":
        """Return the channel over the host's end of a socket pair, which the channel then owns."""
        return cls(*await asyncio.open_unix_connection(sock=end))

    async def send(self, message: BaseModel) -> None:
        """Send a message; raise `ChannelBrokenError` when the child has closed its end."""
        try:
            self._writer.write(_frame(message))
            await self._writer.drain()
        except ConnectionError as error:
            raise ChannelBrokenError("the child has closed its channel") from error

    async def receive(self, expected: type[M]) -> M:
        """Wait for a message; raise `ChannelBrokenError` when the child has closed its end or sent anything else."""
        body = await self._inbox.get()
        if body is None:
            self._inbox.put_nowait(None)
            raise ChannelBrokenError("the child has closed its channel")
        try:
            return expected.model_validate_json(body)
        except ValueError as error:
            raise ChannelBrokenError("the child sent a malformed message") from error

    async def close(self) -> None:
        """Close this end."""
        self._pump.cancel()
        self._writer.close()  # before the first wait, which may be cancelled
        await asyncio.gather(self._pump, self._writer.wait_closed(), return_exceptions=True)

    async def _read(self) -> None:
        try:
            while True:
                header = await self._reader.readexactly(_HEADER.size)
                await self._inbox.put(await self._reader.readexactly(_body_size(header)))
        except (asyncio.IncompleteReadError, ConnectionError):  # ChannelBrokenError is a ConnectionError
            await self._inbox.put(None)


def _frame(message: BaseModel) -> bytes:
    body = message.model_dump_json().encode()
    if len(body) > MAX_MESSAGE_BYTES:
        raise ChannelBrokenError(f"a message of {len(body)} bytes is too large for the channel")
    return _HEADER.pack(len(body)) + body


def _body_size(header: bytes) -> int:
    (size,) = _HEADER.unpack(header)
    if size > MAX_MESSAGE_BYTES:
        raise ChannelBrokenError(f"a message of {size} bytes was announced")
    return size

"""Message channel between host and child: length-prefixed JSON on a socket, apart from what the child prints.

The host reads messages on its event loop, so their size is limited; that of untrusted children also by the number of
values, since a megabyte of empty objects takes a hundred times as long to validate as one of text.
"""

import asyncio
import os
import socket
import struct
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

_HEADER = struct.Struct(">I")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class MessageLimits:
    """What a message may have."""

    size_bytes: int = 64 << 20
    values: int | None = None
    """Brackets, braces and commas of its JSON, also those within texts; None: no limit."""


TRUSTED = MessageLimits()
"""For children that run only our own code."""
UNTRUSTED = MessageLimits(size_bytes=24 << 20, values=100_000)
"""For children that run an agent's code."""


class ChannelBrokenError(ConnectionError):
    """The other end is closed, or sent bytes that are not a message."""


class InvalidMessageError(ChannelBrokenError):
    """What the other end sent, or should be sent, is not a message, or is too large; the text explains it."""


class MessageTooLargeError(InvalidMessageError):
    """A message exceeds the limits of its channel and was not sent."""


class ChildChannel:
    """The child's end: blocking."""

    def __init__(self, descriptor: int, limits: MessageLimits = TRUSTED) -> None:
        """`limits` are those with which the host receives."""
        self._descriptor = descriptor
        self._limits = limits

    def send(self, message: BaseModel) -> None:
        """Send a whole message; raise `MessageTooLargeError` before any of it is sent."""
        rest = memoryview(_frame(message, self._limits))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def receive(self, expected: type[M]) -> M:
        """Wait for a message; raise `ChannelBrokenError` when the host has closed the channel."""
        return expected.model_validate_json(self._read(_body_size(self._read(_HEADER.size), TRUSTED)))

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
        self._limits = TRUSTED
        self._inbox: asyncio.Queue[bytes | ChannelBrokenError] = asyncio.Queue(1)
        self._pump = asyncio.create_task(self._read())

    @classmethod
    async def over(cls, end: socket.socket) -> "HostChannel":
        """Return the channel over the host's end of a socket pair, which the channel then owns."""
        return cls(*await asyncio.open_unix_connection(sock=end))

    def restrict(self, limits: MessageLimits) -> None:
        """Receive no larger messages than these from now on."""
        self._limits = limits

    async def send(self, message: BaseModel) -> None:
        """Send a message; raise `ChannelBrokenError` when the child has closed its end, or `MessageTooLargeError`."""
        frame = _frame(message, TRUSTED)
        try:
            self._writer.write(frame)
            await self._writer.drain()
        except ConnectionError as error:
            raise ChannelBrokenError("the child has closed its channel") from error

    async def receive(self, expected: type[M]) -> M:
        """Wait for a message; raise `ChannelBrokenError` when the child has closed its end or sent anything else."""
        body = await self._inbox.get()
        if isinstance(body, ChannelBrokenError):
            self._inbox.put_nowait(body)
            raise body
        if problem := _too_many_values(body, self._limits):
            raise InvalidMessageError(f"the child sent {problem}")
        try:
            return expected.model_validate_json(body)
        except ValueError as error:
            raise InvalidMessageError("the child sent a malformed message") from error

    async def close(self) -> None:
        """Close this end."""
        self._pump.cancel()
        self._writer.close()  # before the first wait, which may be cancelled
        await asyncio.gather(self._pump, self._writer.wait_closed(), return_exceptions=True)

    async def _read(self) -> None:
        try:
            while True:
                header = await self._reader.readexactly(_HEADER.size)
                await self._inbox.put(await self._reader.readexactly(_body_size(header, self._limits)))
        except InvalidMessageError as error:
            await self._inbox.put(error)
        except (asyncio.IncompleteReadError, ConnectionError):
            await self._inbox.put(ChannelBrokenError("the child has closed its channel"))


def _frame(message: BaseModel, limits: MessageLimits) -> bytes:
    body = message.model_dump_json().encode()
    if len(body) > limits.size_bytes:
        size, most = len(body) / 2**20, limits.size_bytes >> 20
        raise MessageTooLargeError(f"a message of {size:.1f} MiB is too large; at most {most} MiB can be sent")
    if problem := _too_many_values(body, limits):
        raise MessageTooLargeError(f"{problem} cannot be sent")
    return _HEADER.pack(len(body)) + body


def _body_size(header: bytes, limits: MessageLimits) -> int:
    (size,) = _HEADER.unpack(header)
    if size > limits.size_bytes:
        most = limits.size_bytes >> 20
        raise InvalidMessageError(f"the child announced a message of {size / 2**20:.1f} MiB; at most {most} are read")
    return size


def _too_many_values(body: bytes, limits: MessageLimits) -> str:
    """Return what is too much, or an empty text; counting bytes costs a thousandth of parsing them."""
    values = 0 if limits.values is None else sum(body.count(mark) for mark in (b",", b"{", b"["))
    if limits.values is None or values <= limits.values:
        return ""
    return f"a message of {values} values, where at most {limits.values} are allowed,"

"""The host's end of a child's wire, and of what the child prints."""

import asyncio
import codecs
import socket
from typing import TypeVar

from contracts.text import storable
from pydantic import BaseModel

from sandbox.channels.channel import HEADER, ChannelBrokenError, body_size, frame
from sandbox.channels.pipe_drain import PipeDrain
from sandbox.channels.printed_text import Transcript

M = TypeVar("M", bound=BaseModel)
_WAITING_MESSAGES = 4


class HostChannel:
    """Sends and receives whole messages; a receive that is given up loses nothing."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING_MESSAGES)
        self._pump = asyncio.create_task(self._read())

    @classmethod
    async def over(cls, end: socket.socket) -> "HostChannel":
        """Return the channel over our end of a socket pair, which it then owns."""
        return cls(*await asyncio.open_unix_connection(sock=end))

    async def send(self, message: BaseModel) -> None:
        """Send a message; raise `ChannelBrokenError` when the child is gone."""
        try:
            self._writer.write(frame(message))
            await self._writer.drain()
        except ConnectionError as error:
            raise ChannelBrokenError("the child has closed its channel") from error

    async def receive(self, expected: type[M]) -> M:
        """Wait for a message; raise `ChannelBrokenError` when the child is gone or talks nonsense."""
        body = await self._inbox.get()
        if body is None:
            self._inbox.put_nowait(None)
            raise ChannelBrokenError("the child has closed its channel")
        try:
            return expected.model_validate_json(body)
        except ValueError as error:
            raise ChannelBrokenError("the child sent what is no message") from error

    async def close(self) -> None:
        """Hang up."""
        self._pump.cancel()
        self._writer.close()  # before anything is waited for: whoever waits may be cancelled
        await asyncio.gather(self._pump, self._writer.wait_closed(), return_exceptions=True)

    async def _read(self) -> None:
        try:
            while True:
                header = await self._reader.readexactly(HEADER.size)
                await self._inbox.put(await self._reader.readexactly(body_size(header)))
        except (asyncio.IncompleteReadError, ConnectionError):  # ChannelBrokenError is a ConnectionError
            await self._inbox.put(None)


class PrintedOutput:
    """Drains what a child prints at any rate, and keeps head, tail and true length since the last `begin`."""

    def __init__(self, descriptor: int, head_chars: int = 2000, tail_chars: int = 4000) -> None:
        self._head_chars, self._tail_chars = head_chars, tail_chars
        self._forget()
        self._pipe = PipeDrain(descriptor, self._take)

    def begin(self) -> None:
        """Forget what was printed so far, such as late words of an earlier cell."""
        self._pipe.drain()
        self._forget()

    def taken(self) -> tuple[str, int]:
        """Return what was printed since `begin`, the middle left out when long, and its true length in characters."""
        self._pipe.drain()
        left_out = self.chars - len(self._head) - len(self._tail)
        middle = f"\n… ({left_out} characters left out) …\n" if left_out else ""
        return storable(self._head + middle + self._tail), self.chars

    def whole(self) -> str | None:
        """Return all of it, if `taken` leaves something out."""
        is_cut = self.chars > len(self._head) + len(self._tail)
        return self._whole.text() if is_cut else None

    def close(self) -> None:
        """Read what is left and stop listening."""
        self._pipe.close()

    def _forget(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = self._tail = ""
        self._whole = Transcript()
        self.chars = 0

    def _take(self, piece: bytes) -> None:
        text = self._decoder.decode(piece)
        self.chars += len(text)
        self._whole.add(text)
        room = self._head_chars - len(self._head)
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-self._tail_chars :]

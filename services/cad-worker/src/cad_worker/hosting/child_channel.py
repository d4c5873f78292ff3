"""The host's end of a child's wire, and of what the child prints."""

import asyncio
import codecs
import os
import socket
from typing import TypeVar

from kernel.storable import storable
from pydantic import BaseModel

from cad_worker.hosting.channel import HEADER, ChannelBrokenError, body_size, frame

M = TypeVar("M", bound=BaseModel)
_WAITING_MESSAGES = 4
_PIECE_BYTES = 65536
_PIPE_PIECES = 4
"""More than a pipe holds, and an end to reading one that is refilled for ever."""


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
        await asyncio.gather(self._pump, return_exceptions=True)
        self._writer.close()
        await asyncio.gather(self._writer.wait_closed(), return_exceptions=True)

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
        self._descriptor = descriptor
        self._head_chars, self._tail_chars = head_chars, tail_chars
        os.set_blocking(descriptor, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, self._drain_some)
        self._open = True
        self._forget()

    def begin(self) -> None:
        """Forget what was printed so far, such as late words of an earlier cell."""
        self._drain()
        self._forget()

    def taken(self) -> tuple[str, int]:
        """Return what was printed since `begin`, the middle left out when long, and its true length in characters."""
        self._drain()
        left_out = self.chars - len(self._head) - len(self._tail)
        middle = f"\n… ({left_out} characters left out) …\n" if left_out else ""
        return storable(self._head + middle + self._tail), self.chars

    def close(self) -> None:
        """Read what is left and stop listening."""
        self._drain()
        self._shut()

    def _shut(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _forget(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = self._tail = ""
        self.chars = 0

    def _drain(self) -> None:
        """Read what stands in the pipe: all that was printed before the child's last message."""
        for _ in range(_PIPE_PIECES):
            if not self._open or not self._drain_some():
                return

    def _drain_some(self) -> bool:
        try:
            piece = os.read(self._descriptor, _PIECE_BYTES)
        except BlockingIOError:
            return False
        if not piece:
            self._shut()
            return False
        self._keep(self._decoder.decode(piece))
        return True

    def _keep(self, text: str) -> None:
        self.chars += len(text)
        room = self._head_chars - len(self._head)
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-self._tail_chars :]

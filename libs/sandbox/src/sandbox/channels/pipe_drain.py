"""Reading a child's pipe at whatever rate it is filled, so that a child never waits for us."""

import asyncio
import os
from collections.abc import Callable

_PIECE_BYTES = 65536
_PIPE_PIECES = 4
"""More than a pipe holds, and an end to reading one that is refilled for ever."""


class PipeDrain:
    """Hands over all that comes out of a pipe, piece by piece, and owns our end of it."""

    def __init__(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        self._descriptor = descriptor
        self._take = take
        os.set_blocking(descriptor, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, self._read_some)
        self._open = True

    def drain(self) -> None:
        """Read what stands in the pipe: all that was written before the child's last message."""
        for _ in range(_PIPE_PIECES):
            if not self._open or not self._read_some():
                return

    def close(self) -> None:
        """Read what is left and stop listening."""
        self.drain()
        self._shut()

    def _shut(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _read_some(self) -> bool:
        try:
            piece = os.read(self._descriptor, _PIECE_BYTES)
        except BlockingIOError:
            return False
        if not piece:
            self._shut()
            return False
        self._take(piece)
        return True

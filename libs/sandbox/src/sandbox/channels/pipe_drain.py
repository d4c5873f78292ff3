"""Draining a child's pipe at whatever rate the child fills it, so that the child never waits for the host."""

import asyncio
import os
from collections.abc import Callable

_PIECE_BYTES = 65536
_MAX_PIECES = 4
"""More than a pipe holds, and an end to draining one that the child keeps filling."""


class PipeDrain:
    """Passes on what comes out of a pipe, piece by piece, and owns the host's end of it."""

    def __init__(self, descriptor: int, take: Callable[[bytes], None]) -> None:
        self._descriptor = descriptor
        self._take = take
        os.set_blocking(descriptor, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, self._read_piece)
        self._is_open = True

    def drain(self) -> None:
        """Read what is in the pipe: all that the child wrote before its last message."""
        for _ in range(_MAX_PIECES):
            if not self._is_open or not self._read_piece():
                return

    def close(self) -> None:
        """Read what is left and close the pipe."""
        self.drain()
        self._close()

    def _close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _read_piece(self) -> bool:
        """Return whether there was a piece."""
        try:
            piece = os.read(self._descriptor, _PIECE_BYTES)
        except BlockingIOError:
            return False
        if not piece:
            self._close()
            return False
        self._take(piece)
        return True

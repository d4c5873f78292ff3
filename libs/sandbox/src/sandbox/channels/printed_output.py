"""Printed output of a child: drained at any rate, kept within bounds."""

import asyncio
import codecs
import os
from collections import deque
from collections.abc import Callable

SHOWN_HEAD_CHARS, SHOWN_TAIL_CHARS = 6000, 6000
"""More than an observation shows, so that it can choose where to cut."""
FULL_HEAD_CHARS = FULL_TAIL_CHARS = 1 << 20
"""At most 8 MiB together, whatever the characters."""


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


class BoundedText:
    """Head and tail of a text that arrives in pieces, with its true length."""

    def __init__(self, max_head_chars: int, max_tail_chars: int) -> None:
        self._max_head_chars, self._max_tail_chars = max_head_chars, max_tail_chars
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._head_chars = self._tail_chars = 0
        self.chars = 0
        """Of the whole text."""

    def add(self, text: str) -> None:
        """Append a piece, at a cost that does not grow with the kept text."""
        self.chars += len(text)
        free_chars = self._max_head_chars - self._head_chars
        first, rest = text[:free_chars], text[free_chars:]
        if first:
            self._head.append(first)
            self._head_chars += len(first)
        if not rest:
            return
        self._tail.append(rest)
        self._tail_chars += len(rest)
        while self._tail and self._tail_chars - len(self._tail[0]) >= self._max_tail_chars:
            self._tail_chars -= len(self._tail.popleft())

    @property
    def missing_chars(self) -> int:
        """How many characters of the middle are left out."""
        return self.chars - self._head_chars - min(self._tail_chars, self._max_tail_chars)

    def text(self) -> str:
        """Return head and tail, with the number of characters between them if some are missing."""
        missing = f"\n… ({self.missing_chars} characters left out) …\n" if self.missing_chars else ""
        return "".join(self._head) + missing + "".join(self._tail)[-self._max_tail_chars :]


class PrintedOutput:
    """The host's end of a child's standard output and error, as text without NUL characters."""

    def __init__(self, descriptor: int) -> None:
        self._start_over()
        self._pipe = PipeDrain(descriptor, self._take)

    def reset(self) -> None:
        """Drop what was printed so far."""
        self._pipe.drain()
        self._start_over()

    def shown(self) -> tuple[str, int]:
        """Return the output since the last reset, without its middle when it is long, and its length in characters."""
        self._pipe.drain()
        return self._shown.text(), self._shown.chars

    def full_text(self) -> str | None:
        """Return the output with much more of its middle; None if `shown` leaves nothing out."""
        return self._full.text() if self._shown.missing_chars else None

    def close(self) -> None:
        """Read what is left in the pipe and close it."""
        self._pipe.close()

    def _start_over(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._shown = BoundedText(SHOWN_HEAD_CHARS, SHOWN_TAIL_CHARS)
        self._full = BoundedText(FULL_HEAD_CHARS, FULL_TAIL_CHARS)

    def _take(self, piece: bytes) -> None:
        text = self._decoder.decode(piece).replace("\x00", "\ufffd")
        self._shown.add(text)
        self._full.add(text)

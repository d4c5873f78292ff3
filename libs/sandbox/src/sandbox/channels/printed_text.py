"""All that a cell printed, head and tail of it when it is very long."""

from collections import deque

from contracts.text import storable

HEAD_CHARS = TAIL_CHARS = 1 << 20
"""At most 8 MiB together, whatever the characters."""


class Transcript:
    """Takes text piece by piece, at a cost that does not grow with what is kept."""

    def __init__(self, head_chars: int = HEAD_CHARS, tail_chars: int = TAIL_CHARS) -> None:
        self._tail_chars = tail_chars
        self._room = head_chars
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._chars = 0

    def add(self, text: str) -> None:
        """Go on."""
        self._chars += len(text)
        first, rest = text[: self._room], text[self._room :]
        if first:
            self._head.append(first)
            self._room -= len(first)
        if not rest:
            return
        self._tail.append(rest)
        self._tail_length += len(rest)
        while self._tail and self._tail_length - len(self._tail[0]) >= self._tail_chars:
            self._tail_length -= len(self._tail.popleft())

    def text(self) -> str:
        """Return it, with the number of characters between head and tail if any are missing."""
        head, tail = "".join(self._head), "".join(self._tail)[-self._tail_chars :]
        missing = self._chars - len(head) - len(tail)
        return storable(head + (f"\n… ({missing} characters left out) …\n" if missing else "") + tail)

"""What is in hand, and since when nothing has moved."""

import time
from collections.abc import Generator
from contextlib import contextmanager


class InFlight:
    """Notes what each consumer of one app works on."""

    def __init__(self) -> None:
        self._in_hand: dict[str, set[int]] = {}
        self._moved_s: dict[str, float] = {}

    @contextmanager
    def in_hand(self, durable: str, sequence: int) -> Generator[bool]:
        """Note that a message is worked on inside the block; yield False if it is already, elsewhere in this app."""
        sequences = self._in_hand.setdefault(durable, set())
        if sequence in sequences:
            yield False
            return
        sequences.add(sequence)
        try:
            yield True
        finally:
            sequences.discard(sequence)
            self._moved_s[durable] = time.monotonic()

    def idle_s(self, durable: str) -> float:
        """Return for how long a consumer has had nothing in hand, counted from the first question at the earliest."""
        if self._in_hand.get(durable):
            return 0.0
        return time.monotonic() - self._moved_s.setdefault(durable, time.monotonic())

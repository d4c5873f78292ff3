"""When a cell may be interrupted: while its code runs, but not in the middle of a message."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Turns SIGINT into `KeyboardInterrupt` in the cell, at once or when a message is through; else ignores it."""

    def __init__(self) -> None:
        self._is_running = False
        self._is_held = False
        self._is_due = False

    @contextmanager
    def raised(self) -> Generator[None]:
        """Let interrupts reach the code in the `with` block, whatever an earlier cell has made of the signal."""
        self._is_due = self._is_held = False
        signal.signal(signal.SIGINT, self._handle)
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep interrupts back until the end of the `with` block; only the main thread is ever interrupted."""
        if threading.current_thread() is not threading.main_thread() or self._is_held:
            yield
            return
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._is_due and self._is_running:
            self._is_due = False
            raise KeyboardInterrupt

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_held:
            self._is_due = True
        elif self._is_running:
            raise KeyboardInterrupt

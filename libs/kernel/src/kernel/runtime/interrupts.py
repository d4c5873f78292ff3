"""Interrupts of a cell: allowed while its code runs, deferred while it exchanges a message with the host."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Turns SIGINT into `KeyboardInterrupt` in the cell, at once or after the current message; else ignores it."""

    def __init__(self) -> None:
        self._is_running = False
        self._is_deferring = False
        self._is_pending = False

    @contextmanager
    def enabled(self) -> Generator[None]:
        """Let interrupts reach the code in the `with` block, even if an earlier cell replaced the signal handler."""
        self._is_pending = self._is_deferring = False
        signal.signal(signal.SIGINT, self._handle)
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False

    @contextmanager
    def deferred(self) -> Generator[None]:
        """Defer interrupts to the end of the `with` block; only the main thread is ever interrupted."""
        if threading.current_thread() is not threading.main_thread() or self._is_deferring:
            yield
            return
        self._is_deferring = True
        try:
            yield
        finally:
            self._is_deferring = False
        if self._is_pending and self._is_running:
            self._is_pending = False
            raise KeyboardInterrupt

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_deferring:
            self._is_pending = True
        elif self._is_running:
            raise KeyboardInterrupt

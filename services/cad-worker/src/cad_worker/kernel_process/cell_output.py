"""Standard output of a kernel, without what threads of earlier cells print."""

import io
import sys
import threading

OUTPUT_FD = 1


class CellOutput(io.TextIOWrapper):
    """Replaces `sys.stdout` and `sys.stderr`. Drops the output of threads that have outlived their cell."""

    def __init__(self, descriptor: int = OUTPUT_FD) -> None:
        raw = io.FileIO(descriptor, "w", closefd=False)
        super().__init__(io.BufferedWriter(raw), "utf-8", "backslashreplace", line_buffering=True)
        self._late_threads: frozenset[int] = frozenset()
        self._late_chars = 0

    def write(self, text: str, /) -> int:
        """Print, unless the thread has outlived its cell."""
        if self._late_threads and threading.get_ident() in self._late_threads:
            self._late_chars += len(text)
            return len(text)
        return super().write(text)

    def begin_cell(self) -> None:
        """Forget late threads that have ended: new threads may get their identifiers."""
        self._late_threads &= _running_threads()

    def end_cell(self) -> None:
        """Count the threads that still run as late from now on, except the main thread."""
        self.flush()
        self._late_threads = _running_threads() - {threading.get_ident()}

    def take_late_chars(self) -> int:
        """Return how many characters late threads have tried to print since the last call."""
        chars, self._late_chars = self._late_chars, 0
        return chars


def _running_threads() -> frozenset[int]:
    """Return all threads, including those that `threading` does not know."""
    return frozenset(sys._current_frames())  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - the only way

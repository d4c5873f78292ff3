"""What is printed in a kernel, with the words of earlier cells' threads left out."""

import io
import sys
import threading

OUTPUT_FD = 1


class CellOutput(io.TextIOWrapper):
    """Takes the place of `sys.stdout` and `sys.stderr`. Threads that outlive their cell print into the void."""

    def __init__(self, descriptor: int = OUTPUT_FD) -> None:
        raw = io.FileIO(descriptor, "w", closefd=False)
        super().__init__(io.BufferedWriter(raw), "utf-8", "backslashreplace", line_buffering=True)
        self._late: frozenset[int] = frozenset()
        self._late_chars = 0

    def write(self, text: str, /) -> int:
        """Print, unless the thread is one that an earlier cell left behind."""
        if self._late and threading.get_ident() in self._late:
            self._late_chars += len(text)
            return len(text)
        return super().write(text)

    def begin_cell(self) -> None:
        """Forget late threads that have ended: others may get their names."""
        self._late &= _running_threads()

    def end_cell(self) -> None:
        """From now on the threads that still run are late, but for the main one."""
        self.flush()
        self._late = _running_threads() - {threading.get_ident()}

    def late_chars(self) -> int:
        """Return how many characters late threads have tried to print since the last time this was asked."""
        chars, self._late_chars = self._late_chars, 0
        return chars


def _running_threads() -> frozenset[int]:
    """Return all threads, those included that `threading` does not know."""
    return frozenset(sys._current_frames())  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - the only way

"""Serves the cells of a kernel: receives each, runs it, and reports how it ended."""

import io
import sys
import threading
from typing import Protocol

from kernel.runtime.cell import CellReport, CellRunner
from sandbox.channels.channel import ChannelBrokenError, ChildChannel
from sandbox.channels.image_channel import ImageSender

from kernel_host.protocol import CellDone, RunCell

OUTPUT_FD = 1


class CellHooks(Protocol):
    """What a kernel does before and after each cell."""

    def begin_cell(self) -> None:
        """Forget the last cell."""
        ...

    def done(self, report: CellReport, late_chars: int) -> CellDone:
        """Return the last message of the cell."""
        ...


class CellServer:
    """Runs one cell after the other."""

    def __init__(self, channel: ChildChannel, runner: CellRunner, hooks: CellHooks, images: ImageSender) -> None:
        self._channel = channel
        self._runner = runner
        self._hooks = hooks
        self._images = images

    def serve(self, output: "CellOutput") -> None:
        """Run cells, whose output goes to `output`, until the host closes the channel."""
        while True:
            try:
                order = self._channel.receive(RunCell)
            except ChannelBrokenError:
                return
            self._hooks.begin_cell()
            sys.stdout = sys.stderr = output  # an earlier cell may have left others
            output.begin_cell()
            self._images.begin(order.name)
            report = self._runner.run(order.code, order.name, order.seed)
            output.end_cell()
            self._channel.send(self._hooks.done(report, output.take_late_chars()))


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

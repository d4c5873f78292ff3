"""The kernel of one session: a confined child with the session's namespace, which runs its cells."""

import importlib
import io
import sys
import threading
from pathlib import Path

from contracts.models.benchmark import Assignment
from kernel.api import engineer_api, host_tools, mechanism_api
from kernel.api.document_files import JournalFile, TodoFile
from kernel.runtime.cell import CellReport, CellRunner
from kernel.runtime.interrupts import Interrupts
from sandbox.channels.channel import UNTRUSTED, ChannelBrokenError, ChildChannel
from sandbox.channels.image_channel import IMAGES_FD, ImageSender

from cad_worker.capture.design import capture_parts
from cad_worker.jobs.environment import load_environment
from cad_worker.kernel_process.kernel_shapes import KernelShapes
from cad_worker.kernel_process.kernel_tools import KernelTools
from cad_worker.kernel_process.review_namespace import review_namespace
from cad_worker.kernel_process.shape_descriptions import ShapeDescriber
from cad_worker.session_protocol import CellDone, RunCell, SessionOrder, SessionReady


class SessionKernel:
    """The namespace of a session, its tools and the channel to the host."""

    def __init__(self, channel: ChildChannel) -> None:
        """Receive the order, build the namespace and report ready."""
        order = channel.receive(SessionOrder)
        assignment = order.environment.with_payload_of(order.assignment)
        self._channel = channel
        self._environment = load_environment(order.environment)
        sys.stdout = sys.stderr = self._output = CellOutput()
        interrupts = Interrupts()
        self._images = ImageSender(IMAGES_FD, interrupts.deferred)
        self._tools = KernelTools(channel, self._environment, assignment, interrupts, self._images)
        host_tools.connect(self._tools)
        mechanism_api.connect_geometry(KernelShapes())
        self._runner = CellRunner(self._namespace(order, assignment), Path.cwd(), (ShapeDescriber(),), interrupts)
        importlib.import_module("utils")
        environment = capture_parts(self._environment) if order.captures_environment else None
        channel.send(SessionReady(environment=environment))

    def serve(self) -> None:
        """Run cells until the host closes the channel."""
        while True:
            try:
                order = self._channel.receive(RunCell)
            except ChannelBrokenError:
                return
            self._tools.begin_cell()
            sys.stdout = sys.stderr = self._output  # an earlier cell may have left others
            self._output.begin_cell()
            self._images.begin(order.name)
            report = self._runner.run(order.code, order.name, order.seed)
            self._output.end_cell()
            self._finish(report)

    def _namespace(self, order: SessionOrder, assignment: Assignment) -> dict[str, object]:
        """Return the names that every cell can use."""
        names: dict[str, object] = {
            "benchmark": assignment.variant,
            "limits": assignment.limits,
            "quantity": assignment.quantity,
            "environment": self._environment,
            "show": engineer_api.show,
            "recall": engineer_api.recall,
            "journal": JournalFile(Path("journal.md").absolute()),
            "todo": TodoFile(Path("todo.md").absolute()),
        }
        if order.review is None:
            return names
        return names | review_namespace(order.review, self._tools, order.assignment.variant.seed)

    def _finish(self, report: CellReport) -> None:
        submitted = self._tools.submitted
        self._channel.send(
            CellDone(
                report=report,
                late_chars=self._output.take_late_chars(),
                submitted=submitted,
                environment=None if submitted is None else capture_parts(self._environment),
                refusal=self._tools.refusal,
            )
        )


def run(descriptor: int) -> None:
    """Run the kernel until the host closes the channel: the entry point of the child."""
    SessionKernel(ChildChannel(descriptor, UNTRUSTED)).serve()


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

"""The kernel of one session: a confined child with the session's namespace, which runs its cells."""

import importlib
import sys
from pathlib import Path

from kernel.api import engineering, host_tools, mechanism_api
from kernel.api.notebook import JournalFile, TodoFile
from kernel.runtime.cell import CellReport, CellRunner
from kernel.runtime.interrupts import Interrupts
from sandbox.channels.channel import ChannelBrokenError, ChildChannel
from sandbox.channels.image_channel import IMAGES_FD, ImageSender

from cad_worker.capture.design import capture_parts
from cad_worker.jobs.environment import load_environment
from cad_worker.kernel_process.cell_output import CellOutput
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
        self._channel = channel
        self._environment = load_environment(order.environment)
        sys.stdout = sys.stderr = self._output = CellOutput()
        interrupts = Interrupts()
        self._images = ImageSender(IMAGES_FD, interrupts.deferred)
        self._tools = KernelTools(channel, self._environment, order.assignment.limits, interrupts, self._images)
        host_tools.connect(self._tools)
        mechanism_api.connect_geometry(KernelShapes())
        self._runner = CellRunner(self._namespace(order), Path.cwd(), (ShapeDescriber(),), interrupts)
        importlib.import_module("utils")
        environment = capture_parts(self._environment) if order.tells_environment else None
        channel.send(SessionReady(environment=environment))

    def serve(self) -> None:
        """Run cells until the host closes the channel."""
        while True:
            try:
                order = self._channel.receive(RunCell)
            except ChannelBrokenError:
                return
            self._tools.begin_cell()
            self._output.begin_cell()
            self._images.begin(order.name)
            report = self._runner.run(order.code, order.name, order.seed)
            self._output.end_cell()
            self._finish(report)

    def _namespace(self, order: SessionOrder) -> dict[str, object]:
        """Return the names that every cell can use."""
        names: dict[str, object] = {
            "benchmark": order.assignment.variant,
            "limits": order.assignment.limits,
            "quantity": order.assignment.quantity,
            "environment": self._environment,
            "show": engineering.show,
            "recall": engineering.recall,
            "journal": JournalFile(Path("journal.md").absolute()),
            "todo": TodoFile(Path("todo.md").absolute()),
        }
        return names if order.review is None else names | review_namespace(order.review, self._tools.rerun)

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
    SessionKernel(ChildChannel(descriptor)).serve()

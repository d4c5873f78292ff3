"""A confined child that holds one session's namespace and runs its cells."""

import importlib
import sys
from pathlib import Path

from kernel.api import catalog_api, engineering, image_api, mechanism_api
from kernel.api.notebook import Journal, Todo
from kernel.runtime.cell import CellReport, CellRunner
from kernel.runtime.interrupts import Interrupts
from sandbox.channels.channel import ChannelBrokenError, ChildChannel
from sandbox.channels.image_channel import IMAGES_FD, ImageSender

from cad_worker.capture.design import capture_parts
from cad_worker.jobs.environment import load_environment
from cad_worker.kernel_process.cell_output import CellOutput
from cad_worker.kernel_process.kernel_shapes import KernelShapes
from cad_worker.kernel_process.kernel_tools import KernelTools
from cad_worker.kernel_process.review_namespace import review_world
from cad_worker.kernel_process.shape_descriptions import ShapeDescriber
from cad_worker.session_protocol import CellDone, RunCell, SessionOrder, SessionReady


class SessionChild:
    """The namespace, its tools and the channel to the host."""

    def __init__(self, channel: ChildChannel) -> None:
        order = channel.receive(SessionOrder)
        self._channel = channel
        self._environment = load_environment(order.environment)
        sys.stdout = sys.stderr = self._output = CellOutput()
        interrupts = Interrupts()
        self._images = ImageSender(IMAGES_FD, interrupts.held)
        self._tools = KernelTools(channel, self._environment, order.assignment.limits, interrupts, self._images)
        engineering.connect(self._tools)
        catalog_api.connect(self._tools)
        image_api.connect(self._tools)
        mechanism_api.connect_shapes(KernelShapes())
        world: dict[str, object] = {
            "benchmark": order.assignment.variant,
            "limits": order.assignment.limits,
            "quantity": order.assignment.quantity,
            "environment": self._environment,
            "show": engineering.show,
            "recall": image_api.recall,
            "journal": Journal(Path("journal.md").absolute()),
            "todo": Todo(Path("todo.md").absolute()),
        }
        if order.review is not None:
            world |= review_world(order.review, self._tools)
        self._runner = CellRunner(world, Path.cwd(), (ShapeDescriber(),), interrupts)
        importlib.import_module("utils")
        told = capture_parts(self._environment) if order.tells_environment else None
        channel.send(SessionReady(environment=told))

    def serve(self) -> None:
        """Run cells until the host hangs up."""
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

    def _finish(self, report: CellReport) -> None:
        submitted = self._tools.submitted
        self._channel.send(
            CellDone(
                report=report,
                late_chars=self._output.late_chars(),
                submitted=submitted,
                environment=None if submitted is None else capture_parts(self._environment),
                refusal=self._tools.refusal,
            )
        )


def live(descriptor: int) -> None:
    """Be a session until the host hangs up."""
    SessionChild(ChildChannel(descriptor)).serve()

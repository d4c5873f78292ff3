"""The kernel of one session: a confined child with the session's namespace, which runs its cells."""

import importlib
import sys
from pathlib import Path

from contracts.models.benchmark import Assignment
from kernel.api import engineer_api, host_tools, mechanism_api
from kernel.api.document_files import JournalFile, TodoFile
from kernel.runtime.cell import CellReport, CellRunner
from kernel.runtime.interrupts import Interrupts
from kernel_host.cell_server import CellOutput, CellServer
from sandbox.channels.channel import UNTRUSTED, ChildChannel
from sandbox.channels.image_channel import IMAGES_FD, ImageSender

from cad_worker.capture.design import capture_parts
from cad_worker.capture.displaced_joints import mark_displaced_joints
from cad_worker.jobs.environment import load_environment
from cad_worker.kernel_process.kernel_tools import KernelTools
from cad_worker.kernel_process.review_namespace import review_namespace
from cad_worker.kernel_process.shape_descriptions import ShapeDescriber
from cad_worker.session_protocol import DesignCellDone, DesignReady, SessionOrder
from cad_worker.utils_geometry.kernel_shapes import KernelShapes


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
        mark_displaced_joints()
        self._runner = CellRunner(self._namespace(order, assignment), Path.cwd(), (ShapeDescriber(),), interrupts)
        importlib.import_module("utils")
        environment = capture_parts(self._environment) if order.captures_environment else None
        channel.send(DesignReady(environment=environment))

    def serve(self) -> None:
        """Run cells until the host closes the channel."""
        CellServer(self._channel, self._runner, self, self._images).serve(self._output)

    def begin_cell(self) -> None:
        """Forget the ending of the last cell."""
        self._tools.begin_cell()

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

    def done(self, report: CellReport, late_chars: int) -> DesignCellDone:
        """Return the last message of the cell, with the design that it submitted."""
        submitted = self._tools.submitted
        return DesignCellDone(
            report=report,
            late_chars=late_chars,
            submitted=submitted,
            environment=None if submitted is None else capture_parts(self._environment),
            refusal=self._tools.refusal,
        )


def run(descriptor: int) -> None:
    """Run the kernel until the host closes the channel: the entry point of the child."""
    SessionKernel(ChildChannel(descriptor, UNTRUSTED)).serve()

"""A confined child that holds one session's namespace and runs its cells."""

import importlib
import signal
from pathlib import Path

from kernel import engineering
from kernel.cell import CellReport, CellRunner

from cad_worker.hosting.channel import Channel, ChannelBrokenError
from cad_worker.jobs.capture import capture_design
from cad_worker.jobs.environment import load_environment
from cad_worker.sessions.messages import CellDone, RunCell, SessionOrder, SessionReady
from cad_worker.sessions.shapes import ShapeDescriber
from cad_worker.sessions.tools_child import KernelTools


class SessionChild:
    """The namespace, its tools and the channel to the host."""

    def __init__(self, channel: Channel) -> None:
        order = channel.receive(SessionOrder)
        self._channel = channel
        self._environment = load_environment(order.environment)
        self._tools = KernelTools(channel, capture_design, order.assignment.limits)
        engineering.connect(self._tools)
        world: dict[str, object] = {
            "benchmark": order.assignment.variant,
            "limits": order.assignment.limits,
            "quantity": order.assignment.quantity,
            "environment": self._environment,
        }
        self._runner = CellRunner(world, Path.cwd(), (ShapeDescriber(),))
        importlib.import_module("utils")
        channel.send(SessionReady(environment=capture_design(self._environment)))

    def serve(self) -> None:
        """Run cells until the host hangs up."""
        while True:
            try:
                order = self._channel.receive(RunCell)
            except ChannelBrokenError:
                return
            self._tools.begin_cell()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            report = self._runner.run(order.code, order.name, order.seed)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self._finish(report)

    def _finish(self, report: CellReport) -> None:
        submitted = self._tools.submitted
        self._channel.send(
            CellDone(
                report=report,
                submitted=submitted,
                environment=None if submitted is None else capture_design(self._environment),
                refusal=self._tools.refusal,
            )
        )


def live(descriptor: int) -> None:
    """Be a session until the host hangs up."""
    SessionChild(Channel(descriptor)).serve()

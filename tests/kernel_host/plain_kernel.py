"""A kind of kernels without CAD, as any service could host it: plain Python, and a tool that squares numbers."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from kernel.runtime.cell import CellReport, CellRunner
from kernel.runtime.interrupts import Interrupts
from kernel_host.cell_server import CellOutput, CellServer
from kernel_host.protocol import CellDone, KernelCall, SessionReady
from pydantic import BaseModel, Field, RootModel
from sandbox.channels.channel import UNTRUSTED, ChildChannel
from sandbox.channels.image_channel import IMAGES_FD, ImageSender


class PlainOrder(BaseModel):
    """The first message to the kernel."""

    greeting: str


class SquareCall(KernelCall):
    """Call of `square`, answered by `SquareAnswer`."""

    kind: Literal["square"] = "square"
    value: int


class SquareAnswer(BaseModel):
    """The square, or why there is none."""

    square: int = 0
    problem: str = ""


class PlainMessage(RootModel[Annotated[SessionReady | SquareCall | CellDone, Field(discriminator="kind")]]):
    """Any message of the kernel."""


class PlainKernel:
    """The namespace and the tool."""

    def __init__(self, channel: ChildChannel) -> None:
        self._channel = channel
        order = channel.receive(PlainOrder)
        sys.stdout = sys.stderr = self._output = CellOutput()
        interrupts = Interrupts()
        self._images = ImageSender(IMAGES_FD, interrupts.deferred)
        names = {"greeting": order.greeting, "square": self._square, "loaded": sorted(sys.modules)}
        self._runner = CellRunner(names, Path.cwd(), (), interrupts)
        channel.send(SessionReady())

    def serve(self) -> None:
        """Run cells until the host closes the channel."""
        CellServer(self._channel, self._runner, self, self._images).serve(self._output)

    def begin_cell(self) -> None:
        """Nothing is kept of the last cell."""

    def done(self, report: CellReport, late_chars: int) -> CellDone:
        """Return the last message of the cell."""
        return CellDone(report=report, late_chars=late_chars)

    def _square(self, value: int) -> int:
        self._channel.send(SquareCall(value=value))
        return self._channel.receive(SquareAnswer).square


def run(descriptor: int) -> None:
    """Run the kernel: the entry point of the child."""
    PlainKernel(ChildChannel(descriptor, UNTRUSTED)).serve()

"""The kernel's end of the tools that every session with geometry has: calls over the channel, and pictures."""

from threading import Lock
from typing import TypeVar

from design_rules.design_data import DesignData
from kernel.api.display import LABEL_CHARS
from kernel.api.simulation_run import SimulationRun
from kernel.errors import ExplainedError
from kernel.runtime.interrupts import Interrupts
from kernel_host.protocol import RecallCall, ShowAnswer
from pydantic import BaseModel
from sandbox.channels.channel import ChildChannel
from sandbox.channels.image_channel import ImageSender

from cad_worker.capture.design import capture_parts
from cad_worker.session_protocol import ShowResultCall, ShowShapesCall

A = TypeVar("A", bound=BaseModel)


class ToolRefusedError(ExplainedError, RuntimeError):
    """The host could not answer the call; the message says why."""


class ChannelTools:
    """Implements `kernel.api.host_tools.RecallingScreen` over the channel."""

    def __init__(self, channel: ChildChannel, interrupts: Interrupts, images: ImageSender) -> None:
        self._channel = channel
        self._interrupts = interrupts
        self._images = images
        self._lock = Lock()

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        """Show an image of geometry."""
        parts = tuple(part for shape in shapes for part in capture_parts(shape).parts)
        self._show(ShowShapesCall(design=DesignData(parts=parts), label=label[:LABEL_CHARS]))

    def show_run(self, run: SimulationRun, label: str) -> None:
        """Show an image of a simulation, or of a slice of it."""
        label = label[:LABEL_CHARS]
        self._show(ShowResultCall(trajectory_digest=run.trajectory_digest, label=label, window_s=run.window_s))

    def recall_picture(self, picture: str) -> None:
        """Show an image of an earlier cell again."""
        self._show(RecallCall(picture=picture[:LABEL_CHARS]))

    def show_picture(self, png: bytes, label: str) -> None:
        """Show an image that the kernel has drawn."""
        self._images.send(label, png)

    def _show(self, call: BaseModel) -> None:
        answer = self._call(call, ShowAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        if answer.note:
            print(f"not shown: {answer.note}")  # noqa: T201 - the agent reads it

    def _call(self, call: BaseModel, answer: type[A]) -> A:
        with self._lock, self._interrupts.deferred():
            self._channel.send(call)
            return self._channel.receive(answer)

"""The kernel of a question: a confined child that sees pictures and perception, and no scene behind them."""

import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import NoReturn, TypeVar

from contracts.events.perception import KernelOperation
from contracts.models.questions.answers import ValidAnswer
from kernel.api.display import LABEL_CHARS
from kernel.api.questions.names import AnswerNotAcceptedError, QuestionNames, Task
from kernel.api.simulation_run import SimulationRun
from kernel.checker.rules import QUESTION_NAMES
from kernel.errors import ExplainedError
from kernel.runtime.cell import CellReport, CellRunner
from kernel.runtime.fingerprints import module_name, type_name
from kernel.runtime.interrupts import Interrupts
from kernel.runtime.variables import Description
from kernel_host.cell_server import CellOutput, CellServer
from kernel_host.protocol import CellDone, RecallCall, SessionReady, ShowAnswer
from pydantic import BaseModel
from sandbox.channels.channel import UNTRUSTED, ChildChannel
from sandbox.channels.image_channel import IMAGES_FD, ImageSender
from spatial.frames import InputImage, InputImages, VideoMetadata
from spatial.port import PerceptionReply

from question_kernel.namespace import question_tools
from question_kernel.protocol import (
    ARRAYS_FILE,
    AcceptAnswer,
    AcceptCall,
    LookAnswer,
    LookCall,
    LookPicture,
    PerceptionAnswer,
    PerceptionCall,
    QuestionOrder,
    image_path,
)


def describe_spatial(value: object) -> Description | None:
    """Return summary and content of a value whose class is our own; no agent's code runs."""
    kind = type(value)
    if module_name(kind) != "spatial" and not module_name(kind).startswith("spatial."):
        return None
    text = repr(value)
    return Description(text.partition("\n")[0], f"{type_name(kind)} {text}".encode())


A = TypeVar("A", bound=BaseModel)


class ToolUnavailableError(ExplainedError, RuntimeError):
    """The host could not answer the call; the message says why, and what to do instead."""


class QuestionKernel:
    """The namespace of a question, its tools and the channel to the host."""

    def __init__(self, channel: ChildChannel) -> None:
        """Receive the order, build the namespace and report ready."""
        order = channel.receive(QuestionOrder)
        self._channel = channel
        self._lock = Lock()
        sys.stdout = sys.stderr = self._output = CellOutput()
        self._interrupts = Interrupts()
        self._images = ImageSender(IMAGES_FD, self._interrupts.deferred)
        self._folder = Path.cwd()
        self._names = QuestionNames(order.answer, self)
        self._runner = CellRunner(
            self._namespace(order), self._folder, (describe_spatial,), self._interrupts, QUESTION_NAMES
        )
        channel.send(SessionReady())

    def serve(self) -> None:
        """Run cells until the host closes the channel."""
        CellServer(self._channel, self._runner, self, self._images).serve(self._output)

    def begin_cell(self) -> None:
        """Count the cell."""
        self._names.records.begin_cell()

    def done(self, report: CellReport, late_chars: int) -> CellDone:
        """Return the last message of the cell."""
        return CellDone(report=report, late_chars=late_chars)

    def perceive(self, operation: KernelOperation) -> PerceptionReply:
        """Return what the host's perception answers, with its arrays; raise `ToolUnavailableError`."""
        with self._lock, self._interrupts.deferred():
            self._channel.send(PerceptionCall(operation=operation))
            answer = self._channel.receive(PerceptionAnswer)
            arrays = b"" if answer.result is None else (self._folder / ARRAYS_FILE).read_bytes()
        if answer.result is None:
            raise ToolUnavailableError(answer.problem)
        return PerceptionReply(answer.result, arrays)

    def accept(self, answer: ValidAnswer) -> None:
        """Pass an answer on; raise `AnswerNotAcceptedError` if the host does not accept it."""
        reply = self._call(AcceptCall(value=answer.value), AcceptAnswer)
        if reply.problem:
            raise AnswerNotAcceptedError(f"the answer was not accepted: {reply.problem}")

    def look(self, task: Task, text: str, pictures: Sequence[tuple[str, bytes]]) -> str:
        """Return what the run's vision model says; raise `ToolUnavailableError`."""
        labelled = tuple(LookPicture(label=label[:LABEL_CHARS], png=png) for label, png in pictures)
        reply = self._call(LookCall(task=task, text=text, pictures=labelled), LookAnswer)
        if reply.problem:
            raise ToolUnavailableError(reply.problem)
        return reply.text

    def show_picture(self, png: bytes, label: str) -> None:
        """Show an image that the kernel has drawn."""
        self._images.send(label[:LABEL_CHARS], png)

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> NoReturn:  # noqa: ARG002 - as `Screen` has it
        """Refuse what is not a picture."""
        kinds = ", ".join(sorted({type(each).__name__ for each in shapes}))
        raise TypeError(f"show() draws images, figures and uint8 arrays, not {kinds}")

    def show_run(self, run: SimulationRun, label: str) -> NoReturn:
        """Refuse simulations: a question has none."""
        del label
        self.show_shapes((run,), "")

    def recall_picture(self, picture: str) -> None:
        """Show an image of an earlier cell again."""
        answer = self._call(RecallCall(picture=picture[:LABEL_CHARS]), ShowAnswer)
        if answer.problem:
            raise ToolUnavailableError(answer.problem)
        if answer.note:
            print(f"not shown: {answer.note}")  # noqa: T201 - the agent reads it

    def _namespace(self, order: QuestionOrder) -> dict[str, object]:
        """Return the names that every cell can use."""
        images = InputImages(
            [
                InputImage(frame, (self._folder / image_path(number)).read_bytes())
                for number, frame in enumerate(order.frames)
            ]
        )
        return self._names.namespace() | question_tools(self.perceive, images, _metadata(order), order.tools_off)

    def _call(self, call: BaseModel, answer: type[A]) -> A:
        with self._lock, self._interrupts.deferred():
            self._channel.send(call)
            return self._channel.receive(answer)


def _metadata(order: QuestionOrder) -> VideoMetadata:
    given, first = order.metadata, order.frames[0]
    return VideoMetadata(
        num_images=len(order.frames),
        is_video=given.is_video,
        fps=given.fps,
        total_frames=given.total_frames or len(order.frames),
        width=first.width_px,
        height=first.height_px,
        notes=given.notes,
    )


def run(descriptor: int) -> None:
    """Run the kernel until the host closes the channel: the entry point of the child."""
    QuestionKernel(ChildChannel(descriptor, UNTRUSTED)).serve()

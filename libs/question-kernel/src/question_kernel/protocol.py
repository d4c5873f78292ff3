"""The part of the session protocol that kernels of questions add: their order, and the calls of their tools."""

from typing import Annotated, Literal

from contracts.events.perception import KernelOperation, KernelResult
from contracts.events.question import MAX_LOOK_CHARS, MAX_LOOK_IMAGES
from contracts.models.questions.answers import AnswerSpec, Value
from contracts.models.questions.frames import FrameRef
from contracts.models.questions.question import FrameMetadata, ToolGroup
from kernel.api.display import LABEL_CHARS
from kernel_host.protocol import CellDone, KernelCall, RecallCall, SessionReady
from pydantic import BaseModel, Field, RootModel
from sandbox.channels.wire_model import WireModel

ARRAYS_FILE = "perception.npz"
"""In the workspace: arrays are too large for messages."""


class QuestionOrder(WireModel):
    """The first message to the kernel of a question; its pictures are in the workspace, at `image_path`."""

    answer: AnswerSpec
    frames: tuple[FrameRef, ...]
    """Without their sources: the scene behind a frame holds the answer."""
    metadata: FrameMetadata
    tools_off: tuple[ToolGroup, ...] = ()


def image_path(position: int) -> str:
    """Return where the picture of a question's frame is in the workspace."""
    return f"images/{position:03d}"


class PerceptionCall(KernelCall):
    """Call of `tools.Reconstruct`, `tools.SAM3` or `tools.Track`, answered by `PerceptionAnswer`."""

    kind: Literal["perception"] = "perception"
    operation: KernelOperation


class PerceptionAnswer(BaseModel):
    """The result, whose arrays are at `ARRAYS_FILE` in the workspace until the next call, or why there is none."""

    result: KernelResult | None = None
    reason: str = ""
    problem: str = ""


class LookPicture(WireModel):
    """A picture for the vision model."""

    label: Annotated[str, Field(max_length=LABEL_CHARS)]
    png: bytes


class LookCall(KernelCall):
    """Call of `vlm`, answered by `LookAnswer`."""

    kind: Literal["look"] = "look"
    task: Literal["locate", "think"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_LOOK_CHARS)]
    pictures: Annotated[tuple[LookPicture, ...], Field(min_length=1, max_length=MAX_LOOK_IMAGES)]


class LookAnswer(BaseModel):
    """What the vision model says, or why it does not."""

    text: str = ""
    problem: str = ""


class AcceptCall(KernelCall):
    """Call of `ReturnAnswer`, answered by `AcceptAnswer`."""

    kind: Literal["accept"] = "accept"
    value: Value


class AcceptAnswer(BaseModel):
    """Empty if the answer is accepted."""

    problem: str = ""


QuestionCall = PerceptionCall | LookCall | AcceptCall | RecallCall
"""A call of one of the kernel's tools."""


class QuestionMessage(RootModel[Annotated[SessionReady | QuestionCall | CellDone, Field(discriminator="kind")]]):
    """Any message of a kernel."""

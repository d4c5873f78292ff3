"""Events about questions on images and videos. A question is a run of its own, which only the spatial-agent ends."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, NonNegativeInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine, EventText
from contracts.events.session import SessionFailed, SessionOpened
from contracts.models.conversation import Message, Picture, Usage
from contracts.models.questions.answers import AnswerSpec, ValidAnswer
from contracts.models.questions.frames import FrameRef
from contracts.models.questions.question import (
    FrameMetadata,
    PrimitiveUse,
    QuestionExecutor,
    QuestionLimits,
    SpatialQuestion,
    ToolGroup,
)
from contracts.outcomes import FailureOutcome
from contracts.text import counted, headline, spaced

MAX_LOOK_CHARS = 4_000
MAX_LOOK_IMAGES = 16


class QuestionAnswered(Event):
    """The question has an answer that its specification accepts. Whether it is right, the service does not know."""

    ends: ClassVar = "question"

    answer: ValidAnswer
    ending: Literal["returned", "last_valid"]
    """`returned`: a cell returned it and ended well. `last_valid`: the limit was reached, and it is the last answer
    that was accepted."""
    steps: NonNegativeInt
    """Model calls after the plan."""
    primitives: tuple[PrimitiveUse, ...] = ()
    """What its cells used."""

    def line(self) -> EventLine:
        last = "" if self.ending == "returned" else ", the last valid one"
        return EventLine(f"answer: {self.answer.value!r}, {counted(self.steps, 'step')}{last}", "success")


QuestionFailureReason = Literal[
    "model_failed",
    "session_failed",
    "steps_exhausted",
    "single_pass_failed",
    "tokens_exhausted",
    "deadline",
    "cancelled",
    "abandoned",
]


class QuestionFailed(Event):
    """The question has no answer."""

    ends: ClassVar = "question"

    reason: QuestionFailureReason
    detail: str
    is_refusal: bool = False
    """With `model_failed`: the model replied that what is asked cannot be measured; `detail` names what is missing."""

    def line(self) -> EventLine:
        why = "refused" if self.is_refusal else spaced(self.reason)
        return EventLine(f"no answer ({why}): {self.detail}", "failure")


class QuestionAsked(Request):
    """A user, a question set or another role asks about images. Opens the run."""

    publishers: ClassVar = ("cli", "cad-worker", "gateway")
    opens_run: ClassVar = True
    owner: ClassVar = "spatial-agent"
    outcomes: ClassVar = (QuestionAnswered, QuestionFailed)

    question: SpatialQuestion
    model: str
    """`offline`, or `provider:name` as in LangChain."""
    vision_model: str | None = None
    """Answers `vlm.locate` and `vlm.ask_with_thinking`; None: `model`."""
    executor: QuestionExecutor = "code"
    is_planned: bool = True
    """Whether a plan is written first, without images. Executors without a kernel have none."""
    tools_off: tuple[ToolGroup, ...] = ()
    limits: QuestionLimits = QuestionLimits()

    def line(self) -> EventLine:
        images = counted(len(self.question.frames), "image")
        return EventLine(f"question about {images}, {spaced(self.executor)}, model {self.model}: {self.question.text}")

    def texts(self) -> list[EventText]:
        return [EventText("Question", self.question.text)]


class QuestionSessionRequested(Request):
    """The spatial-agent requests a kernel with a question's namespace. The worker that opens it answers its cells."""

    publishers: ClassVar = ("spatial-agent",)
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (SessionOpened, SessionFailed)

    answer: AnswerSpec
    frames: tuple[FrameRef, ...]
    metadata: FrameMetadata = FrameMetadata()
    tools_off: tuple[ToolGroup, ...] = ()

    def line(self) -> EventLine:
        return EventLine(f"kernel with {counted(len(self.frames), 'image')} requested", "detail")


class LookCompleted(Event):
    """The vision model answered. This is the whole record of the call; no conversation of a role contains it."""

    model: str
    messages: tuple[Message, ...]
    """The whole prompt."""
    text: str
    usage: Usage
    spent: Usage = Usage()
    """Total of all looks of this run so far; `ModelCalled.spent` does not contain them."""

    def line(self) -> EventLine:
        return EventLine(f"vision model {self.model}: {headline(self.text)}")

    def texts(self) -> list[EventText]:
        return [EventText("Answer of the vision model", self.text)]


LookFailureReason = Literal["no_vision_model", "model_failed", "refused"]


class LookFailed(FailureOutcome[LookFailureReason]):
    """The vision model did not answer."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"
    summary: ClassVar = "no look"


class LookRequested(Request):
    """A cell asks the run's vision model about images, in a conversation of its own."""

    publishers: ClassVar = ("cad-worker",)
    owner: ClassVar = "spatial-agent"
    outcomes: ClassVar = (LookCompleted, LookFailed)

    task: Literal["locate", "think"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_LOOK_CHARS)]
    images: Annotated[tuple[Picture, ...], Field(min_length=1, max_length=MAX_LOOK_IMAGES)]

    def line(self) -> EventLine:
        return EventLine(f"vision model looks at {counted(len(self.images), 'picture')}: {headline(self.text)}")

    def texts(self) -> list[EventText]:
        return [EventText("Question to the vision model", self.text)]

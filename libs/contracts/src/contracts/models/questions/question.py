"""A question about images or a video: what is asked, within which limits, and how the agent may act."""

from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from contracts.model import Model
from contracts.models.questions.answers import AnswerSpec
from contracts.models.questions.frames import FrameRef

MAX_QUESTION_CHARS = 8_000
MAX_FRAMES = 64
"""Of one question; a video is sampled to fewer."""

QuestionExecutor = Literal["code", "tool_calls", "single_pass", "chain_of_thought", "none"]
"""`code`: cells in a kernel. `tool_calls`: one call of a tool at a time. `single_pass`: one cell and no observation.
`chain_of_thought`: reasoning and an answer, without kernel and tools. `none`: the answer alone."""
ToolGroup = Literal["perception", "segmentation", "utilities", "vlm"]
"""`perception`: Reconstruct, SAM3 and Track. `segmentation`: SAM3 alone. `utilities`: Geometry, Mask, Time, Graph and
Draw. `vlm`: the vision model."""


FrameChoice = Literal["even", "key"]
"""How frames of a video were chosen. `even`: evenly. `key`: those at which it changes, and some evenly."""


class FrameMetadata(Model):
    """What is known of the images besides their pixels."""

    is_video: bool = False
    fps: PositiveFloat | None = None
    """Of the video."""
    total_frames: NonNegativeInt = 0
    """Of the video, or the number of images."""
    duration_s: NonNegativeFloat | None = None
    max_edge_px: PositiveInt = 768
    """To which longer edge images were scaled down."""
    max_frames: PositiveInt = 32
    """To how many frames a video was sampled at most."""
    frame_choice: FrameChoice = "even"
    notes: str = ""
    """What the user or the question set adds, such as which camera is which."""


class QuestionLimits(Model):
    """Limits on the resources of a question."""

    max_steps: Annotated[int, Field(ge=1, le=200)] = 30
    """Model calls after the plan."""
    deadline_s: PositiveFloat = 1800.0
    max_tokens: PositiveInt | None = None
    """Input and output tokens of all model calls, those of `vlm` included. None: no limit."""


class SpatialQuestion(Model):
    """What is asked."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
    answer: AnswerSpec
    frames: Annotated[tuple[FrameRef, ...], Field(min_length=1, max_length=MAX_FRAMES)]
    """In order. Their `source` is known to hosts alone."""
    metadata: FrameMetadata = FrameMetadata()

    @model_validator(mode="after")
    def _require_rising_indices(self) -> Self:
        indices = [frame.frame_index for frame in self.frames]
        if indices != sorted(set(indices)):
            raise ValueError(f"frame indices must rise, got {indices[:8]}")
        return self


class PrimitiveUse(Model):
    """How often the cells of a question used one primitive."""

    name: str
    """Such as `tools.SAM3.segment_image_by_text`, `numpy.linalg.norm` or `for`."""
    count: PositiveInt

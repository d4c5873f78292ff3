"""Requests of questions about images or a video."""

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID, uuid4

from artifacts.port import ArtifactStore
from contracts.envelope import opening
from contracts.events.question import QuestionAsked
from contracts.models.questions.answers import (
    AnswerSpec,
    BooleanSpec,
    BoxSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    TextSpec,
    VectorSpec,
)
from contracts.models.questions.frames import FrameRef
from contracts.models.questions.question import (
    FrameMetadata,
    QuestionExecutor,
    QuestionLimits,
    SpatialQuestion,
    ToolGroup,
)
from contracts.publishers import Client
from questions.media.images import SampledMedia

Expected = Literal["text", "number", "integer", "boolean", "vector", "box"]


@dataclass(frozen=True)
class AnswerOptions:
    """How a question is answered."""

    model: str = "offline"
    executor: QuestionExecutor = "code"
    is_planned: bool = True
    tools_off: tuple[ToolGroup, ...] = ()
    limits: QuestionLimits = field(default_factory=QuestionLimits)


def answer_spec(choices: tuple[str, ...], expected: Expected, unit: str) -> AnswerSpec:
    """Return what the answer must be: one of the choices or, without any, what is expected."""
    if choices:
        return ChoiceSpec(kind="choice", choices=choices)
    specs: dict[Expected, AnswerSpec] = {
        "text": TextSpec(kind="text"),
        "number": NumberSpec(kind="number", unit=unit),
        "integer": IntegerSpec(kind="integer"),
        "boolean": BooleanSpec(kind="boolean"),
        "vector": VectorSpec(kind="vector", unit=unit or "m"),
        "box": BoxSpec(kind="box"),
    }
    return specs[expected]


async def store_question(
    text: str, spec: AnswerSpec, media: SampledMedia, artifacts: ArtifactStore, notes: str = ""
) -> SpatialQuestion:
    """Store the frames, and return the question about them; `notes`: what is known besides."""
    frames = [
        FrameRef(
            picture=await artifacts.put(each.png, "image/png"),
            frame_index=each.frame_index,
            time_s=each.time_s,
            width_px=each.width_px,
            height_px=each.height_px,
            reason=each.reason,
            focal_px=each.focal_px,
        )
        for each in media.frames
    ]
    metadata = FrameMetadata(
        is_video=media.is_video,
        fps=media.fps,
        total_frames=media.total_frames,
        duration_s=None if media.fps is None else media.total_frames / media.fps,
        max_edge_px=media.options.max_edge_px,
        max_frames=media.options.max_frames,
        frame_choice=media.frame_choice,
        notes=notes,
    )
    return SpatialQuestion(text=text, answer=spec, frames=tuple(frames), metadata=metadata)


def question_request(
    question: SpatialQuestion, options: AnswerOptions, producer: Client = "cli", run_id: UUID | None = None
) -> QuestionAsked:
    """Return the request that opens a question's run, under a new id or under this one."""
    run_id = run_id or uuid4()
    return QuestionAsked(
        **opening(run_id, "question", "spatial-agent", producer),
        question=question,
        model=options.model,
        executor=options.executor,
        is_planned=options.is_planned,
        tools_off=options.tools_off,
        limits=options.limits,
    )

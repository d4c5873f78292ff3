"""Examples of the events of a question."""

from contracts.envelope import Event, answering, deciding, during
from contracts.events.question import (
    LookCompleted,
    LookFailed,
    LookRequested,
    QuestionAnswered,
    QuestionAsked,
    QuestionFailed,
    QuestionSessionRequested,
)
from contracts.events.session import CellRequested
from contracts.models.conversation import Message, Picture, Usage
from contracts.models.questions.answers import NumberSpec, ValidAnswer
from contracts.models.questions.frames import FrameRef
from contracts.models.questions.question import FrameMetadata, PrimitiveUse, QuestionLimits, SpatialQuestion

from tests.contracts import example_values as values
from tests.contracts.worker_examples import EventsByClass

FRAME = FrameRef(
    picture=values.blob("frame.png", "image/png", 40_000), frame_index=30, time_s=1.0, width_px=640, height_px=480
)
SPEC = NumberSpec(kind="number", unit="m", relative_tolerance=0.05, absolute_tolerance=0.01)
METADATA = FrameMetadata(
    is_video=True, fps=30, total_frames=300, duration_s=10, max_edge_px=768, max_frames=32, notes="a ball on a ramp"
)
USAGE = Usage(input_tokens=900, output_tokens=40, duration_s=1.5, cost_usd=0.002, cached_input_tokens=100)


def questions(_: EventsByClass) -> list[Event]:
    """Return all events of one run, as if it had taken every branch."""
    asked = QuestionAsked(
        id=values.RUN,
        run_id=values.RUN,
        kind="question",
        role="spatial-agent",
        producer="cli",
        question=SpatialQuestion(text="How far does the ball roll?", answer=SPEC, frames=(FRAME,), metadata=METADATA),
        model="openai:some-model",
        vision_model="openai:some-vision-model",
        executor="code",
        is_planned=True,
        tools_off=("vlm",),
        limits=QuestionLimits(max_steps=12, deadline_s=600, max_tokens=100_000),
    )
    session = QuestionSessionRequested(
        **deciding(asked, "spatial-agent", 0, 1), answer=SPEC, frames=(FRAME,), metadata=METADATA, tools_off=("vlm",)
    )
    cell = CellRequested(**deciding(session, "spatial-agent", 1, 1), purpose="look", code="print(1)")
    picture = Picture(caption="frame 30", artifact=FRAME.picture, width_px=640, height_px=480, shows="")
    look = LookRequested(**during(cell, "look 0", "cad-worker"), task="locate", text="the ball", images=(picture,))
    return [
        asked,
        session,
        look,
        LookCompleted(
            **answering(look, "spatial-agent"),
            model="openai:some-vision-model",
            messages=(Message(author="user", text="the ball", images=(picture,)),),
            text="[412, 730]",
            usage=USAGE,
            spent=USAGE,
        ),
        LookFailed(**answering(look, "spatial-agent"), reason="no_vision_model", detail="the model sees no pictures"),
        QuestionAnswered(
            **answering(asked, "spatial-agent"),
            answer=ValidAnswer(kind="number", value=2.4),
            ending="returned",
            steps=4,
            primitives=(PrimitiveUse(name="tools.SAM3.segment_video_by_text", count=1),),
        ),
        QuestionFailed(
            **answering(asked, "spatial-agent"), reason="steps_exhausted", detail="no answer after 12 replies"
        ),
    ]

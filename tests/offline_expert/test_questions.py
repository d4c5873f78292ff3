"""The expert answers questions that it measures, as a run's report does, and refuses all others."""

from io import BytesIO

import pytest
from contracts.models.artifact import ArtifactRef
from contracts.models.questions.frames import FrameRef
from contracts.models.simulation import PhysicalEvent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from offline_expert.questions.policy import decide
from offline_expert.questions.rest_cells import CELLS
from PIL import Image, ImageDraw
from run_report.record import recorded_moments
from spatial.frames import InputImage, InputImages, VideoMetadata
from spatial.tools.drawings import GraphTool

from tests.contracts.example_values import RESULT

KINDS = ("choice", "integer", "number", "text", "boolean", "vector", "box")
EXECUTORS = ("code", "tool_calls", "single_pass", "chain_of_thought", "none")
KNOWN = "How tall is the red ball, in metres?"
REST = "At what time, in seconds, does the motion end?"
FAILED = (
    "# Observation of cell 1\n\n**The cell stopped with an error** (0.1 s).\n\n### Error\n"
    "`PerceptionRefusedError` in line 2 of the cell: unknown frame: frame 0 has no stored scene\n"
)


def conversation(text: str, kind: str, executor: str, *after: str, expected: str = "") -> list[BaseMessage]:
    question = f"# Question\n\n~~~text\n{text}\n~~~\n\nExpected: {expected}\nKind: {kind}\n"
    system = SystemMessage(f"# Role: spatial-agent\n\nExecutor: {executor}\n")
    return [system, *(HumanMessage(each) for each in (question, *after))]


def is_refusal(reply: AIMessage) -> bool:
    return reply.text.startswith("REFUSED: ") and not reply.tool_calls


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("kind", KINDS)
def test_question_without_a_rule_is_refused_in_every_form(kind: str, executor: str) -> None:
    assert is_refusal(decide(conversation("Which way does the ball roll?", kind, executor)))


@pytest.mark.parametrize("executor", ["code", "tool_calls"])
def test_measurement_that_fails_is_refused_with_its_error(executor: str) -> None:
    reply = decide(conversation(KNOWN, "number", executor, FAILED, expected="a number in m"))
    assert is_refusal(reply)
    assert "frame 0 has no stored scene" in reply.text


@pytest.mark.parametrize("executor", ["chain_of_thought", "none"])
def test_executor_without_a_kernel_is_refused(executor: str) -> None:
    assert is_refusal(decide(conversation(KNOWN, "number", executor, expected="a number in m")))


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (KNOWN, "number", "a number in cm"),
        (REST, "number", "a number in ms"),
        ("How does the motion end?", "text", "a text"),
        ("Where does the motion end, in metres?", "number", "a number in m"),
    ],
)
def test_question_about_something_else_than_is_measured_is_refused(text: str, kind: str, expected: str) -> None:
    assert is_refusal(decide(conversation(text, kind, "code", expected=expected)))


@pytest.mark.parametrize("executor", ["code", "tool_calls", "single_pass"])
def test_lengths_are_refused_where_perception_has_no_models(executor: str) -> None:
    """Its depths are up to scale, and its masks by colour: 0.8 units would look like 0.8 m."""
    asked = conversation(KNOWN, "number", executor, expected="a number in m")
    assert not is_refusal(decide(asked))
    system = asked[0].text + "\nWithout a server of perception `tools.Reconstruct` finds camera poses"
    reply = decide([SystemMessage(system), *asked[1:]])
    assert is_refusal(reply)
    assert "perception works without models here" in reply.text
    rest = conversation(REST, "number", executor, expected="a number in s")
    assert executor == "tool_calls" or not is_refusal(decide([SystemMessage(system), *rest[1:]]))


def test_rest_is_measured_in_seconds() -> None:
    assert "changes" in decide(conversation(REST, "number", "code", expected="a number in s")).text


def test_answer_that_was_not_accepted_is_not_replaced_by_another() -> None:
    ran = "# Observation of cell 1\n\n**The cell ran** (0.1 s).\n"
    assert is_refusal(decide(conversation(REST, "number", "code", *[ran] * 3, expected="a number in s")))


def frame(number: int) -> InputImage:
    """Return a picture of a ball that rests from the sixth frame on, with a caption that changes up to the last."""
    picture = Image.new("RGB", (160, 136), (120, 140, 160))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((20 * min(number, 5), 40, 20 * min(number, 5) + 20, 60), (240, 120, 20))
    draw.rectangle((0, 120, 160, 136), (255, 255, 255))
    draw.rectangle((0, 120, 16 * number, 123), (120, 126, 136))
    draw.text((6, 124), f"{number / 10:.2f} s  " + "X" * number, (0, 0, 0))
    file = BytesIO()
    picture.save(file, "PNG")
    ref = ArtifactRef(sha256="0" * 64, media_type="image/png", size_bytes=1)
    place = FrameRef(picture=ref, frame_index=number, time_s=number / 10, width_px=160, height_px=136)
    return InputImage(place, file.getvalue())


def shown(*_: object, **_options: object) -> None:
    """Show nothing."""


def answer_of(notes: str) -> float:
    """Run the cells as a kernel does, and return their answer."""
    answers: list[float] = []
    images = InputImages([frame(number) for number in range(10)])
    metadata = VideoMetadata(len(images), is_video=True, fps=10.0, total_frames=10, notes=notes)
    tools = type("Tools", (), {"Graph": GraphTool()})
    names: dict[str, object] = {
        "InputImages": images,
        "Metadata": metadata,
        "tools": tools,
        "ReturnAnswer": answers.append,
    }
    names["show"] = shown
    for cell in CELLS:
        exec(cell, names)
    return answers[0]


def test_motion_of_a_recorded_run_ends_when_its_report_has_it_at_rest() -> None:
    rest = PhysicalEvent(time_s=0.437, kind="at_rest", subject="payload", place_mm=(0, 0, 0))
    later = rest.model_copy(update={"time_s": 0.61, "kind": "decided", "other": "reached_goal"})
    result = RESULT.model_copy(update={"events": (rest, later)})
    assert answer_of(recorded_moments(result)) == pytest.approx(0.44)


def test_caption_that_changes_is_no_motion() -> None:
    assert answer_of("") == pytest.approx(0.5)

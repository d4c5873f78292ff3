"""Cells of a question in a real kernel: images, answers, the vision model, perception, and what is protected."""

import numpy as np
import pytest
from artifacts.port import reference
from contracts.envelope import Event, Request, answering
from contracts.events.perception import (
    PerceptionCompleted,
    PerceptionFailed,
    PerceptionRequested,
    Segmented,
    SegmentedObject,
    SegmentImage,
)
from contracts.events.question import LookCompleted, LookFailed, LookRequested
from contracts.models.conversation import Message, Usage
from contracts.models.questions.answers import (
    AnswerSpec,
    BoxSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    ValidAnswer,
    VectorSpec,
)
from contracts.models.questions.frames import SceneState
from spatial.arrays import pack_arrays, pack_masks

from tests.question_kernel.conftest import QuestionSession
from tests.spatial_agent.question_harness import FRAMES, SHADES, frame
from tests.support.replies.taught_code import PROMPTS, blocks_of, calls_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
SCENE = SceneState(scene=reference(b"{}", "application/json"), state=0)


async def test_question_has_no_skills(question: QuestionSession):
    await question.open()
    assert not [path for path in question.session.workspace.files() if path.startswith("skills/")]


async def test_question_is_answered_with_numpy_alone(question: QuestionSession):
    await question.open()
    seen = await question.run(
        "import numpy as np\nmeans = {each.frame_index: float(np.mean(each.pixels)) for each in InputImages}\nmeans"
    )
    assert seen.observation.status == "ok", seen.observation
    assert "{0: 10.0, 10: 200.0, 20: 90.0}" in seen.observation.output
    assert [each.name for each in seen.observation.variables] == ["means"]
    answered = await question.run("best = max(means, key=means.get)\nReturnAnswer(np.int64(best))")
    assert answered.answer == ValidAnswer(kind="integer", value=10)
    assert "answer noted: 10" in answered.observation.output


async def test_shown_images_come_with_the_observation(question: QuestionSession):
    await question.open()
    seen = await question.run(
        "show(InputImages[1])\nshow(InputImages[0].pixels[..., 0] > 5, label='mask')\n"
        "show(tools.Draw.draw_point(InputImages[0], (5, 5)), label='point')\nprint(feedback)"
    )
    assert seen.observation.status == "ok", seen.observation
    assert [each.label for each in seen.observation.images] == ["frame 10", "mask", "point"]
    assert "3 pictures shown" in seen.observation.output


REFUSED = [
    (IntegerSpec(kind="integer"), "True", "truth value"),
    (IntegerSpec(kind="integer"), "float('nan')", "nan"),
    (IntegerSpec(kind="integer"), "2.5", "round it"),
    (IntegerSpec(kind="integer"), "'3'", "text"),
    (NumberSpec(kind="number", unit="m"), "float('inf')", "inf"),
    (NumberSpec(kind="number", unit="m"), "'3.5 m'", "without unit"),
    (NumberSpec(kind="number", unit="m"), "None", "None"),
    (NumberSpec(kind="number", unit="m"), "InputImages", "InputImages"),
    (ChoiceSpec(kind="choice", choices=("left", "right")), "'C'", "not one of the choices"),
    (ChoiceSpec(kind="choice", choices=("left", "right")), "'The dog.'", "not one of the choices"),
    (VectorSpec(kind="vector"), "[1, 2]", "2 values"),
    (BoxSpec(kind="box"), "(5, 5, 1, 1)", "empty"),
]


async def test_value_that_is_no_answer_is_refused_with_the_reason(question: QuestionSession):
    await question.open()
    opened: object = None
    problems: dict[str, str] = {}
    for spec, value, reason in REFUSED:
        if spec != opened:
            await question.session.close()
            await question.open(spec=spec)
            opened = spec
        seen = await question.run(f"ReturnAnswer({value})")
        assert seen.answer is None
        error = seen.observation.error
        assert error is not None
        assert error.type == "AnswerNotAcceptedError", (value, seen.observation)
        problems[value] = error.message
        assert reason in error.message, (value, error.message)
    assert len(problems) == len({value for _, value, _ in REFUSED})


ACCEPTED: list[tuple[AnswerSpec, str, object]] = [
    (NumberSpec(kind="number", unit="m"), "numpy.float32(2.5)", 2.5),
    (IntegerSpec(kind="integer"), "numpy.int64(3)", 3),
    (ChoiceSpec(kind="choice", choices=("left", "right")), "'(b)'", "B"),
    (VectorSpec(kind="vector"), "numpy.array([1, 2, 3])", (1.0, 2.0, 3.0)),
]


@pytest.mark.parametrize(("spec", "value", "expected"), ACCEPTED)
async def test_values_of_numpy_are_answers(question: QuestionSession, spec: AnswerSpec, value: str, expected: object):
    await question.open(spec=spec)
    seen = await question.run(f"import numpy\nReturnAnswer({value})")
    assert seen.answer is not None
    assert seen.answer.value == expected


async def test_answer_is_kept_when_the_cell_fails_or_runs_out_of_time_after_it(question: QuestionSession):
    await question.open()
    failed = await question.run("ReturnAnswer(3)\nReturnAnswer(4)\nraise ValueError('too late')")
    assert (failed.observation.status, failed.answer) == ("error", ValidAnswer(kind="integer", value=4))
    slow = await question.run("ReturnAnswer(5)\nwhile True: pass", timeout_s=1.0)
    assert (slow.observation.status, slow.answer) == ("timeout", ValidAnswer(kind="integer", value=5))
    later = await question.run("feedback.answers")
    assert later.answer is None
    assert "('4', '5')" in later.observation.output.replace("'3', ", "")


WAYS = {
    "tools = 1": "by assignment",
    "for show in range(3): pass": "by for",
    "import numpy as vlm": "by import as",
    "setattr(tools, 'SAM3', None)": "setattr of tools",
    "object.__setattr__(tools, 'SAM3', None)": "__setattr__ of tools",
    "tools.SAM3._perception": "attribute _perception",
    "getattr(tools.SAM3, '_perception')": "getattr of tools",
    "vars(tools.SAM3)['_perception']": "vars of tools",
    "globals()['ReturnAnswer'] = print": "binding of ReturnAnswer by globals()",
    "ReturnAnswer._host": "attribute _host",
    "vlm.locate = print": "change of vlm.locate",
    "InputImages[0] = 1": "change of InputImages by an item",
    "(feedback := 3)": "by :=",
    "def Metadata(): pass": "by def",
    "del tools": "by del",
}


async def test_each_way_to_rebind_or_reach_into_a_name_is_named(question: QuestionSession):
    await question.open()
    for code, way in WAYS.items():
        seen = await question.run(code)
        assert seen.observation.status == "refused", code
        assert seen.observation.error is not None
        assert way in seen.observation.error.message, (code, seen.observation.error.message)


async def test_frames_of_a_kernel_have_no_scene_and_perception_gets_the_hosts(question: QuestionSession):
    hidden = tuple(each.model_copy(update={"source": SCENE}) for each in FRAMES)
    await question.open(frames=hidden)
    question.respond = lambda request: masks_of(request, question)
    seen = await question.run(
        "print([each.ref.source for each in InputImages])\n"
        "masks = tools.SAM3.segment_image_by_text(InputImages[1], 'gray')\n"
        "print(tools.Mask.area(masks.mask('gray_1')), masks.frame_indices)"
    )
    assert seen.observation.output == "[None, None, None]\n768 (10,)\n", seen.observation
    (request,) = question.requests
    assert isinstance(request, PerceptionRequested)
    assert isinstance(request.operation, SegmentImage)
    assert request.operation.frame == hidden[1]
    assert [(each.name, each.type) for each in seen.observation.variables] == [("masks", "Masks")]


async def test_frame_of_another_question_is_refused(question: QuestionSession):
    await question.open()
    seen = await question.run(
        "from dataclasses import replace\n"
        "ref = InputImages[0].ref\n"
        "other = ref.model_copy(update={'picture': ref.picture.model_copy(update={'sha256': 'f' * 64})})\n"
        "tools.SAM3.segment_image_by_text(replace(InputImages[0], ref=other), 'gray')"
    )
    assert seen.observation.error is not None
    assert "frame 0 is not one of InputImages" in seen.observation.error.message


def masks_of(request: Request, question: QuestionSession) -> Event:
    """Answer a segmentation with the upper left quarter of the image."""
    assert isinstance(request, PerceptionRequested)
    assert isinstance(request.operation, SegmentImage)
    masks = np.zeros((1, 1, 48, 64), np.bool_)
    masks[0, 0, :24, :32] = True
    data = pack_arrays(pack_masks(masks))
    arrays = reference(data, "application/x-npz")
    question.artifacts.blobs[arrays.sha256] = data
    indices = (request.operation.frame.frame_index,)
    result = Segmented(
        kind="segmented", arrays=arrays, frame_indices=indices, objects=(SegmentedObject(label="gray_1", score=0.9),)
    )
    return PerceptionCompleted(
        **answering(request, "perception-worker"), backend="simulator", result=result, duration_ms=1.0
    )


async def test_looks_are_answered_outside_of_the_kernel(question: QuestionSession):
    await question.open()

    def see(request: Request) -> Event:
        assert isinstance(request, LookRequested)
        assert (request.task, request.text) == ("locate", "the gray")
        assert [each.caption for each in request.images] == ["frame 0", "frame 10"]
        message = Message(author="user", text="the gray")
        return LookCompleted(
            **answering(request, "spatial-agent"), model="m", messages=(message,), text="[500, 500]", usage=Usage()
        )

    question.respond = see
    seen = await question.run("vlm.locate(InputImages[:2], 'the gray')")
    assert "[500, 500]" in seen.observation.output


async def test_look_without_a_vision_model_is_a_clear_error(question: QuestionSession):
    await question.open()
    question.respond = lambda request: LookFailed(
        **answering(request, "spatial-agent"), reason="no_vision_model", detail="vlm is not available in this question"
    )
    seen = await question.run("vlm.ask_with_thinking(InputImages[0], 'what is it?')")
    assert seen.observation.error is not None
    assert seen.observation.error.message == "vlm is not available in this question"


async def test_dead_perception_is_a_clear_error_and_the_kernel_goes_on(question: QuestionSession):
    await question.open()
    question.respond = lambda request: PerceptionFailed(
        **answering(request, "perception-worker"),
        reason="backend_unavailable",
        detail="no server answers",
        retry_after_s=30,
    )
    seen = await question.run("x = 1\ntools.SAM3.segment_image_by_text(InputImages[0], 'cup')")
    assert seen.observation.error is not None
    assert "backend unavailable: no server answers; try again in 30 s" in seen.observation.error.message
    assert (await question.run("print(x)")).observation.output == "1\n"


async def test_tools_that_are_off_are_refused_by_name(question: QuestionSession):
    await question.open(tools_off=("perception", "vlm"))
    seen = await question.run("tools.Reconstruct(InputImages)")
    assert seen.observation.error is not None
    assert (
        "tools.Reconstruct is switched off for this question; there are tools.Geometry"
        in seen.observation.error.message
    )
    assert (
        await question.run("print(tools.Geometry.euclidean_distance([0, 0, 0], [3, 4, 0]))")
    ).observation.output == "5.0\n"
    looked = await question.run("vlm.locate(InputImages[0], 'it')")
    assert looked.observation.error is not None
    assert "switched off" in looked.observation.error.message


async def test_segmentation_alone_can_be_off_and_is_refused_by_name(question: QuestionSession):
    await question.open(tools_off=("segmentation",))
    seen = await question.run("print(tools.Reconstruct)\ntools.SAM3.segment_image_by_text(InputImages[0], 'cup')")
    assert seen.observation.error is not None
    assert "tools.SAM3 is switched off for this question; there are tools.Reconstruct" in seen.observation.error.message
    assert "rec = tools.Reconstruct(InputImages)" in seen.observation.output
    assert not question.requests


async def test_code_of_the_prompt_runs(question: QuestionSession):
    await question.open(frames=tuple(frame(10 * n, shade, source=SCENE) for n, shade in enumerate(SHADES, 1)))
    question.respond = refused
    names = "images, image, question, values, value = InputImages, InputImages[0], 'where?', [1], 1"
    prompts = [text for name, text in PROMPTS.items() if name.startswith("spatial_agent/")]
    taught = [code for text in prompts for code in (*blocks_of(text), *calls_of(text))]
    for code in (names, *dict.fromkeys(taught)):
        seen = await question.run(code)
        assert seen.observation.status == "ok" or "no server" in str(seen.observation.error), (code, seen.observation)
    assert len(set(taught)) > 5


def refused(request: Request) -> Event:
    """Answer as without a server of perception and a vision model."""
    if isinstance(request, LookRequested):
        return LookFailed(**answering(request, "spatial-agent"), reason="model_failed", detail="no server")
    return PerceptionFailed(**answering(request, "perception-worker"), reason="backend_unavailable", detail="no server")

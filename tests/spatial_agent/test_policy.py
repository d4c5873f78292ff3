"""The loop of a question: plan, cells, answers that count, and limits."""

from collections.abc import Sequence

import pytest
from artifacts.port import reference
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed, QuestionSessionRequested
from contracts.events.session import CellRequested
from contracts.models.questions.answers import ChoiceSpec, ValidAnswer
from contracts.models.questions.frames import FrameRef, SceneState
from contracts.models.questions.question import QuestionExecutor, QuestionLimits
from spatial.namespace import PERCEPTION_TOOLS, UTILITY_TOOLS

from tests.engineer.engineer_harness import cell_reply, tool_reply
from tests.spatial_agent.question_harness import (
    FRAMES,
    SHADES,
    KnownModels,
    QuestionHarness,
    frame,
    picture,
    question_asked,
)

ANSWER = ValidAnswer(kind="integer", value=10)


def only(decided: Sequence[Event]) -> Event:
    (event,) = decided
    return event


async def test_question_is_planned_without_images_and_then_shown_with_them():
    agent = QuestionHarness("Compare the shades.", cell_reply("print(1)"))
    requested = only(await agent.consume(question_asked(is_planned=True)))
    assert isinstance(requested, QuestionSessionRequested)
    planning = agent.chat.conversations[0]
    assert all(isinstance(message.content, str) for message in planning)
    assert "Which frame is the brightest?" in planning[-1].text
    for shade in SHADES:
        await agent.artifacts.put(picture(shade), "image/png")
    cell = only(await agent.open_session(requested))
    assert isinstance(cell, CellRequested)
    shown = agent.chat.conversations[1][-1]
    assert [block["type"] for block in shown.content_blocks].count("image") == 3
    assert "InputImages[2]`: frame 20 at 2.00 s" in shown.text


SCENE = SceneState(scene=reference(b"{}", "application/json"), state=0)
OPEN_FRAMES, KNOWN_FRAMES = (frame(0, SHADES[0]),), (frame(0, SHADES[0], source=SCENE),)


@pytest.mark.parametrize(
    ("frames", "has_server", "is_classic"),
    [(OPEN_FRAMES, False, True), (OPEN_FRAMES, True, False), (KNOWN_FRAMES, False, False)],
)
@pytest.mark.parametrize("executor", ["code", "tool_calls", "single_pass"])
async def test_prompt_says_what_perception_is_worth_without_models(
    frames: tuple[FrameRef, ...], has_server: bool, is_classic: bool, executor: QuestionExecutor
):
    agent = QuestionHarness(cell_reply("print(1)"), has_server=has_server)
    requested = only(await agent.consume(question_asked(frames=frames, executor=executor)))
    assert isinstance(requested, QuestionSessionRequested)
    assert requested.tools_off == ()
    for shade in SHADES:
        await agent.artifacts.put(picture(shade), "image/png")
    await agent.open_session(requested)
    system = agent.chat.conversations[0][0].text
    assert all(f"tools.{name}: " in system for name in (*PERCEPTION_TOOLS, *UTILITY_TOOLS))
    assert ("up to scale" in system) == is_classic
    assert ("finds by text only, and by looks only" in system) == is_classic


@pytest.mark.parametrize("has_server", [True, False])
async def test_masks_that_the_user_switched_off_are_not_offered_with_or_without_a_server(has_server: bool):
    agent = QuestionHarness(cell_reply("print(1)"), has_server=has_server)
    requested = only(await agent.consume(question_asked(frames=FRAMES, tools_off=("segmentation",))))
    assert isinstance(requested, QuestionSessionRequested)
    for shade in SHADES:
        await agent.artifacts.put(picture(shade), "image/png")
    await agent.open_session(requested)
    system = agent.chat.conversations[0][0].text
    assert "tools.Reconstruct: " in system
    assert "tools.SAM3" not in system
    assert ("up to scale" in system) != has_server


async def test_cell_that_returns_an_answer_ends_the_question():
    agent = QuestionHarness(cell_reply("ReturnAnswer(10)"))
    cell = only(await agent.ask(question_asked()))
    answered = only(await agent.complete(cell, answer=ANSWER))
    assert isinstance(answered, QuestionAnswered)
    assert (answered.answer.value, answered.ending, answered.steps) == (10, "returned", 1)
    assert {each.name: each.count for each in answered.primitives} == {"ReturnAnswer": 1}


async def test_answer_that_the_specification_refuses_is_not_taken_from_a_worker():
    asked = question_asked(ChoiceSpec(kind="choice", choices=("left", "right")))
    agent = QuestionHarness(cell_reply("ReturnAnswer('C')"), cell_reply("ReturnAnswer('A')"))
    cell = only(await agent.ask(asked))
    again = only(await agent.complete(cell, answer=ValidAnswer(kind="choice", value="C")))
    assert isinstance(again, CellRequested)


async def test_answer_of_a_failed_cell_is_kept_and_counts_when_steps_run_out():
    agent = QuestionHarness(cell_reply("ReturnAnswer(10); fail"), cell_reply("fail"))
    cell = only(await agent.ask(question_asked(limits=QuestionLimits(max_steps=2))))
    again = only(await agent.complete(cell, answer=ANSWER, error="name 'fail' is not defined"))
    assert isinstance(again, CellRequested)
    prompt = agent.chat.conversations[-1][-1].text
    assert "The answer `10` is kept" in prompt
    assert "This is your last reply" in prompt
    answered = only(await agent.complete(again, error="name 'fail' is not defined"))
    assert isinstance(answered, QuestionAnswered)
    assert (answered.answer, answered.ending) == (ANSWER, "last_valid")


async def test_question_without_an_answer_fails_when_steps_run_out():
    agent = QuestionHarness(cell_reply("print(1)"))
    cell = only(await agent.ask(question_asked(limits=QuestionLimits(max_steps=1))))
    failed = only(await agent.complete(cell, output="1"))
    assert isinstance(failed, QuestionFailed)
    assert failed.reason == "steps_exhausted"


async def test_single_pass_ends_after_its_only_cell():
    agent = QuestionHarness(cell_reply("print(InputImages)"))
    cell = only(await agent.ask(question_asked(executor="single_pass")))
    failed = only(await agent.complete(cell, output="3 images"))
    assert isinstance(failed, QuestionFailed)
    assert failed.reason == "single_pass_failed"


async def test_tool_calls_become_fixed_cells():
    call = tool_reply("call_tool", tool="tools.Mask.area", arguments="InputImages[0].pixels", result="size")
    agent = QuestionHarness(call, tool_reply("return_answer", value="size"))
    cell = only(await agent.ask(question_asked(executor="tool_calls")))
    assert isinstance(cell, CellRequested)
    assert cell.code == "size = tools.Mask.area(InputImages[0].pixels)\nprint(size)\n"
    answering = only(await agent.complete(cell, output="10"))
    assert isinstance(answering, CellRequested)
    assert answering.code == "ReturnAnswer(size)\n"


@pytest.mark.parametrize(
    "arguments",
    [
        "max(sizes)",
        "sizes[0] + 1",
        "[each for each in sizes]",
        "lambda: 1",
        "1), exit(",
        "a if b else c",
        "x := 3",
        "-x**2",
    ],
)
async def test_arguments_that_compute_are_refused(arguments: str):
    agent = QuestionHarness(
        tool_reply("call_tool", tool="tools.Mask.area", arguments=arguments, result="size"),
        tool_reply("return_answer", value="1"),
    )
    rejected = only(await agent.ask(question_asked(executor="tool_calls")))
    assert isinstance(rejected, ReplyRejected)


@pytest.mark.parametrize("executor", ["none", "chain_of_thought"])
async def test_direct_answer_needs_no_kernel(executor: str):
    agent = QuestionHarness("The second is the brightest.\n\nANSWER: 10")
    answered = only(await agent.ask(question_asked(executor=executor)))
    assert isinstance(answered, QuestionAnswered)
    assert answered.answer.value == 10


@pytest.mark.parametrize(
    "line", ["ANSWER: NaN", "ANSWER: true", "ANSWER: 1.5", "ANSWER: ten", "it is 10", "ANSWER: -1"]
)
async def test_direct_answer_of_another_form_is_refused_with_the_reason(line: str):
    agent = QuestionHarness(line, "ANSWER: 10")
    rejected = only(await agent.ask(question_asked(executor="none")))
    assert isinstance(rejected, ReplyRejected)
    answered = only(await agent.consume(rejected))
    assert isinstance(answered, QuestionAnswered)


async def test_unknown_model_ends_the_question_at_once():
    agent = QuestionHarness(models=KnownModels(problem="no such model"))
    failed = only(await agent.ask(question_asked()))
    assert isinstance(failed, QuestionFailed)
    assert (failed.reason, failed.detail) == ("model_failed", "no such model")


async def test_frames_beyond_what_a_prompt_takes_are_chosen_evenly():
    agent = QuestionHarness(cell_reply("print(1)"), models=KnownModels(images=4))
    await agent.ask(question_asked())
    shown = agent.chat.conversations[0][-1]
    assert [block["type"] for block in shown.content_blocks].count("image") == 2
    assert "2 of the 3 images follow" in shown.text


async def test_turns_of_a_long_video_are_shown_before_other_frames():
    reasons = ("even", "motion begins", "motion", "cut", "even")
    frames = tuple(frame(10 * n, SHADES[n % 3], time_s=float(n), reason=reason) for n, reason in enumerate(reasons))
    asked = question_asked(frames=frames)
    metadata = asked.question.metadata.model_copy(update={"frame_choice": "key"})
    asked = asked.model_copy(update={"question": asked.question.model_copy(update={"metadata": metadata})})
    agent = QuestionHarness(cell_reply("print(1)"), models=KnownModels(images=4))
    await agent.ask(asked)
    shown = agent.chat.conversations[0][-1]
    assert "Picture 1 of 2: InputImages[1]: frame 10 at 1.00 s, motion begins" in shown.text
    assert "Picture 2 of 2: InputImages[3]: frame 30 at 3.00 s, cut" in shown.text
    assert "the times between them differ" in shown.text
    assert "tools.Time.key_frames(8)" in shown.text


async def test_event_after_the_end_decides_nothing():
    agent = QuestionHarness(cell_reply("ReturnAnswer(10)"))
    cell = only(await agent.ask(question_asked()))
    await agent.complete(cell, answer=ANSWER)
    assert await agent.complete(cell.model_copy(update={"id": cell.run_id})) == []
    assert len([each for each in agent.bus.events if isinstance(each, ModelCalled)]) == 1
    assert isinstance(agent.bus.events[0], QuestionAsked)


@pytest.mark.parametrize("executor", ["code", "none"])
async def test_refusal_ends_the_question_without_an_answer(executor: str):
    agent = QuestionHarness("No frame shows it.\n\nREFUSED: the lamp is hidden in all frames")
    failed = only(await agent.ask(question_asked(executor=executor)))
    assert isinstance(failed, QuestionFailed)
    assert (failed.is_refusal, failed.detail) == (True, "the lamp is hidden in all frames")


async def test_refusal_takes_back_an_answer_of_a_failed_cell():
    agent = QuestionHarness(cell_reply("ReturnAnswer(10); fail"), "REFUSED: the measurement failed")
    cell = only(await agent.ask(question_asked()))
    failed = only(await agent.complete(cell, answer=ANSWER, error="name 'fail' is not defined"))
    assert isinstance(failed, QuestionFailed)
    assert failed.is_refusal

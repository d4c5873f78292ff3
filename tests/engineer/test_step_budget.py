"""The last reply is announced before it is given, in every executor."""

import pytest
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.models.benchmark import Executor
from langchain_core.messages import AIMessage

from tests.contracts import example_values as values
from tests.engineer.engineer_harness import Walk, cell, tool

LAST = "**This is your last reply.**"
LOOKS: list[tuple[Executor, str | AIMessage, str]] = [
    ("code", cell("x = 1"), "submit_for_review(assembly)"),
    ("tool_call", tool("query", measure="parts"), "Call `submit_for_review()` now"),
]


@pytest.mark.parametrize(("executor", "look", "advice"), LOOKS)
async def test_only_the_last_reply_is_announced_as_last(
    executor: Executor, look: AIMessage | str, advice: str
) -> None:
    walk = Walk(*[look] * 7, executor=executor)
    decided = await walk.begin(max_steps=7)
    for _ in range(6):
        decided = await walk.observe(decided[0])
    newest = [messages[-1].text for messages in walk.chat.conversations]
    assert [LAST in text for text in newest] == [False] * 6 + [True]
    assert advice in newest[-1]
    assert ["replies left" in text for text in newest] == [False, False, True, True, True, True, False]
    (abandoned,) = await walk.observe(decided[0])
    assert isinstance(abandoned, WorkAbandoned)
    assert (abandoned.reason, walk.chat.calls) == ("steps_exhausted", 7)


async def test_submission_with_the_last_reply_counts() -> None:
    walk = Walk(cell("submit_for_review(assembly)"))
    (hand_in,) = await walk.begin(max_steps=1)
    assert LAST in walk.chat.conversations[0][-1].text
    (submitted,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)


async def test_malformed_reply_uses_a_step_before_the_warning() -> None:
    walk = Walk("hello", cell("x"))
    (rejected,) = await walk.begin(max_steps=2)
    assert isinstance(rejected, ReplyRejected)
    await walk.hear(rejected)
    assert LAST in walk.chat.conversations[-1][-1].text


async def test_single_pass_announces_its_only_reply() -> None:
    walk = Walk("hello", "hello", executor="single_pass")
    (rejected,) = await walk.begin()
    await walk.hear(rejected)
    assert all(LAST in messages[-1].text for messages in walk.chat.conversations)

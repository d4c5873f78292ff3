"""Tests of the step budget: the last reply is announced in every executor."""

import pytest
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.models.benchmark import Executor
from langchain_core.messages import AIMessage

from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, tool_reply

LAST = "**This is your last reply.**"
LOOKS: list[tuple[Executor, str | AIMessage, str]] = [
    ("code", cell_reply("x = 1"), "submit_for_review(assembly)"),
    ("tool_call", tool_reply("query", measure="parts"), "Call `submit_for_review()` now"),
]


@pytest.mark.parametrize(("executor", "look", "advice"), LOOKS)
async def test_only_the_last_reply_is_announced_as_last(executor: Executor, look: AIMessage | str, advice: str) -> None:
    harness = EngineerHarness(*[look] * 7, executor=executor)
    decided = await harness.start(max_steps=7)
    for _ in range(6):
        decided = await harness.complete_cell(decided[0])
    newest = [messages[-1].text for messages in harness.chat.conversations]
    assert [LAST in text for text in newest] == [False] * 6 + [True]
    assert advice in newest[-1]
    assert ["replies left" in text for text in newest] == [False, False, True, True, True, True, False]
    (abandoned,) = await harness.complete_cell(decided[0])
    assert isinstance(abandoned, WorkAbandoned)
    assert (abandoned.reason, harness.chat.calls) == ("steps_exhausted", 7)


async def test_submission_with_the_last_reply_counts() -> None:
    harness = EngineerHarness(cell_reply("submit_for_review(assembly)"))
    (hand_in,) = await harness.start(max_steps=1)
    assert LAST in harness.chat.conversations[0][-1].text
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)


async def test_malformed_reply_uses_no_step() -> None:
    harness = EngineerHarness("hello", cell_reply("x"))
    (rejected,) = await harness.start(max_steps=2)
    assert isinstance(rejected, ReplyRejected)
    await harness.consume(rejected)
    assert LAST not in harness.chat.conversations[-1][-1].text


async def test_single_pass_announces_its_only_reply() -> None:
    harness = EngineerHarness("hello", "hello", executor="single_pass")
    (rejected,) = await harness.start()
    await harness.consume(rejected)
    assert all(LAST in messages[-1].text for messages in harness.chat.conversations)

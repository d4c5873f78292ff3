"""Replies that keep to no form: a defined answer, never shown again, counted, and an end with a reason."""

import pytest
from contracts.envelope import Event
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import CellRequested, FileWriteRequested
from contracts.models.benchmark import Executor
from langchain_core.messages import AIMessage

from tests.agent.role_harness import seen_by
from tests.engineer.engineer_harness import Walk, cell, script, tool

CODE = "print('a-mark-of-the-malformed-reply')"
GOOD = cell(CODE)
ONE_SCRIPT = script(CODE)

MALFORMED: list[tuple[Executor, str, str | AIMessage, str]] = [
    ("code", "no fence", GOOD.replace("```python\n", "").replace("\n```", ""), "exactly one closed"),
    ("code", "two fences", f"{GOOD}\n```python\nb\n```", "exactly one closed"),
    ("code", "missing section", GOOD.replace("## Next goal", "## Outlook"), "`## Next goal`"),
    ("code", "think-leak", f"<think>\nmaybe\n</think>\n\n{GOOD}", "`<think>`"),
    ("code", "think-leak", GOOD.replace("so far so good", "hm</think> so far"), "`</think>`"),
    ("code", "empty code", GOOD.replace(CODE, "  "), "empty"),
    ("code", "unclosed fence", GOOD.removesuffix("```"), "exactly one closed"),
    ("code", "empty", "  ", "empty"),
    ("tool_call", "no call", GOOD, "Call exactly one tool"),
    ("tool_call", "think-leak", tool("simulate", "<thinking>hm</thinking>"), "`<thinking>`"),
    ("tool_call", "unknown tool", tool("run_cell", code=CODE), "no tool `run_cell`"),
    ("tool_call", "too much", tool("simulate", seconds=3), "takes no argument"),
    ("tool_call", "no finite number", tool("show", what="simulation", from_s="nan"), "valid number"),
    ("single_pass", "no fence", ONE_SCRIPT.replace("```python\n", "").replace("\n```", ""), "`## Script` must hold"),
    ("single_pass", "two fences", f"{ONE_SCRIPT}\n```python\nb\n```", "exactly one closed"),
    ("single_pass", "missing section", ONE_SCRIPT.replace("## Reasoning", "## Thoughts"), "`## Reasoning`"),
    ("single_pass", "a tool call", tool("write_file", path="script.py", text=CODE), "not available"),
]
IDS = [f"{executor}: {name}" for executor, name, _, _ in MALFORMED]
ACTIONS: dict[Executor, str | AIMessage] = {
    "code": cell("x = 1"),
    "tool_call": tool("query", measure="world"),
    "single_pass": script("assembly = None"),
}


@pytest.mark.parametrize(("executor", "_name", "reply", "told"), MALFORMED, ids=IDS)
async def test_malformed_reply_is_explained_and_never_shown_again(
    executor: Executor, _name: str, reply: str | AIMessage, told: str
) -> None:
    walk = Walk(reply, ACTIONS[executor], executor=executor)
    (rejected,) = await walk.begin()
    assert isinstance(rejected, ReplyRejected)
    assert (rejected.attempt, told in rejected.problem) == (1, True), rejected.problem
    (action,) = await walk.hear(rejected)
    assert isinstance(action, CellRequested | FileWriteRequested)
    kinds, texts = zip(*seen_by(walk.chat), strict=True)
    assert kinds == ("system", "human", "human")
    assert told in texts[-1]
    assert "a-mark-of-the-malformed-reply" not in "".join(texts)


@pytest.mark.parametrize("executor", list(ACTIONS))
async def test_three_malformed_replies_abandon_the_work(executor: Executor) -> None:
    walk = Walk("hello", "hello", "hello", executor=executor)
    decided: list[Event] = await walk.begin()
    for _ in range(2):
        assert isinstance(decided[0], ReplyRejected)
        decided = await walk.hear(decided[0])
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"
    assert "3 replies of scripted in a row" in abandoned.detail


async def test_reasoning_tag_inside_code_is_accepted() -> None:
    walk = Walk(cell("print('<think>')"))
    (action,) = await walk.begin()
    assert isinstance(action, CellRequested)

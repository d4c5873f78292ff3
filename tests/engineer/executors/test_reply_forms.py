"""Tests of malformed replies of each executor."""

import pytest
from contracts.envelope import Event
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import CellRequested, FileWriteRequested
from contracts.models.benchmark import Executor
from langchain_core.messages import AIMessage, ToolCall

from tests.agent.role_harness import last_prompt
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, script_reply, tool_reply

CODE = "print('a-mark-of-the-malformed-reply')"
GOOD = cell_reply(CODE)
ONE_SCRIPT = script_reply(CODE)

LOOK = ToolCall(id="1", name="view_file", args={"path": CODE})

MALFORMED: list[tuple[Executor, str, str | AIMessage, str]] = [
    ("code", "no fence", GOOD.replace("```python\n", "").replace("\n```", ""), "exactly one closed"),
    ("code", "two fences", f"{GOOD}\n```python\nb\n```", "exactly one closed"),
    ("code", "missing section", GOOD.replace("## Next goal", "## Outlook"), "`## Next goal`"),
    ("code", "think-leak", f"<think>\nmaybe\n</think>\n\n{GOOD}", "`<think>`"),
    ("code", "think-leak", GOOD.replace("so far so good", "hm</think> so far"), "`</think>`"),
    ("code", "empty code", GOOD.replace(CODE, "  "), "empty"),
    ("code", "unclosed fence", GOOD.removesuffix("```"), "exactly one closed"),
    ("code", "empty", "  ", "empty"),
    ("tool_call", "no call", GOOD, "Call a tool"),
    ("code", "unknown tool", tool_reply("shell", command="ls"), "run_cell(code, purpose)"),
    ("code", "too many calls", AIMessage("", tool_calls=[LOOK] * 17), "at most 16 are run"),
    ("code", "second call", AIMessage("", tool_calls=[LOOK, LOOK | {"args": {}}]), "path: Field required"),
    ("tool_call", "unknown tool", tool_reply("run_cell", code=CODE), "`run_cell`"),
    ("tool_call", "too much", tool_reply("simulate", seconds=3), "takes no argument"),
    ("tool_call", "no finite number", tool_reply("show", what="simulation", from_s="nan"), "valid number"),
    ("single_pass", "no fence", ONE_SCRIPT.replace("```python\n", "").replace("\n```", ""), "`## Script` must hold"),
    ("single_pass", "two fences", f"{ONE_SCRIPT}\n```python\nb\n```", "exactly one closed"),
    ("single_pass", "missing section", ONE_SCRIPT.replace("## Reasoning", "## Thoughts"), "`## Reasoning`"),
    ("single_pass", "a tool call", tool_reply("write_file", path="script.py", text=CODE), "not available"),
]
IDS = [f"{executor}: {name}" for executor, name, _, _ in MALFORMED]
ACTIONS: dict[Executor, str | AIMessage] = {
    "code": cell_reply("x = 1"),
    "tool_call": tool_reply("query", measure="world"),
    "single_pass": script_reply("assembly = None"),
}


@pytest.mark.parametrize(("executor", "_name", "reply", "problem"), MALFORMED, ids=IDS)
async def test_malformed_reply_is_explained_and_never_shown_again(
    executor: Executor, _name: str, reply: str | AIMessage, problem: str
) -> None:
    harness = EngineerHarness(reply, ACTIONS[executor], executor=executor)
    (rejected,) = await harness.start()
    assert isinstance(rejected, ReplyRejected)
    assert (rejected.attempt, problem in rejected.problem) == (1, True), rejected.problem
    (action,) = await harness.consume(rejected)
    assert isinstance(action, CellRequested | FileWriteRequested)
    kinds, texts = zip(*last_prompt(harness.chat), strict=True)
    assert kinds == ("system", "human", "human")
    assert problem in texts[-1]
    assert "a-mark-of-the-malformed-reply" not in "".join(texts)


@pytest.mark.parametrize("executor", list(ACTIONS))
async def test_three_malformed_replies_abandon_the_work(executor: Executor) -> None:
    harness = EngineerHarness("hello", "hello", "hello", executor=executor)
    decided: list[Event] = await harness.start()
    for _ in range(2):
        assert isinstance(decided[0], ReplyRejected)
        decided = await harness.consume(decided[0])
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"
    assert "3 replies of scripted in a row" in abandoned.detail


async def test_reasoning_tag_inside_code_is_accepted() -> None:
    harness = EngineerHarness(cell_reply("print('<think>')"))
    (action,) = await harness.start()
    assert isinstance(action, CellRequested)

"""Tests of malformed replies of each executor."""

import pytest
from agent.loop.rejections import MAX_OF_ONE_CAUSE
from contracts.envelope import Event
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import CellRequested, FileWriteRequested
from contracts.models.benchmark import Executor
from engineer.policy import EXECUTORS
from langchain_core.messages import AIMessage, ToolCall

from tests.agent.role_harness import last_prompt
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, script_reply, tool_reply

MARK = "a-mark-of-the-malformed-reply"
CODE = f"print('{MARK}')"
GOOD = cell_reply(CODE)
ONE_SCRIPT = script_reply(CODE)

LOOK = ToolCall(id="1", name="view_file", args={"path": CODE})
WRITE = ToolCall(id="1", name="write_file", args={})

MALFORMED: list[tuple[Executor, str, str | AIMessage, str]] = [
    ("code", "no code", f"{MARK}: I shall build a ramp.", "no code to run"),
    ("code", "two fences", f"{GOOD}\n```python\nb\n```", "2 code fences"),
    ("code", "thoughts only", f"<think>\nmaybe\n{GOOD}", "empty besides its reasoning"),
    ("code", "empty code", GOOD.replace(CODE, "  "), "empty"),
    ("code", "half a fence", GOOD.replace(CODE, f"{CODE[:-1]}").removesuffix("```"), "not closed"),
    ("code", "empty", "  ", "empty"),
    ("code", "no Python", GOOD.replace("```python", "```text"), "```python"),
    ("code", "no text", AIMessage("", tool_calls=[WRITE | {"args": {"path": CODE, "text": 5}}]), "valid string"),
    ("tool_call", "no call", GOOD, "Call a tool"),
    ("code", "unknown tool", tool_reply("shell", command="ls"), "run_cell(code, purpose)"),
    ("code", "too many calls", AIMessage("", tool_calls=[LOOK] * 17), "at most 16 are run"),
    ("code", "second call", AIMessage("", tool_calls=[LOOK, LOOK | {"args": {}}]), "path: Field required"),
    ("tool_call", "unknown tool", tool_reply("run_cell", code=CODE), "`run_cell`"),
    ("tool_call", "too much", tool_reply("simulate", seconds=3), "takes no argument"),
    ("tool_call", "no finite number", tool_reply("show", what="simulation", from_s="nan"), "valid number"),
    ("single_pass", "no code", f"{MARK}: I shall build a ramp.", "no code to run"),
    ("single_pass", "two fences", f"{ONE_SCRIPT}\n```python\nb\n```", "2 code fences"),
    ("single_pass", "a tool call", tool_reply("write_file", path="script.py", text=CODE), "not available"),
]
IDS = [f"{executor}: {name}" for executor, name, _, _ in MALFORMED]
ACTIONS: dict[Executor, str | AIMessage] = {
    "code": cell_reply("x = 1"),
    "tool_call": tool_reply("query", measure="world"),
    "single_pass": script_reply("assembly = None"),
}


@pytest.mark.parametrize(("executor", "_name", "reply", "problem"), MALFORMED, ids=IDS)
async def test_malformed_reply_is_shown_again_and_explained(
    executor: Executor, _name: str, reply: str | AIMessage, problem: str
) -> None:
    harness = EngineerHarness(reply, ACTIONS[executor], executor=executor)
    (rejected,) = await harness.start()
    assert isinstance(rejected, ReplyRejected)
    assert (rejected.attempt, problem in rejected.problem) == (1, True), rejected.problem
    (action,) = await harness.consume(rejected)
    assert isinstance(action, CellRequested | FileWriteRequested)
    kinds, texts = zip(*last_prompt(harness.chat), strict=True)
    calls = reply.tool_calls if isinstance(reply, AIMessage) else []
    is_shown = bool(calls) or (isinstance(reply, str) and reply.strip() and "<think>" not in reply)
    answers = ["tool"] * len(calls) if EXECUTORS[executor].tools else []
    assert list(kinds) == ["system", "human", *(["ai", *answers] if is_shown else []), "human"]
    assert problem in texts[-1]
    if isinstance(reply, str):
        assert (MARK in "".join(texts)) == (MARK in reply and bool(is_shown))


@pytest.mark.parametrize("executor", list(ACTIONS))
async def test_malformed_replies_of_one_cause_abandon_the_work(executor: Executor) -> None:
    harness = EngineerHarness(*["hello"] * MAX_OF_ONE_CAUSE, executor=executor)
    decided: list[Event] = await harness.start()
    for _ in range(MAX_OF_ONE_CAUSE - 1):
        assert isinstance(decided[0], ReplyRejected)
        decided = await harness.consume(decided[0])
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "model_failed"
    assert f"{MAX_OF_ONE_CAUSE} replies of scripted in a row" in abandoned.detail


async def test_reasoning_tag_inside_code_is_accepted() -> None:
    harness = EngineerHarness(cell_reply("print('<think>')"))
    (action,) = await harness.start()
    assert isinstance(action, CellRequested)

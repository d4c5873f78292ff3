"""Tests of replies with several tool calls: they run in order, and each gets exactly one answer."""

import asyncio
from collections.abc import Sequence
from itertools import count, pairwise
from typing import Any, Literal

import pytest
from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.tool_calls import MAX_CALLS
from agent.model.role_model import RoleModel
from artifacts.testing import FakeArtifacts
from contracts.envelope import Event, Request, answering
from contracts.events.conversation import JournalEntryAdded
from contracts.events.design import DesignSubmitted
from contracts.events.plan import PlanRefused, RefusalDenied
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
)
from contracts.models.observation import CellError, Observation, ShownImage
from contracts.models.submission import Refusal
from engineer.policy import Engineer
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages import ToolCall as ChatCall

from tests.agent.role_harness import threads_of
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, invalidated

Outcome = Literal["ok", "failed", "submitted", "refused"]
Kind = Literal["run_cell", "write_file", "view_file"]
Step = tuple[Kind, Outcome]
ARGUMENTS: dict[Kind, dict[str, Any]] = {
    "run_cell": {"code": "simulate(assembly)", "purpose": "preview"},
    "write_file": {"path": "script.py", "text": "assembly = 1"},
    "view_file": {"path": "plan.md"},
}
_KINDS = {"CellRequested": "run_cell", "FileWriteRequested": "write_file", "FileViewRequested": "view_file"}
PROOF = "No motor of the catalog can lift it, as [cell 1] shows."


def call_of(kind: Kind, number: int) -> ChatCall:
    return ChatCall(id=f"call-{number}", name=kind, args=ARGUMENTS[kind])


def outcome_of(request: Event, outcome: Outcome) -> Event:
    """Return what the session answers."""
    match request:
        case CellRequested():
            error = CellError(type="ValueError", message="no", traceback="") if outcome == "failed" else None
            seen = Observation(status="error" if error else "ok", error=error)
            ending = {"submitted": values.SUBMISSION, "refused": Refusal(proof=PROOF)}.get(outcome)
            return CellCompleted(**answering(request, "cad-worker"), observation=seen, ending=ending, simulations=1)
        case FileWriteRequested() | FileViewRequested() if outcome == "failed":
            return FileRefused(**answering(request, "cad-worker"), path="a", reason="missing", detail="no such file")
        case FileWriteRequested(path=path, text=text):
            digest = values.digest(text)
            return FileWritten(**answering(request, "cad-worker"), path=path, size_bytes=1, sha256=digest, text=text)
        case FileViewRequested(path=path):
            return FileViewed(**answering(request, "cad-worker"), path=path, text="a\n", from_line=1, total_lines=1)
        case _:
            raise AssertionError(f"no session answers {request}")


def verdict_on(event: Event) -> Event:
    """Return what follows a submission or a refusal: nothing ends the work."""
    match event:
        case DesignSubmitted():
            return invalidated(event)
        case PlanRefused():
            return RefusalDenied(**answering(event, "critic"), review_md="- try another design")
        case _:
            return event


async def play(harness: EngineerHarness, steps: Sequence[Step]) -> list[Event]:
    """Answer all requests of the reply, each at its outcome; return the requests."""
    (requested,) = [each for each in await harness.start() if isinstance(each, Request)]
    requests = list[Event]()
    for number in count():
        requests.append(requested)
        decided = await harness.consume(outcome_of(requested, steps[number][1]))
        while decided and isinstance(decided[-1], DesignSubmitted | PlanRefused):
            decided = await harness.consume(verdict_on(decided[-1]))
        requested = decided[-1]
        if harness.chat.calls > 1:
            return requests
    raise AssertionError("`count` never ends")


def answers_in(conversation: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Return call ids with their answers, which follow their reply in order and with nothing between them."""
    (start,) = [n for n, each in enumerate(conversation) if isinstance(each, AIMessage)]
    reply, after = conversation[start], conversation[start + 1 :]
    assert isinstance(reply, AIMessage)
    answers = after[: len(reply.tool_calls)]
    assert not any(isinstance(each, ToolMessage) for each in after[len(reply.tool_calls) :])
    assert [getattr(each, "tool_call_id", "") for each in answers] == [call["id"] for call in reply.tool_calls]
    return [(str(call["id"]), each.text) for call, each in zip(reply.tool_calls, answers, strict=True)]


def is_last(step: Step) -> bool:
    """Return whether no call runs after this one."""
    kind, outcome = step
    return outcome == "failed" or (kind == "run_cell" and outcome != "ok")


steps_of_a_reply = st.lists(
    st.tuples(
        st.sampled_from(("run_cell", "write_file", "view_file")),
        st.sampled_from(("ok", "ok", "ok", "failed", "submitted", "refused")),
    ),
    min_size=1,
    max_size=MAX_CALLS,
)


@given(steps=steps_of_a_reply)
@settings(max_examples=25, deadline=None)
def test_each_call_runs_in_order_up_to_the_first_failure_and_is_answered_once(steps: list[Step]) -> None:
    reply = AIMessage("all at once", tool_calls=[call_of(kind, n) for n, (kind, _) in enumerate(steps)])
    harness = EngineerHarness(reply, cell_reply("x = 1"))
    requests = asyncio.run(play(harness, steps))
    ran = next((n for n, step in enumerate(steps, start=1) if is_last(step)), len(steps))
    kinds = [_KINDS[each.type] for each in requests]
    assert kinds == [kind for kind, _ in steps[:ran]]
    assert len({each.id for each in requests}) == ran
    answers = answers_in(harness.chat.conversations[-1])
    skipped = [text for _, text in answers if text.startswith("Not run, because")]
    assert len(skipped) == len(steps) - ran
    assert all(f"because call {ran} " in text for text in skipped)


@given(steps=steps_of_a_reply, lost=st.integers(0, MAX_CALLS))
@settings(max_examples=15, deadline=None)
def test_lost_state_continues_the_batch_where_the_log_ends(steps: list[Step], lost: int) -> None:
    """Another process, without any state, consumes the outcomes from some call on: each request is made once."""
    reply = AIMessage("", tool_calls=[call_of(kind, n) for n, (kind, _) in enumerate(steps)])

    async def run() -> None:
        harness = EngineerHarness(reply, cell_reply("x = 1"))
        decided = await harness.start()
        for number in count():
            if harness.chat.calls > 1:
                break
            if number == lost:
                model = RoleModel(lambda _: harness.chat)
                harness.threads = threads_of(Engineer(), model, harness.bus, MemoryCheckpoints())
            event = decided[-1]
            if isinstance(event, DesignSubmitted | PlanRefused):
                decided = await harness.consume(verdict_on(event))
                continue
            outcome = outcome_of(event, steps[sum(isinstance(each, Request) for each in harness.bus.events) - 3][1])
            decided = await harness.consume(outcome)
            assert await harness.threads.advance(outcome) == decided, "a redelivered outcome decides the same"
        ids = [each.id for each in harness.bus.events]
        assert len(ids) == len(set(ids))
        answers_in(harness.chat.conversations[-1])

    asyncio.run(run())


async def test_each_experiment_of_a_batch_gets_its_own_journal_entry() -> None:
    calls = [call_of("run_cell", 1), call_of("run_cell", 2)]
    harness = EngineerHarness(AIMessage("", tool_calls=calls), cell_reply("x = 1", reasoning="walls are too low"))
    await play(harness, [("run_cell", "ok"), ("run_cell", "ok")])
    entries = [each for each in harness.bus.events if isinstance(each, JournalEntryAdded)]
    assert [(each.about, each.reflection, each.simulations) for each in entries] == [
        ("simulation", "", ()),
        ("simulation", "walls are too low", (1, 2)),
    ]


async def test_pictures_of_a_batch_follow_its_answers() -> None:
    artifacts = FakeArtifacts()
    calls = [call_of("run_cell", 1), call_of("view_file", 2)]
    harness = EngineerHarness(AIMessage("", tool_calls=calls), cell_reply("x = 1"))
    (cell,) = await harness.start()
    png = await artifacts.put(b"png", "image/png")
    (view,) = await harness.complete_cell(cell, images=(ShownImage(label="a", artifact=png, width_px=8, height_px=8),))
    await harness.consume(outcome_of(view, "ok"))
    prompt = harness.chat.conversations[-1]
    assert [type(each) for each in prompt[-3:]] == [ToolMessage, ToolMessage, HumanMessage]
    assert all(before is not after for before, after in pairwise(prompt))


@pytest.mark.parametrize("fence", ["", "```python\n", "```\n"])
async def test_tool_call_counts_and_the_cell_beside_it_does_not(fence: str) -> None:
    code = f"{fence}x = 2" + ("\n```" if fence else "")
    call = ChatCall(id="1", name="run_cell", args={"code": code, "purpose": "count"})
    harness = EngineerHarness(AIMessage(cell_reply("x = 1"), tool_calls=[call]))
    (cell,) = await harness.start()
    assert isinstance(cell, CellRequested)
    assert (cell.code, cell.purpose) == ("x = 2\n", "count")

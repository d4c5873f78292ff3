"""Tests of role threads: one model call per event, and the same decisions for a redelivered event."""
# LangGraph ships no stubs:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

import asyncio
import copy
from collections import Counter
from collections.abc import Sequence
from typing import TypedDict
from uuid import UUID

import pytest
from agent.context.recorded_prompt import prompt_of_call
from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.rejections import MAX_IN_A_ROW, MAX_OF_ONE_CAUSE, Rejections
from agent.loop.role import Decision, Reaction, StepEvents
from agent.loop.thread import ThreadLostError, UnansweredError
from agent.model.messages import user_message
from chassis.bus import Fence
from chassis.testing import FakeBus
from contracts.envelope import Event, Role, answering, deciding, request_id
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.plan import PlanProposed, PlanRejected
from contracts.events.run import CancelRequested, EngineeringRequested
from contracts.events.session import CellRequested
from contracts.models.conversation import Message
from langgraph.graph import START, StateGraph

from tests.agent.echo_role import EchoNotes, EchoRole
from tests.agent.role_harness import RoleHarness, engineering_requested, last_prompt, plan_proposed
from tests.contracts import example_values as values


def _again(request: EngineeringRequested, reason: str = "ask again", number: int = 0) -> CancelRequested:
    return CancelRequested(**deciding(request, "planner", 900, number), reason=reason)


def _text(message: Message) -> str:
    return message.text


async def test_redelivered_event_decides_the_same_with_one_call() -> None:
    harness = RoleHarness(EchoRole(), ["one"])
    request = engineering_requested()
    first = await harness.consume(request)
    second = await harness.consume(request)
    assert [type(event) for event in first] == [CellRequested]
    assert second == first
    assert harness.chat.calls == 1


async def test_late_redelivery_decides_the_same() -> None:
    harness = RoleHarness(EchoRole(), ["one", "two"])
    request = engineering_requested()
    first = await harness.consume(request)
    await harness.consume(_again(request))
    assert await harness.consume(request) == first
    assert harness.chat.calls == 2


async def test_crash_before_the_checkpoint_pays_no_second_call() -> None:
    """The checkpoints die with the first process; the log knows the answer."""
    bus, request = FakeBus(), engineering_requested()
    before = RoleHarness(EchoRole(), ["one"], bus)
    first = await before.consume(request)
    after = RoleHarness(EchoRole(), [], bus)
    assert _without_time(await after.consume(request)) == _without_time(first)
    assert after.chat.calls == 0


async def test_thread_without_checkpoint_is_restored_from_the_log() -> None:
    bus, request = FakeBus(), engineering_requested()
    before = RoleHarness(EchoRole(), ["one", "two"], bus)
    await before.consume(request)
    await before.consume(_again(request))
    after = RoleHarness(EchoRole(), ["three"], bus)
    decided = await after.consume(_again(request, "what do you know", 1))
    assert [event.code for event in decided if isinstance(event, CellRequested)] == ["after ('one', 'two')"]
    assert after.chat.calls == 0


async def test_failed_model_call_leaves_the_thread_unchanged() -> None:
    harness = RoleHarness(EchoRole(), [ConnectionError("the provider is away"), "one"])
    request = engineering_requested()
    with pytest.raises(ConnectionError):
        await harness.consume(request)
    assert not [event for event in harness.bus.events if isinstance(event, ModelCalled)]
    (cell,) = await harness.consume(request)
    assert isinstance(cell, CellRequested)
    assert last_prompt(harness.chat) == [("human", values.VARIANT.title)]


async def test_model_call_is_recorded_before_its_decision() -> None:
    harness = RoleHarness(EchoRole(), ["one", "two"])
    request = engineering_requested()
    await harness.consume(request)
    await harness.consume(_again(request))
    assert [type(event) for event in harness.bus.events if not isinstance(event, EngineeringRequested)] == [
        ModelCalled,
        CellRequested,
        CancelRequested,
        ModelCalled,
        CellRequested,
        CellRequested,
    ]
    first, second = [event for event in harness.bus.events if isinstance(event, ModelCalled)]
    assert [message.text for message in first.new_messages] == [values.VARIANT.title]
    assert [message.text for message in second.new_messages] == ["again"]
    assert (first.id, first.causation_id) == (request_id(request.run_id, "engineer", 0), request.id)
    assert [each[1] for each in last_prompt(harness.chat)] == [values.VARIANT.title, "one", "again"]


async def test_step_ids_derive_from_run_role_and_step() -> None:
    request = engineering_requested()
    ids: list[list[UUID]] = []
    for _ in range(2):
        harness = RoleHarness(EchoRole(), ["one", "two"])
        await harness.consume(request)
        ids.append([event.id for event in await harness.consume(_again(request))])
    assert ids[0] == ids[1]
    assert ids[0] == [request_id(request.run_id, "engineer", 1, ordinal) for ordinal in (1, 2)]


async def test_malformed_reply_is_rejected_and_shown_with_the_correction() -> None:
    harness = RoleHarness(EchoRole(), ["?", "one"])
    (rejected,) = await harness.consume(engineering_requested())
    assert isinstance(rejected, ReplyRejected)
    assert (rejected.problem, rejected.attempt) == ("too short", 1)
    (cell,) = await harness.consume(rejected)
    assert isinstance(cell, CellRequested)
    shown = last_prompt(harness.chat)
    assert [kind for kind, _ in shown] == ["human", "ai", "human"]
    assert "too short" in shown[2][1]
    called = [event for event in harness.bus.events if isinstance(event, ModelCalled)]
    assert called[0].reply.text == "?"
    assert [message.text for message in called[1].new_messages] == ["?", shown[2][1]]
    assert list(map(_text, prompt_of_call(called[1], harness.bus.events))) == [text for _, text in shown]


async def test_leaked_thought_is_recorded_and_not_shown_again() -> None:
    harness = RoleHarness(EchoRole(), ["<think>\nhm\n</think>\none", "two"])
    request = engineering_requested()
    await harness.consume(request)
    await harness.consume(_again(request))
    shown = last_prompt(harness.chat)
    assert shown[1] == ("ai", "one")
    first, second = [event for event in harness.bus.events if isinstance(event, ModelCalled)]
    assert "<think>" in first.reply.text
    assert list(map(_text, prompt_of_call(second, harness.bus.events))) == [text for _, text in shown]


def test_rejections_of_different_causes_do_not_add_up() -> None:
    one_cause, mixed = Rejections(), Rejections()
    for number in range(MAX_OF_ONE_CAUSE):
        assert not one_cause.are_too_many
        one_cause, mixed = one_cause.after("form"), mixed.after("form" if number % 2 else "tool")
    assert (one_cause.are_too_many, mixed.are_too_many) == (True, False)
    for _ in range(MAX_IN_A_ROW - MAX_OF_ONE_CAUSE):
        mixed = mixed.after("tool" if mixed.cause == "form" else "form")
    assert mixed.are_too_many


async def test_role_gives_up_after_malformed_replies_of_one_cause() -> None:
    harness = RoleHarness(EchoRole(), ["?"] * MAX_OF_ONE_CAUSE)
    decided: list[Event] = [engineering_requested()]
    for _ in range(MAX_OF_ONE_CAUSE):
        decided = await harness.consume(decided[0])
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert "too short" in abandoned.detail


async def test_good_reply_resets_the_malformed_count() -> None:
    harness = RoleHarness(EchoRole(), ["?", "?", "fine", "?"])
    request = engineering_requested()
    (rejected,) = await harness.consume(request)
    (rejected,) = await harness.consume(rejected)
    await harness.consume(rejected)
    decided = await harness.consume(_again(request))
    assert [event.attempt for event in decided if isinstance(event, ReplyRejected)] == [1]


async def test_concurrent_events_advance_a_thread_one_at_a_time() -> None:
    harness = RoleHarness(EchoRole(), ["one", "two", "three"])
    request = engineering_requested()
    await harness.consume(request)
    both = await asyncio.gather(harness.consume(_again(request, number=1)), harness.consume(_again(request, number=2)))
    ids = [event.id for decided in both for event in decided]
    assert len(set(ids)) == 4
    assert harness.chat.calls == 3


async def test_runs_have_separate_threads() -> None:
    harness = RoleHarness(EchoRole(), ["one", "two"])
    await harness.consume(engineering_requested())
    await harness.consume(engineering_requested())
    assert last_prompt(harness.chat) == [("human", values.VARIANT.title)]


async def test_old_checkpoint_catches_up_and_makes_the_next_step() -> None:
    """Two processes share the log, and the second has an old checkpoint."""
    bus, request = FakeBus(), engineering_requested()
    checkpoints = MemoryCheckpoints()
    here = RoleHarness(EchoRole(), ["one", "two"], bus, checkpoints)
    await here.consume(request)
    there = RoleHarness(EchoRole(), ["three"], bus, _copy_of(checkpoints))
    await here.consume(_again(request, number=1))
    decided = await there.consume(_again(request, number=2))
    assert [event.id for event in decided] == [request_id(request.run_id, "engineer", 2, ordinal) for ordinal in (1, 2)]
    assert [text for _, text in last_prompt(there.chat)][1:] == ["one", "again", "two", "again"]
    assert there.chat.calls == 1


async def test_old_checkpoint_is_noticed_without_a_model_call() -> None:
    bus, request = FakeBus(), engineering_requested()
    checkpoints = MemoryCheckpoints()
    here = RoleHarness(EchoRole(), ["one"], bus, checkpoints)
    await here.consume(request)
    there = RoleHarness(EchoRole(), ["two"], bus, _copy_of(checkpoints))
    await here.consume(_again(request, "no model", 1))
    await there.consume(_again(request, "no model", 2))
    await here.consume(_again(request, "no model", 3))
    decided = [event.id for event in bus.events if isinstance(event, CellRequested)]
    assert decided == [request_id(request.run_id, "engineer", step, 1) for step in range(4)]
    assert there.chat.calls == 0


async def test_checkpoint_of_another_version_is_restored_from_the_log() -> None:
    """A version that named its state otherwise has checkpointed something that this one cannot read."""
    bus, request, checkpoints = FakeBus(), engineering_requested(), MemoryCheckpoints()
    await RoleHarness(EchoRole(), ["one", "two"], bus).consume(request)
    graph = StateGraph(OtherState)
    graph.add_node("remember", lambda state: {"memory_json": '{"moved_by": ["an id"]}'})
    graph.add_edge(START, "remember")
    compiled = graph.compile(checkpointer=checkpoints.saver)
    await compiled.ainvoke({"memory_json": ""}, {"configurable": {"thread_id": f"{request.run_id}:engineer"}})
    harness = RoleHarness(EchoRole(), ["two"], bus, checkpoints)
    await harness.consume(_again(request))
    assert [text for _, text in last_prompt(harness.chat)] == [values.VARIANT.title, "one", "again"]


async def test_late_redelivery_publishes_nothing_new() -> None:
    harness = RoleHarness(EchoRole(), ["one"])
    request = engineering_requested()
    first = await harness.consume(request)
    for number in range(20):
        await harness.consume(_again(request, "no model", number))
    published = list(harness.bus.events)
    assert await harness.consume(request) == first
    assert harness.bus.events == published


async def test_purged_causes_raise_thread_lost() -> None:
    bus, request = FakeBus(), engineering_requested()
    await RoleHarness(EchoRole(), ["one"], bus).consume(request)
    bus.events.remove(request)
    with pytest.raises(ThreadLostError, match="step 0"):
        await RoleHarness(EchoRole(), ["two"], bus).consume(_again(request))


async def test_first_stored_answer_of_a_step_counts() -> None:
    """Another process answers the same event while our model thinks."""
    bus, request = FakeBus(), engineering_requested()

    class Overtaken(FakeBus):
        async def publish(self, event: Event, fence: Fence | None = None) -> bool:
            if isinstance(event, ModelCalled):
                await bus.publish(event.model_copy(update={"reply": Message(author="assistant", text="theirs")}))
            return await bus.publish(event, fence)

        async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the name in the envelope
            return await bus.find(run_id, role, id)

    harness = RoleHarness(EchoRole(), ["ours"], Overtaken())
    (cell,) = await harness.threads.advance(request)
    assert isinstance(cell, CellRequested)
    assert cell.code == "theirs"


class OtherState(TypedDict):
    """State of the graph in another version."""

    memory_json: str


class CountingBus(FakeBus):
    """Counts the publishes of each event, also of those that were stored before."""

    def __init__(self) -> None:
        super().__init__()
        self.publishes: Counter[UUID] = Counter()

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:
        self.publishes[event.id] += 1
        return await super().publish(event, fence)


class PlanJudgingRole(EchoRole):
    """Answers a plan."""

    async def on_event(self, event: Event, notes: EchoNotes, events: StepEvents) -> Reaction[EchoNotes]:
        if isinstance(event, PlanProposed) and event.plan_md == "ignored":
            return Reaction(notes)
        if isinstance(event, PlanProposed):
            self._question = event
            return Reaction(EchoNotes(model="scripted"), (user_message(event.plan_md),), "scripted")
        return await super().on_event(event, notes, events)

    async def on_reply(self, reply: Message, notes: EchoNotes, events: StepEvents) -> Decision[EchoNotes]:
        decision = await super().on_reply(reply, notes, events)
        return Decision(
            notes, (*decision.decided, PlanRejected(**answering(self._question, "critic"), review_md=reply.text))
        )


async def test_request_is_answered_after_malformed_replies() -> None:
    harness = RoleHarness(PlanJudgingRole(), ["?", "?", "no"])
    outcome = await harness.threads.answer(plan_proposed(engineering_requested()))
    assert isinstance(outcome, PlanRejected)
    published = [type(event) for event in harness.bus.events]
    assert published == [
        ModelCalled,
        ReplyRejected,
        ModelCalled,
        ReplyRejected,
        ModelCalled,
        CellRequested,
        PlanRejected,
    ]


async def test_role_publishes_each_decision_once() -> None:
    bus = CountingBus()
    assert await RoleHarness(EchoRole(), ["one"], bus).threads.consume(engineering_requested()) == []
    await RoleHarness(PlanJudgingRole(), ["?", "no"], bus).threads.answer(plan_proposed(engineering_requested()))
    assert {each.type for each in bus.events} == {"ModelCalled", "CellRequested", "ReplyRejected", "PlanRejected"}
    assert set(bus.publishes.values()) == {1}


async def test_ignored_request_raises_and_names_it() -> None:
    harness = RoleHarness(PlanJudgingRole(), [])
    with pytest.raises(UnansweredError, match="PlanProposed"):
        await harness.threads.answer(plan_proposed(engineering_requested(), "ignored"))


def _without_time(events: Sequence[Event]) -> list[str]:
    """Return the events as JSON without their time."""
    return [event.model_dump_json(exclude={"occurred_at"}) for event in events]


def _copy_of(checkpoints: MemoryCheckpoints) -> MemoryCheckpoints:
    """Return checkpoints as they are now, which later steps do not change."""
    copied = MemoryCheckpoints()
    copied.saver.storage = copy.deepcopy(checkpoints.saver.storage)
    copied.saver.blobs = copy.deepcopy(checkpoints.saver.blobs)
    return copied

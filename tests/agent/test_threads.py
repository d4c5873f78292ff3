"""What every role can rely on: one model call per event, and the same decision however often an event comes."""

import asyncio
import copy
from collections.abc import Sequence
from uuid import UUID

import pytest
from agent.loop.role import Decision, Reaction, StepEvents
from agent.loop.thread import ThreadLostError, UnansweredError
from agent.model.messages import user_message
from agent.testing import MemoryCheckpoints
from chassis.leases.lease import Fence
from chassis.testing import FakeBus
from contracts.envelope import Event, Role, request_id
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.plan import PlanProposed, PlanRejected
from contracts.events.run import CancelRequested, EngineeringRequested
from contracts.events.session import CellRequested
from contracts.models.conversation import Message

from tests.agent.echo_role import Echo, EchoNotes
from tests.agent.role_harness import RolePlay, engineering_requested, seen_by
from tests.contracts import example_values as values


def _again(request: EngineeringRequested, reason: str = "ask again", number: int = 0) -> CancelRequested:
    return CancelRequested.deciding(request, "planner", 900, number, reason=reason)


async def test_redelivered_event_decides_the_same_with_one_call() -> None:
    play = RolePlay(Echo(), ["one"])
    request = engineering_requested()
    first = await play.hear(request)
    second = await play.hear(request)
    assert [type(event) for event in first] == [CellRequested]
    assert second == first
    assert play.chat.calls == 1


async def test_late_redelivery_decides_the_same() -> None:
    play = RolePlay(Echo(), ["one", "two"])
    request = engineering_requested()
    first = await play.hear(request)
    await play.hear(_again(request))
    assert await play.hear(request) == first
    assert play.chat.calls == 2


async def test_crash_before_the_checkpoint_pays_no_second_call() -> None:
    """The checkpoints die with the first process; the log knows the answer."""
    bus, request = FakeBus(), engineering_requested()
    before = RolePlay(Echo(), ["one"], bus)
    first = await before.hear(request)
    after = RolePlay(Echo(), [], bus)
    assert _said(await after.hear(request)) == _said(first)
    assert after.chat.calls == 0


async def test_thread_without_checkpoint_is_restored_from_the_log() -> None:
    bus, request = FakeBus(), engineering_requested()
    before = RolePlay(Echo(), ["one", "two"], bus)
    await before.hear(request)
    await before.hear(_again(request))
    after = RolePlay(Echo(), ["three"], bus)
    decided = await after.hear(_again(request, "what do you know", 1))
    assert [event.code for event in decided if isinstance(event, CellRequested)] == ["after ('one', 'two')"]
    assert after.chat.calls == 0


async def test_failed_model_call_leaves_the_thread_unchanged() -> None:
    play = RolePlay(Echo(), [ConnectionError("the provider is away"), "one"])
    request = engineering_requested()
    with pytest.raises(ConnectionError):
        await play.hear(request)
    assert not [event for event in play.bus.events if isinstance(event, ModelCalled)]
    (cell,) = await play.hear(request)
    assert isinstance(cell, CellRequested)
    assert seen_by(play.chat) == [("human", values.VARIANT.title)]


async def test_model_call_is_recorded_before_its_decision() -> None:
    play = RolePlay(Echo(), ["one", "two"])
    request = engineering_requested()
    await play.hear(request)
    await play.hear(_again(request))
    assert [type(event) for event in play.bus.events if not isinstance(event, EngineeringRequested)] == [
        ModelCalled,
        CellRequested,
        CancelRequested,
        ModelCalled,
        CellRequested,
        CellRequested,
    ]
    first, second = [event for event in play.bus.events if isinstance(event, ModelCalled)]
    assert [message.text for message in first.new_messages] == [values.VARIANT.title]
    assert [message.text for message in second.new_messages] == ["again"]
    assert (first.id, first.causation_id) == (request_id(request.run_id, "engineer", 0), request.id)
    assert [each[1] for each in seen_by(play.chat)] == [values.VARIANT.title, "one", "again"]


async def test_step_ids_derive_from_run_role_and_step() -> None:
    request = engineering_requested()
    ids: list[list[UUID]] = []
    for _ in range(2):
        play = RolePlay(Echo(), ["one", "two"])
        await play.hear(request)
        ids.append([event.id for event in await play.hear(_again(request))])
    assert ids[0] == ids[1]
    assert ids[0] == [request_id(request.run_id, "engineer", 1, ordinal) for ordinal in (1, 2)]


async def test_malformed_reply_is_rejected_and_never_shown_again() -> None:
    play = RolePlay(Echo(), ["?", "one"])
    (rejected,) = await play.hear(engineering_requested())
    assert isinstance(rejected, ReplyRejected)
    assert (rejected.problem, rejected.attempt) == ("say more", 1)
    (cell,) = await play.hear(rejected)
    assert isinstance(cell, CellRequested)
    shown = seen_by(play.chat)
    assert [kind for kind, _ in shown] == ["human", "human"]
    assert "say more" in shown[1][1]
    called = [event for event in play.bus.events if isinstance(event, ModelCalled)]
    assert called[0].reply.text == "?"
    assert [message.text for message in called[1].new_messages] == [shown[1][1]]


async def test_role_gives_up_after_three_malformed_replies() -> None:
    play = RolePlay(Echo(), ["?", "?", "?"])
    decided: list[Event] = [engineering_requested()]
    for _ in range(3):
        decided = await play.hear(decided[0])
    (abandoned,) = decided
    assert isinstance(abandoned, WorkAbandoned)
    assert "say more" in abandoned.detail


async def test_good_reply_resets_the_malformed_count() -> None:
    play = RolePlay(Echo(), ["?", "?", "fine", "?"])
    request = engineering_requested()
    (rejected,) = await play.hear(request)
    (rejected,) = await play.hear(rejected)
    await play.hear(rejected)
    decided = await play.hear(_again(request))
    assert [event.attempt for event in decided if isinstance(event, ReplyRejected)] == [1]


async def test_concurrent_events_advance_a_thread_one_at_a_time() -> None:
    play = RolePlay(Echo(), ["one", "two", "three"])
    request = engineering_requested()
    await play.hear(request)
    both = await asyncio.gather(play.hear(_again(request, number=1)), play.hear(_again(request, number=2)))
    ids = [event.id for decided in both for event in decided]
    assert len(set(ids)) == 4
    assert play.chat.calls == 3


async def test_runs_have_separate_threads() -> None:
    play = RolePlay(Echo(), ["one", "two"])
    await play.hear(engineering_requested())
    await play.hear(engineering_requested())
    assert seen_by(play.chat) == [("human", values.VARIANT.title)]


async def test_old_checkpoint_catches_up_and_makes_the_next_step() -> None:
    """Two processes share the log, and the second has an old checkpoint."""
    bus, request = FakeBus(), engineering_requested()
    checkpoints = MemoryCheckpoints()
    here = RolePlay(Echo(), ["one", "two"], bus, checkpoints)
    await here.hear(request)
    there = RolePlay(Echo(), ["three"], bus, _copy_of(checkpoints))
    await here.hear(_again(request, number=1))
    decided = await there.hear(_again(request, number=2))
    assert [event.id for event in decided] == [request_id(request.run_id, "engineer", 2, ordinal) for ordinal in (1, 2)]
    assert [text for _, text in seen_by(there.chat)][1:] == ["one", "again", "two", "again"]
    assert there.chat.calls == 1


async def test_old_checkpoint_is_noticed_without_a_model_call() -> None:
    bus, request = FakeBus(), engineering_requested()
    checkpoints = MemoryCheckpoints()
    here = RolePlay(Echo(), ["one"], bus, checkpoints)
    await here.hear(request)
    there = RolePlay(Echo(), ["two"], bus, _copy_of(checkpoints))
    await here.hear(_again(request, "no model", 1))
    await there.hear(_again(request, "no model", 2))
    await here.hear(_again(request, "no model", 3))
    decided = [event.id for event in bus.events if isinstance(event, CellRequested)]
    assert decided == [request_id(request.run_id, "engineer", step, 1) for step in range(4)]
    assert there.chat.calls == 0


async def test_late_redelivery_publishes_nothing_new() -> None:
    play = RolePlay(Echo(), ["one"])
    request = engineering_requested()
    first = await play.hear(request)
    for number in range(20):
        await play.hear(_again(request, "no model", number))
    told = list(play.bus.events)
    assert await play.hear(request) == first
    assert play.bus.events == told


async def test_purged_causes_raise_thread_lost() -> None:
    bus, request = FakeBus(), engineering_requested()
    await RolePlay(Echo(), ["one"], bus).hear(request)
    bus.events.remove(request)
    with pytest.raises(ThreadLostError, match="step 0"):
        await RolePlay(Echo(), ["two"], bus).hear(_again(request))


async def test_first_stored_answer_of_a_step_counts() -> None:
    """Another process answers the same event while our model thinks."""
    bus, request = FakeBus(), engineering_requested()

    class Overtaken(FakeBus):
        async def publish(self, event: Event, fence: Fence | None = None) -> bool:
            if isinstance(event, ModelCalled):
                await bus.publish(event.model_copy(update={"reply": Message(author="assistant", text="theirs")}))
            return await bus.publish(event, fence)

        async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the envelope's word
            return await bus.find(run_id, role, id)

    play = RolePlay(Echo(), ["ours"], Overtaken())
    (cell,) = await play.threads.advance(request)
    assert isinstance(cell, CellRequested)
    assert cell.code == "theirs"


class Judge(Echo):
    """Answers a plan."""

    async def on_event(self, event: Event, notes: EchoNotes, events: StepEvents) -> Reaction[EchoNotes]:
        if isinstance(event, PlanProposed) and event.plan_md == "ignored":
            return Reaction(notes)
        if isinstance(event, PlanProposed):
            self._asked = event
            return Reaction(EchoNotes(model="scripted"), (user_message(event.plan_md),), "scripted")
        return await super().on_event(event, notes, events)

    async def on_reply(self, reply: Message, notes: EchoNotes, events: StepEvents) -> Decision[EchoNotes]:
        acted = await super().on_reply(reply, notes, events)
        return Decision(notes, (*acted.decided, PlanRejected.answering(self._asked, "critic", review_md=reply.text)))


def _proposed(plan_md: str = values.PLAN) -> PlanProposed:
    fields = engineering_requested()
    return PlanProposed.deciding(
        fields,
        "planner",
        1,
        assignment=fields.assignment,
        budget=fields.budget,
        model=fields.model,
        environment=values.ENVIRONMENT,
        plan_md=plan_md,
        todo_md=values.TODO,
    )


async def test_request_is_answered_after_malformed_replies() -> None:
    play = RolePlay(Judge(), ["?", "?", "no"])
    outcome = await play.threads.run_until_answered(_proposed())
    assert isinstance(outcome, PlanRejected)
    published = [type(event) for event in play.bus.events]
    assert published == [
        ModelCalled,
        ReplyRejected,
        ModelCalled,
        ReplyRejected,
        ModelCalled,
        CellRequested,
        PlanRejected,
    ]


async def test_ignored_request_raises_and_names_it() -> None:
    play = RolePlay(Judge(), [])
    with pytest.raises(UnansweredError, match="PlanProposed"):
        await play.threads.run_until_answered(_proposed("ignored"))


def _said(events: Sequence[Event]) -> list[str]:
    """Return everything but the time at which it was said."""
    return [event.model_dump_json(exclude={"occurred_at"}) for event in events]


def _copy_of(checkpoints: MemoryCheckpoints) -> MemoryCheckpoints:
    """Return checkpoints as they are now, which later steps do not change."""
    copied = MemoryCheckpoints()
    copied.saver.storage = copy.deepcopy(checkpoints.saver.storage)
    copied.saver.blobs = copy.deepcopy(checkpoints.saver.blobs)
    return copied

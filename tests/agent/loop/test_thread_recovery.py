"""Tests that a role decides the same however redeliveries, crashes and lost states interleave."""

import asyncio
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import pytest
from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.role import Reaction, StepEvents
from agent.loop.thread import RoleThreads
from agent.model.local_chat import LocalChat
from agent.model.role_model import RoleModel
from chassis.bus import Fence
from chassis.testing import FakeBus
from contracts.envelope import Event, Role, answering, deciding, request_id
from contracts.events.conversation import ModelCalled
from contracts.events.run import CancelRequested, EngineeringRequested, RunFailed
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import PrivateAttr

from tests.agent.echo_role import EchoNotes, EchoRole
from tests.agent.role_harness import RoleHarness, engineering_requested

INPUTS = 6

Point = Literal["never", "before publishing", "after publishing", "before the checkpoint", "after the checkpoint"]


class CrashError(Exception):
    """The process crashed."""


@dataclass
class CrashPoint:
    """The point of the next crash: the n-th time that it is passed."""

    point: Point = "never"
    passes_left: int = 0

    def pass_point(self, point: Point) -> None:
        if point != self.point:
            return
        if self.passes_left == 0:
            self.point = "never"
            raise CrashError(point)
        self.passes_left -= 1


class CrashingBus(FakeBus):
    """The bus of a process that may crash around every publish."""

    def __init__(self, bus: FakeBus, crash_point: CrashPoint) -> None:
        super().__init__()
        self._bus = bus
        self._fuse = crash_point

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:
        self._fuse.pass_point("before publishing")
        stored = await self._bus.publish(event, fence)
        await asyncio.sleep(0)
        self._fuse.pass_point("after publishing")
        return stored

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the name in the envelope
        await asyncio.sleep(0)
        return await self._bus.find(run_id, role, id)

    async def history(self, run_id: UUID) -> list[Event]:
        return await self._bus.history(run_id)


class CrashingSaver(InMemorySaver):
    """A checkpoint saver whose process may crash around every write."""

    crash_point: CrashPoint

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        self.crash_point.pass_point("before the checkpoint")
        config = await super().aput(config, checkpoint, metadata, new_versions)
        self.crash_point.pass_point("after the checkpoint")
        return config


class CountingChat(LocalChat):
    """Answers every prompt and counts."""

    _calls: int = PrivateAttr(default=0)

    @property
    def calls(self) -> int:
        return self._calls

    @property
    def _llm_type(self) -> str:
        return "chat"

    def reply_to(self, messages: Sequence[BaseMessage]) -> AIMessage:
        self._calls += 1
        return AIMessage(f"after {len(messages)} messages")


class AnsweringRole(EchoRole):
    """Answers every request with its outcome, and calls no model."""

    async def on_event(self, event: Event, notes: EchoNotes, events: StepEvents) -> Reaction[EchoNotes]:
        assert isinstance(event, EngineeringRequested)
        failed = RunFailed(**answering(event, "engineer"), reason="abandoned", detail="no model")
        return Reaction(notes, decided=(failed,))


class TwoProcesses:
    """One run of a role with two processes over one log and one database."""

    def __init__(self) -> None:
        self.request = engineering_requested().model_copy(update={"run_id": UUID(int=7), "id": UUID(int=8)})
        self.inputs = [self.request, *(_input(self.request, number) for number in range(1, INPUTS))]
        self.bus, self.chat, self.crash_point, self.crashes = FakeBus(), CountingChat(), CrashPoint(), 0
        self.checkpoints = MemoryCheckpoints()
        self.checkpoints.saver = CrashingSaver()
        self.checkpoints.saver.crash_point = self.crash_point
        self.backup = self._data()
        self.processes = [self._process(), self._process()]

    async def deliver(self, number: int, process: int) -> bool:
        """Deliver an input to a process; False: the process crashed."""
        await self.bus.publish(self.inputs[number])
        try:
            await self.processes[process].advance(self.inputs[number])
        except CrashError:
            self.crashes += 1
            self.processes[process] = self._process()
            return False
        return True

    def decided(self) -> list[UUID]:
        given = {event.id for event in self.inputs}
        return [event.id for event in self.bus.events if event.id not in given]

    def back_up(self) -> None:
        self.backup = self._data()

    def restore(self) -> None:
        """Bring the database back to an older state."""
        saver = self.checkpoints.saver
        saver.storage, saver.blobs = copy.deepcopy(self.backup[0]), copy.deepcopy(self.backup[1])

    def _data(self) -> tuple[Any, Any]:
        return copy.deepcopy(self.checkpoints.saver.storage), copy.deepcopy(self.checkpoints.saver.blobs)

    def _process(self) -> RoleThreads[Any]:
        return RoleThreads(
            EchoRole(), RoleModel(lambda _: self.chat), CrashingBus(self.bus, self.crash_point), self.checkpoints
        )


def _input(request: EngineeringRequested, number: int) -> CancelRequested:
    reason = "no model" if number % 3 == 2 else "ask again"
    return CancelRequested(**deciding(request, "planner", 900, number), reason=reason)


async def _undisturbed() -> set[UUID]:
    world = TwoProcesses()
    for number in range(INPUTS):
        await world.deliver(number, 0)
    return set(world.decided())


UNDISTURBED = asyncio.run(_undisturbed())

points = st.sampled_from(
    ["before publishing", "after publishing", "before the checkpoint", "after the checkpoint"],
)
crashes = st.builds(CrashPoint, points, st.integers(0, 3))
happenings = st.one_of(crashes, st.sampled_from(["back up", "restore"]), st.integers(0, INPUTS - 1))
"""A pending crash, a change of the database, or the redelivery of an earlier input."""
stories = st.lists(st.lists(st.tuples(happenings, st.integers(0, 1)), max_size=3), min_size=INPUTS, max_size=INPUTS)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(stories)
def test_disturbed_run_decides_the_same_without_extra_calls(
    story: list[list[tuple[CrashPoint | str | int, int]]],
) -> None:
    async def live() -> TwoProcesses:
        world = TwoProcesses()
        for number, disturbances in enumerate(story):
            process = 0
            for disturbance, process in disturbances:
                await _disturb(world, disturbance, process, number)
            while not await world.deliver(number, process):
                process = 1 - process
        return world

    world = asyncio.run(live())
    assert Counter(world.decided()) == Counter(UNDISTURBED)
    recorded = sum(isinstance(event, ModelCalled) for event in world.bus.events)
    assert world.chat.calls <= recorded + world.crashes


async def _disturb(world: TwoProcesses, disturbance: CrashPoint | str | int, process: int, number: int) -> None:
    match disturbance:
        case CrashPoint():
            world.crash_point.point, world.crash_point.passes_left = disturbance.point, disturbance.passes_left
        case "back up":
            world.back_up()
        case "restore":
            world.restore()
        case int() if disturbance < number:
            await world.deliver(disturbance, process)
        case _:
            pass


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.permutations(range(1, INPUTS)), st.lists(st.integers(0, 1), min_size=INPUTS, max_size=INPUTS))
def test_concurrent_processes_consume_every_event_once(order: list[int], who: list[int]) -> None:
    async def live() -> TwoProcesses:
        world = TwoProcesses()
        asking = [number for number in order if number % 3 != 2]
        await world.deliver(0, 0)
        delivered = [world.deliver(number, process) for number, process in zip(asking, who, strict=False)]
        assert all(await asyncio.gather(*delivered))
        return world

    world = asyncio.run(live())
    calls = [event for event in world.bus.events if isinstance(event, ModelCalled)]
    run_id = world.request.run_id
    assert [call.id for call in calls] == [request_id(run_id, "engineer", step) for step in range(len(calls))]
    assert sorted(Counter(call.causation_id for call in calls).values()) == [1] * len(calls)
    decided = Counter(world.decided())
    assert set(decided.values()) == {1}
    assert len(decided) == len(calls) + 1 + 2 * (len(calls) - 1)


async def _live_until_the_log_loses(count: int) -> TwoProcesses:
    """Deliver all inputs, then lose the log from its `count`-th event on; the checkpoint remains."""
    world = TwoProcesses()
    for number in range(INPUTS):
        await world.deliver(number, 0)
    world.bus.lose_after(count)
    return world


@pytest.mark.parametrize("kept", range(2, len(UNDISTURBED) + INPUTS))
async def test_lost_end_of_the_log_is_decided_again(kept: int) -> None:
    """The server forgets what it acknowledged while the checkpoint remembers: the log is right, and the run goes on."""
    world = await _live_until_the_log_loses(kept)
    for number in range(INPUTS):
        await world.deliver(number, number % 2)
    assert Counter(world.decided()) == Counter(UNDISTURBED)


async def test_request_whose_outcome_is_lost_is_answered_again() -> None:
    """The role answers without a model: its only trace in the log is the outcome, which is not an event of its step."""
    harness = RoleHarness(AnsweringRole())
    request = engineering_requested()
    (answer,) = await harness.consume(request)
    harness.bus.lose_after(1)
    assert [event.id for event in await harness.threads.advance(request)] == [answer.id]
    assert [event.id for event in harness.bus.events] == [request.id, answer.id]

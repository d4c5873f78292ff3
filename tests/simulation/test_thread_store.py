"""The plain graph against LangGraph: both make the same decisions and leave the same state."""

from random import Random
from typing import Any

from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.thread import RoleGraph
from contracts.envelope import Event, deciding
from contracts.events.run import CancelRequested

from tests.agent.echo_role import EchoRole
from tests.agent.role_harness import RoleHarness, engineering_requested
from tests.simulation.doubles.network import FaultRates, Network
from tests.simulation.doubles.thread_store import Database, FakeCheckpoints, PlainGraph
from tests.simulation.event_loop import Process, VirtualLoop


async def _play(harness: RoleHarness, events: list[Event]) -> list[list[Event]]:
    return [await harness.consume(event) for event in [*events, events[0]]]


def _events() -> list[Event]:
    request = engineering_requested()
    return [request, CancelRequested(**deciding(request, "planner", 900), reason="ask again")]


def _forms(decisions: list[list[Event]]) -> list[list[dict[str, Any]]]:
    return [[each.model_dump(exclude={"occurred_at"}) for each in decided] for decided in decisions]


async def test_plain_graph_decides_as_langgraph_does(monkeypatch: Any):
    events = _events()
    with_langgraph = await _play(RoleHarness(EchoRole(), ["one", "two"], checkpoints=MemoryCheckpoints()), events)
    monkeypatch.setattr(RoleGraph, "_compiled", property(PlainGraph))
    loop, decided = VirtualLoop(), list[list[list[Event]]]()
    database = Database(Network(loop, Random(1), FaultRates()))
    checkpoints = FakeCheckpoints(database, "engineer")

    async def play() -> None:
        decided.append(await _play(RoleHarness(EchoRole(), ["one", "two"], checkpoints=checkpoints), events))

    task = loop.spawn(Process("one"), play())
    loop.run_until(task.done, 60.0)
    task.result()
    assert _forms(decided[0]) == _forms(with_langgraph)
    assert len(database.states) == 1

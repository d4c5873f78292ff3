"""Tests of turns: the work of the oldest run comes first, and no work holds up the others for long."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

import pytest
from chassis import turns as turns_module
from chassis.testing import FakeBus
from chassis.turns import Turns
from contracts.envelope import Event, Request, answering, during
from contracts.events.run import EngineeringStarted
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import Observation
from kernel_host.session_manager.session_thread import CellTurns

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def _cell(run_id: UUID) -> CellRequested:
    return CellRequested(id=uuid4(), run_id=run_id, role="engineer", producer="engineer", purpose="test", code="1")


async def _runs(bus: FakeBus, count: int) -> list[CellRequested]:
    """Return a cell of each of so many runs, the first of which was started first."""
    cells = [_cell(uuid4()) for _ in range(count)]
    for number, cell in enumerate(cells):
        at = NOON + timedelta(seconds=number)
        started = EngineeringStarted(**during(cell, "started", "planner"), occurred_at=at, deadline_s=60, slots=8)
        await bus.publish(started)
    return cells


async def _note(event: Event, turns: Turns, order: list[UUID], work_s: float = 0.0) -> None:
    async with turns.taken(event):
        order.append(event.run_id)
        await asyncio.sleep(work_s)


async def test_waiting_work_of_the_oldest_run_comes_first() -> None:
    bus, order = FakeBus(), list[UUID]()
    cells, turns = await _runs(bus, 6), Turns(bus, count=1)
    async with turns.taken(cells[0]):
        waiting = [asyncio.create_task(_note(cell, turns, order)) for cell in (*reversed(cells), cells[3])]
        await asyncio.sleep(0.01)
        assert order == []
    await asyncio.gather(*waiting)
    assert order == [cell.run_id for cell in (*cells[:4], *cells[3:])]


async def test_run_that_used_much_comes_after_those_that_did_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "HEAVY_S", 0.05)
    bus, order = FakeBus(), list[UUID]()
    cells, turns = await _runs(bus, 3), Turns(bus, count=1)
    async with turns.taken(cells[0]):
        await asyncio.sleep(0.06)
        waiting = [asyncio.create_task(_note(cell, turns, order)) for cell in cells]
        await asyncio.sleep(0.01)
    await asyncio.gather(*waiting)
    assert order == [cells[1].run_id, cells[2].run_id, cells[0].run_id]


async def test_endless_work_passes_its_turn_on() -> None:
    bus, order = FakeBus(), list[UUID]()
    cells, turns = await _runs(bus, 3), Turns(bus, count=1, turn_s=0.05)
    endless = asyncio.create_task(_note(cells[0], turns, order, work_s=60))
    await asyncio.gather(*(_note(cell, turns, order) for cell in cells[1:]))
    assert len(order) == 3
    endless.cancel()
    with suppress(asyncio.CancelledError):
        await endless
    await _note(cells[0], turns, order)


async def test_work_that_goes_on_after_its_turn_counts_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a run of endless cells would come first as long as one that is done in its turns."""
    monkeypatch.setattr(turns_module, "HEAVY_S", 0.2)
    bus, order = FakeBus(), list[UUID]()
    (endless, *others), turns = await _runs(bus, 3), Turns(bus, count=1, turn_s=0.01)
    await _note(endless, turns, list[UUID](), work_s=0.3)
    async with turns.taken(others[0]) as turn:
        waiting = [asyncio.create_task(_note(cell, turns, order)) for cell in (endless, *others)]
        await asyncio.sleep(0)
        turn.give_back()
        await asyncio.gather(*waiting)
    assert order == [others[0].run_id, others[1].run_id, endless.run_id]


@pytest.mark.parametrize("pause_s", [0.0, 0.01])
async def test_cancelled_work_leaves_its_turn_to_others(pause_s: float) -> None:
    bus, order = FakeBus(), list[UUID]()
    cells, turns = await _runs(bus, 4), Turns(bus, count=2)
    tasks = [asyncio.create_task(_note(cell, turns, order, work_s=60)) for cell in cells]
    await asyncio.sleep(pause_s)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with turns.taken(cells[0]), turns.taken(cells[1]):
        pass


async def test_cell_gives_its_turn_back_while_another_service_works_for_it() -> None:
    bus, order = FakeBus(), list[str]()
    (first, second), turns = await _runs(bus, 2), Turns(bus, count=1)
    simulated = asyncio.Event()

    async def ask(request: Request) -> Event:
        await simulated.wait()
        return request

    session = CellTurns(turns, ask)

    async def run_first(cell: CellRequested) -> CellCompleted:
        await session.ask(cell)
        order.append("first")
        return CellCompleted(**answering(cell, "cad-worker"), observation=Observation(status="ok"))

    async def run_second(cell: CellRequested) -> CellCompleted:
        order.append("second")
        simulated.set()
        return CellCompleted(**answering(cell, "cad-worker"), observation=Observation(status="ok"))

    running = asyncio.create_task(session.run(first, run_first))
    await asyncio.sleep(0.01)
    await CellTurns(turns, ask).run(second, run_second)
    await running
    assert order == ["second", "first"]


async def test_handler_in_turn_keeps_its_name_and_its_outcome() -> None:
    async def simulate(event: Event, factor: int) -> int:
        return factor * len(event.type)

    turns = Turns(FakeBus(), count=1)
    handle = turns.in_turn(partial(simulate, factor=2))
    assert handle.__name__ == "simulate"
    assert await handle(_cell(uuid4())) == 2 * len("CellRequested")

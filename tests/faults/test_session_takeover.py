"""A cad-worker is killed or frozen, and another one takes its session over: same variables, same files."""

import asyncio
from collections.abc import Sequence

import pytest
from contracts.envelope import Event
from contracts.events.session import CellCompleted, CellRequested
from contracts.events.simulation import SimulationRequested

from tests.chaos.workers import CELLS, PRINT_STATE, Worker, WorkerPair, owner_and_other

RESUME_S = 120.0
"""On a busy machine. `./run chaos takeover` measures how long it takes."""


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_frozen_worker_publishes_nothing_after_takeover(pair: WorkerPair) -> None:
    async with pair.session() as session:
        first = await session.run("numbers = [1]")
        owner, other = owner_and_other(pair.workers)
        slow = session.cell("import time\ntime.sleep(1.5)\nnumbers.append(2)")
        await session.client.bus.publish(slow)
        await asyncio.sleep(0.5)
        owner.freeze()  # its kernel completes the cell, and the result waits in the pipe
        async with asyncio.timeout(RESUME_S):
            second = await session.client.bus.ask(slow)
            third = await session.run("numbers.append(3)\nnumbers")
            owner.thaw()
            later = [await session.run(f"numbers.append({number})\nnumbers") for number in range(4, 8)]
            await _until_given_up(owner)
        assert isinstance(second, CellCompleted)
        assert [each.epoch for each in (first, second, third, *later)] == [1, *[2] * 6]
        assert third.observation.output == "[1, 2, 3]\n"
        assert later[-1].observation.output == "[1, 2, 3, 4, 5, 6, 7]\n"
        assert len(other.workspaces) == 1
        assert _completed_once(await session.history()) == 7


async def test_session_of_killed_worker_resumes_with_equal_state(pair: WorkerPair) -> None:
    async with pair.session() as session:
        await session.write("sizes.py", "WIDTH = 60\n")
        before = [await session.run(code) for code in CELLS]
        assert [each.observation.status for each in before] == [*["ok"] * 6, "error", *["ok"] * 3], before
        await session.write("sizes.py", "WIDTH = 70\n")
        await session.write("notes.md", "Ten cells.\n")
        simulations, quotes = _simulations(await session.history()), sum(worker.quotes for worker in pair.workers)
        assert (simulations, quotes) == (1, 1)
        owner, other = owner_and_other(pair.workers)
        files = owner.files()
        owner.kill()
        async with asyncio.timeout(RESUME_S):
            eleventh = await session.run(PRINT_STATE)
        recovery = eleventh.observation.recovery
        assert recovery is not None
        assert (recovery.replayed_cells, recovery.lost, recovery.different, recovery.remarks) == (10, (), (), ())
        assert {variable.name for each in before for variable in each.observation.variables} == set(recovery.restored)
        assert eleventh.epoch == 2
        assert other.files() == files
        rest = [await session.run(f"luck.append({number})\nlen(luck)") for number in range(9)]
        assert [each.observation.output for each in rest] == [f"{number}\n" for number in range(7, 16)]
        history = await session.history()
        assert (_simulations(history), sum(worker.quotes for worker in pair.workers)) == (simulations, quotes)
        assert _completed_once(history) == 20


def _simulations(history: Sequence[Event]) -> int:
    return sum(isinstance(event, SimulationRequested) for event in history)


async def _until_given_up(worker: Worker) -> None:
    while worker.workspaces or "its kernel is killed" not in worker.printed:  # noqa: ASYNC110 - a folder and a log
        await asyncio.sleep(0.05)


def _completed_once(history: Sequence[Event]) -> int:
    """Return the number of cells; each must have one outcome."""
    requested = [event.id for event in history if isinstance(event, CellRequested)]
    completed = [event.causation_id for event in history if isinstance(event, CellCompleted)]
    assert sorted(map(str, completed)) == sorted(map(str, requested))
    return len(requested)

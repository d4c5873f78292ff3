"""A cad-worker is killed, or stands still, and its session goes on at another one: same variables, same files."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from artifacts.settings import S3Settings
from contracts.envelope import Event
from contracts.events.session import CellCompleted, CellRequested
from contracts.events.simulation import SimulationRequested
from local_stack.servers.server_stack import ServerStack

from perf.takeovers.workers import CELLS, SAYS_ALL, Engineer, Worker, owner_and_other, workers

PATIENCE_S = 60.0
"""How long it takes on a machine of its own is what `./run perf takeover` measures."""


@pytest.mark.timeout(240)
async def test_k14_a_killed_worker_s_session_goes_on_at_the_other_with_equal_variables_and_files(
    servers: ServerStack, nats_url: str, s3_settings: S3Settings, tmp_path: Path
) -> None:
    assert nats_url == servers.nats_url
    async with workers(servers, tmp_path, s3_settings) as (engineer, both):
        await engineer.opens()
        await engineer.writes("sizes.py", "WIDTH = 60\n")
        seen = [await engineer.runs(code) for code in CELLS]
        assert [each.observation.status for each in seen] == [*["ok"] * 6, "error", *["ok"] * 3], seen
        await engineer.writes("sizes.py", "WIDTH = 70\n")
        await engineer.writes("notes.md", "Ten cells.\n")
        asked, quotes = await _simulations(engineer), sum(worker.quotes for worker in both)
        assert (asked, quotes) == (1, 1)
        owner, other = owner_and_other(both)
        files = owner.files()
        owner.kill()
        async with asyncio.timeout(PATIENCE_S):
            eleventh = await engineer.runs(SAYS_ALL)
        recovery = eleventh.observation.recovery
        assert recovery is not None
        assert (recovery.replayed_cells, recovery.lost, recovery.different, recovery.remarks) == (10, (), (), ())
        assert {variable.name for each in seen for variable in each.observation.variables} == set(recovery.restored)
        assert eleventh.epoch == 2
        assert other.files() == files
        rest = [await engineer.runs(f"luck.append({number})\nlen(luck)") for number in range(9)]
        assert [each.observation.output for each in rest] == [f"{number}\n" for number in range(7, 16)]
        assert (await _simulations(engineer), sum(worker.quotes for worker in both)) == (asked, quotes)
        assert _answered_once(await engineer.app.bus.history(engineer.run_id)) == 20


@pytest.mark.timeout(240)
async def test_a_worker_that_stood_still_for_too_long_answers_nothing_afterwards(
    servers: ServerStack, nats_url: str, s3_settings: S3Settings, tmp_path: Path
) -> None:
    assert nats_url == servers.nats_url
    async with workers(servers, tmp_path, s3_settings) as (engineer, both):
        await engineer.opens()
        first = await engineer.runs("kept = [1]")
        owner, other = owner_and_other(both)
        slow = engineer.cell("import time\ntime.sleep(1.5)\nkept.append(2)")
        await engineer.app.bus.publish(slow)
        await asyncio.sleep(0.5)
        owner.halt()  # its kernel goes on and comes to its end, and its answer waits in the wire
        async with asyncio.timeout(PATIENCE_S):
            second = await engineer.app.bus.ask(slow)
            third = await engineer.runs("kept.append(3)\nkept")
            owner.go_on()
            said = [await engineer.runs(f"kept.append({number})\nkept") for number in range(4, 8)]
            await _until_given_up(owner)
        assert isinstance(second, CellCompleted)
        assert [each.epoch for each in (first, second, third, *said)] == [1, *[2] * 6]
        assert third.observation.output == "[1, 2, 3]\n"
        assert said[-1].observation.output == "[1, 2, 3, 4, 5, 6, 7]\n"
        assert len(other.kernels) == 1
        assert _answered_once(await engineer.app.bus.history(engineer.run_id)) == 7


async def _simulations(engineer: Engineer) -> int:
    history = await engineer.app.bus.history(engineer.run_id)
    return sum(isinstance(event, SimulationRequested) for event in history)


async def _until_given_up(worker: Worker) -> None:
    while worker.kernels:  # noqa: ASYNC110 - a folder
        await asyncio.sleep(0.05)
    assert "its kernel is killed" in worker.printed


def _answered_once(history: Sequence[Event]) -> int:
    """Return how many cells there were; each must have one answer."""
    asked = [event.id for event in history if isinstance(event, CellRequested)]
    answered = [event.causation_id for event in history if isinstance(event, CellCompleted)]
    assert sorted(map(str, answered)) == sorted(map(str, asked))
    return len(asked)

"""A failed run is continued: its files, its journal and the user's hint reach the engineer of the next attempt."""

import asyncio
import io
import zipfile
from uuid import UUID, uuid4

import pytest
from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, FileWritten, SessionOpened, SessionRequested
from contracts.models.benchmark import Budget
from run_requests.continuation import load_ended_run, load_run_until_cell, store_continuation
from run_requests.errors import UnknownRunError
from run_requests.request import ContinuationOptions, continuation_request, engineering_request

from tests.flows.complete_runs import order, until_recorded
from tests.support.clusters.cluster import Client, Endpoints, in_process

HINT = "Take your time, and keep the legs short."
OTHER_WAY = "Go on from the first cell, but build it wider."
FEW_STEPS = 3
"""Enough for the offline expert to write a script, too few to submit it."""


async def run_to_end(client: Client, requested: EngineeringRequested) -> list[Event]:
    """Publish a request; return the whole run as Postgres has it."""
    await client.bus.publish(requested)
    await client.bus.wait_for_end(requested.run_id)
    return await until_recorded(client.log, await client.bus.history(requested.run_id))


async def failed_run(client: Client) -> list[Event]:
    loaded = load("gravity-chute", 0)
    await client.artifacts.put(loaded.environment_code, CODE_TYPE)
    requested = engineering_request(order("gravity-chute", 0), loaded)
    return await run_to_end(client, requested.model_copy(update={"budget": Budget(max_steps=FEW_STEPS)}))


async def fork_request(client: Client, run_id: UUID) -> EngineeringRequested:
    """Return the request of a short run that goes on after the first cell of another one."""
    left = await load_run_until_cell(run_id, 1, client.log, client.artifacts)
    continuation, _ = await store_continuation(left, OTHER_WAY, client.artifacts)
    other = ContinuationOptions(run_id, OTHER_WAY, budget={"max_steps": 1}, after_cell=1)
    return continuation_request(other, left.request, continuation)


async def test_continued_run_starts_with_earlier_files_and_succeeds(real_servers: Endpoints) -> None:
    async with in_process(real_servers) as client:
        first = await failed_run(client)
        assert isinstance(next(event for event in first if isinstance(event, RunFailed)), RunFailed)
        earlier = await load_ended_run(first[0].run_id, client.log, client.artifacts)
        continuation, left = await store_continuation(earlier, HINT, client.artifacts)
        sequel = ContinuationOptions(earlier.request.run_id, HINT, budget={"max_steps": 40})
        asked = continuation_request(sequel, earlier.request, continuation)
        fork = await fork_request(client, first[0].run_id)
        second, forked = await asyncio.gather(run_to_end(client, asked), run_to_end(client, fork))
        packed = await client.artifacts.get(continuation.workspace)
        with pytest.raises(UnknownRunError, match="unknown run"):
            await load_ended_run(uuid4(), client.log, client.artifacts)
        again = await load_ended_run(asked.run_id, client.log, client.artifacts)
        third, _ = await store_continuation(again, "once more", client.artifacts)
    written = [event.text for event in first if isinstance(event, FileWritten) and event.path == "script.py"]
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("script.py").decode() == written[-1] == left.files["script.py"]
    assert asked.assignment == earlier.request.assignment
    assert any(isinstance(event, RunSucceeded) for event in second)
    _assert_reached_the_engineer(second, asked, HINT)
    _assert_reached_the_engineer(forked, fork, OTHER_WAY)
    assert fork.run_id not in {asked.run_id, earlier.request.run_id}
    assert fork.continues is not None
    assert (fork.continues.attempts, fork.continues.after_cell) == ((earlier.request.run_id,), 1)
    assert "Result: left after cell 1" in fork.continues.journal_md
    _assert_kernel_went_on(forked, first)
    assert third.attempts == (earlier.request.run_id, asked.run_id)
    assert third.journal_md.index("## Attempt 1") < third.journal_md.index("## Attempt 2")
    assert HINT in third.journal_md
    assert "Result: failed, steps exhausted" in third.journal_md
    assert "Result: solved" in third.journal_md


def _assert_kernel_went_on(forked: list[Event], first: list[Event]) -> None:
    """The first cell of the forked run finds the variables of the earlier one's first cell, and the model read it."""
    before = next(event for event in first if isinstance(event, CellCompleted) and event.role == "engineer")
    cell = next(event for event in forked if isinstance(event, CellCompleted) and event.role == "engineer")
    recovery = cell.observation.recovery
    assert recovery is not None
    assert (recovery.is_fork, recovery.replayed_cells, recovery.lost, recovery.different) == (True, 1, (), ())
    assert set(recovery.restored) == {each.name for each in before.observation.variables}
    code = next(event.code for event in first if isinstance(event, CellRequested) and event.role == "engineer")
    call = next(event for event in forked if isinstance(event, ModelCalled) and event.role == "engineer")
    assert code.strip().splitlines()[0] in call.new_messages[1].text


def _assert_reached_the_engineer(events: list[Event], asked: EngineeringRequested, hint: str) -> None:
    assert asked.continues is not None
    requested = next(event for event in events if isinstance(event, SessionRequested) and event.role == "engineer")
    assert requested.files == asked.continues.workspace
    opened = next(event for event in events if isinstance(event, SessionOpened) and event.causation_id == requested.id)
    assert "script.py" in opened.files
    call = next(event for event in events if isinstance(event, ModelCalled) and event.role == "engineer")
    task = call.new_messages[1].text
    assert hint in task
    assert "## Attempt 1" in task

"""Tests of continuations: files, journal and the user's text reach the next attempt's engineer."""

import io
import zipfile
from uuid import uuid4

import pytest
from artifacts.client import Artifacts
from benchmarks.loader import CODE_TYPE, load
from chassis.bus import Bus
from cli.runs.continuation import load_ended_run, store_continuation
from cli.runs.request import ContinuationOptions, continuation_request, engineering_request
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import FileWritten, SessionOpened, SessionRequested
from contracts.models.benchmark import Budget
from local_stack.errors import UserError
from opentelemetry.sdk.trace import TracerProvider
from store.log import EventLog
from tests.flows.full_run import Servers, all_services, order, wait_until_recorded

SAYS = "Take your time, and keep the legs short."
FEW_STEPS = 3
"""Enough for the offline expert to look about and write a script, and too few to submit it."""


async def ended(bus: Bus, log: EventLog, requested: EngineeringRequested) -> list[Event]:
    """Publish the request; return the whole run as Postgres has it."""
    await bus.publish(requested)
    await bus.wait_for_end(requested.run_id)
    return await wait_until_recorded(log, await bus.history(requested.run_id))


async def failed_run(bus: Bus, artifacts: Artifacts, log: EventLog) -> list[Event]:
    loaded = load("gravity-chute", 0)
    await artifacts.put(loaded.environment_code, CODE_TYPE)
    requested = engineering_request(order("gravity-chute", 0), loaded)
    return await ended(bus, log, requested.model_copy(update={"budget": Budget(max_steps=FEW_STEPS)}))


@pytest.mark.timeout(600)
async def test_next_attempt_starts_with_the_last_files_and_succeeds(real_servers: Servers) -> None:
    async with all_services(real_servers, TracerProvider()) as (bus, artifacts, log):
        first = await failed_run(bus, artifacts, log)
        assert isinstance(next(event for event in first if isinstance(event, RunFailed)), RunFailed)
        earlier = await load_ended_run(first[0].run_id, log, artifacts)
        continuation, left = await store_continuation(earlier, SAYS, artifacts)
        sequel = ContinuationOptions(earlier.request.run_id, SAYS, budget={"max_steps": 40})
        requested = continuation_request(sequel, earlier.request, continuation)
        second = await ended(bus, log, requested)
        packed = await artifacts.get(continuation.workspace)
        with pytest.raises(UserError, match="no run"):
            await load_ended_run(uuid4(), log, artifacts)
        again = await load_ended_run(requested.run_id, log, artifacts)
        third, _ = await store_continuation(again, "once more", artifacts)
    written = [event.text for event in first if isinstance(event, FileWritten) and event.path == "script.py"]
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("script.py").decode() == written[-1] == left.files["script.py"]
    assert requested.assignment == earlier.request.assignment
    assert any(isinstance(event, RunSucceeded) for event in second)
    _reached_the_engineer(second, requested)
    assert third.attempts == (earlier.request.run_id, requested.run_id)
    assert third.journal_md.index("## Attempt 1") < third.journal_md.index("## Attempt 2")
    assert f"The user said: {SAYS}" in third.journal_md
    assert "Result: failed, steps exhausted" in third.journal_md
    assert "Result: solved" in third.journal_md


def _reached_the_engineer(events: list[Event], requested: EngineeringRequested) -> None:
    assert requested.continues is not None
    session = next(event for event in events if isinstance(event, SessionRequested) and event.role == "engineer")
    assert session.files == requested.continues.workspace
    opened = next(event for event in events if isinstance(event, SessionOpened) and event.causation_id == session.id)
    assert "script.py" in opened.files
    call = next(event for event in events if isinstance(event, ModelCalled) and event.role == "engineer")
    task = call.new_messages[1].text
    assert SAYS in task
    assert "## Attempt 1" in task

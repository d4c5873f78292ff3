"""Runs of scenarios on a cluster of instrumented services, and their comparison with undisturbed runs."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid5

from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested, EnvironmentRequested, RunSucceeded
from contracts.events.session import CellRequested, SessionOpened
from run_requests.cancellation import cancel_request

from tests.chaos.crashes.crash_points import CrashPlan
from tests.chaos.crashes.scenarios import SCENARIOS, SEED, ScenarioRun
from tests.chaos.traces import duplicates, end_of, poison_id, trace_of, until_end
from tests.support.clusters.cluster import (
    ALL_SERVICES,
    FAST_REDELIVERY,
    Client,
    ModuleProcess,
    RestartingSupervisor,
    start_cluster,
)
from tests.support.clusters.fake_provider import FakeProvider, expert_provider
from tests.support.isolated import ROOT

RUN_S = 450.0
"""Time limit of a run without crashes."""
CRASH_S = 60.0
"""Additional time for each crash."""
AFTERWARDS_S = 180.0
"""Time limit for everything that follows the end of a run."""
MODULE = "tests.chaos.crashes.instrumented_service"


@dataclass(frozen=True)
class CrashCluster:
    """Instrumented services on real servers, restarted whenever they crash, and their model."""

    client: Client
    provider: FakeProvider
    plan: CrashPlan
    environment: dict[str, str]

    async def publish(self, event: Event) -> None:
        """Publish as a client that may crash, and then publishes again."""
        if not any(".cli." in pending for pending in self.plan.pending(event.run_id)):
            await self.client.bus.publish(event)
            return
        file = self.plan.folder / f"{event.full_subject}.json"
        file.write_text(event.model_dump_json())
        options = ("--crash-plan", str(self.plan.folder), "--publish", str(file))
        command = (sys.executable, "-m", MODULE, "cli", *options)
        while True:
            process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=self.environment)
            if await process.wait() == 0:
                return

    async def poison(self, requested: Event) -> None:
        """Put an unreadable request into the run."""
        run_id = requested.run_id
        subject = f"{EnvironmentRequested.subject}.{run_id}.planner.{poison_id(run_id)}"
        await self.client.bus.js.publish(subject, b"{")


def instrumented(service: str, environment: dict[str, str], log: Path, *options: str) -> ModuleProcess:
    """Return an instrumented service as a process."""
    return ModuleProcess(service, MODULE, environment, log, (service, *options), f"{service} is ready")


@asynccontextmanager
async def crash_cluster(folder: Path) -> AsyncGenerator[CrashCluster]:
    """Start servers and all services; nothing of them is left when the block ends."""
    plan = CrashPlan(folder / "crash-points")
    plan.folder.mkdir(parents=True)
    scripts = {scenario.name: scenario.script for scenario in SCENARIOS}
    with expert_provider(scripts) as provider:
        async with start_cluster(folder, supervisor=RestartingSupervisor()) as cluster:
            keys = {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "of-no-value"}
            environment = cluster.environment(FAST_REDELIVERY | keys)
            option = ("--crash-plan", str(plan.folder))
            processes = [instrumented(each, environment, folder / f"{each}.log", *option) for each in ALL_SERVICES]
            async with cluster.run(processes, restarts=True), Client(cluster.endpoints) as client:
                yield CrashCluster(client, provider, plan, environment)


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended, or was given up."""

    run: ScenarioRun
    events: list[Event]
    """As the stream has them."""
    recorded: list[Event]
    """As Postgres has them."""
    calls: int
    """Number of model calls that the provider got."""
    crashes: list[str]
    pending: list[str]
    """Armed crash points that were not reached."""
    seconds: float

    @property
    def trace(self) -> list[str]:
        """Its events in names that do not depend on ids."""
        return trace_of(self.events)


async def perform(cluster: CrashCluster, run: ScenarioRun) -> FinishedRun:
    """Request the run, and return it when everything that follows from it has happened."""
    started_s = time.monotonic()
    client, run_id = cluster.client, run.run_id
    code = run.scenario.environment_code or load("gravity-chute", SEED).environment_code
    requested = run.request(await client.artifacts.put(code, CODE_TYPE))
    for crash in run.crashes:
        cluster.plan.arm(crash, run_id)
    try:
        async with asyncio.timeout(RUN_S + CRASH_S * len(run.crashes)):
            await cluster.publish(requested)
            await _interfere(cluster, run, requested)
            await client.bus.wait_for_end(run_id)
    except TimeoutError:
        pass  # the events show what is wrong
    else:
        await _until_settled(cluster, run)
    events = await client.bus.history(run_id)
    recorded = await client.log.events_of(run_id)
    seconds = time.monotonic() - started_s
    calls = cluster.provider.calls_of[run.model.removeprefix("openai:")]
    return FinishedRun(
        run, events, recorded, calls, cluster.plan.crashes(run_id), cluster.plan.pending(run_id), seconds
    )


async def _interfere(cluster: CrashCluster, run: ScenarioRun, requested: EngineeringRequested) -> None:
    """Cancel or poison the run while its first cell runs, if the scenario says so."""
    if run.scenario.meanwhile is None:
        return
    async for event in cluster.client.bus.follow(requested.run_id):
        if isinstance(event, CellRequested):
            break
    await asyncio.sleep(1.0)  # the cell runs now, and nothing else does
    if run.scenario.meanwhile == "poison":
        await cluster.poison(requested)
        return
    await cluster.publish(cancel_request(requested, "cli"))


async def _until_settled(cluster: CrashCluster, run: ScenarioRun) -> None:
    """Wait until all events after the end are published and recorded, and all crashes have happened."""
    client = cluster.client

    async def is_published() -> bool:
        events = await client.bus.history(run.run_id)
        expected = {outcome_id(event.id) for event in events if isinstance(event, RunSucceeded)}
        expected |= {uuid5(event.causation_id or event.id, "closed") for event in _first_opened(events)}
        return expected <= {event.id for event in events}

    async def has_crashed() -> bool:
        return not cluster.plan.pending(run.run_id)

    async def is_recorded() -> bool:
        published = {event.id for event in await client.bus.history(run.run_id)}
        return published == {event.id for event in await client.log.events_of(run.run_id)}

    for condition in (is_published, has_crashed, is_recorded):
        await _wait_for(condition)


def _first_opened(events: Sequence[Event]) -> list[SessionOpened]:
    """Return the first opening of each role's session; later ones are closed with it."""
    opened = [event for event in events if isinstance(event, SessionOpened)]
    return list({event.role: event for event in reversed(opened)}.values())


async def _wait_for(condition: Callable[[], Awaitable[bool]]) -> None:
    end_s = time.monotonic() + AFTERWARDS_S
    while not await condition() and time.monotonic() < end_s:  # noqa: ASYNC110 - other processes write log and folder
        await asyncio.sleep(0.1)


def problems(finished: FinishedRun, undisturbed: FinishedRun | None = None) -> list[str]:
    """Return what is wrong with a run, also compared with the same run without crashes."""
    found = [f"crash point {each} was not reached" for each in finished.pending]
    found += duplicates(finished.events) + duplicates(finished.recorded)
    if [event.id for event in finished.events] != [event.id for event in finished.recorded]:
        counts = f"{len(finished.events)} events in the stream, {len(finished.recorded)} in Postgres"
        found.append(f"{counts}, or in another order")
    paid = sum(isinstance(event, ModelCalled) for event in finished.events)
    if finished.calls > paid + len(finished.crashes):
        found.append(f"{finished.calls} model calls for {paid} recorded and {len(finished.crashes)} crashes")
    return found if undisturbed is None else found + _differences(finished, undisturbed)


def _differences(finished: FinishedRun, undisturbed: FinishedRun) -> list[str]:
    end, expected_end = end_of(finished.events), end_of(undisturbed.events)
    if end != expected_end:
        return [f"it ended with {end}, undisturbed with {expected_end}"]
    found: list[str] = []
    trace, expected = finished.trace, undisturbed.trace
    if until_end(trace) != until_end(expected):
        pairs = enumerate(zip(trace, expected, strict=False))
        first = next((index for index, (a, b) in pairs if a != b), min(len(trace), len(expected)))
        found.append(f"event {first} is {trace[first : first + 3]}, undisturbed {expected[first : first + 3]}")
    if set(trace) != set(expected):
        found.append(f"additional {sorted(set(trace) - set(expected))}, missing {sorted(set(expected) - set(trace))}")
    return found

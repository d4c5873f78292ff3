"""One full run on real servers, with every service in this process."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import cad_worker.app
import cad_worker.settings
import critic.app
import critic.settings
import engineer.app
import engineer.settings
import planner.app
import planner.settings
import recorder.app
import recorder.settings
import sim_worker.app
import sim_worker.settings
import skill_learner.app
import skill_learner.settings
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from benchmarks.loader import CODE_TYPE, load
from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from cli.runs.request import RunOptions, engineering_request
from contracts.envelope import Event, outcome_id
from contracts.events.run import EngineeringRequested, EnvironmentBuilt, RunSucceeded
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Limits
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings


@dataclass(frozen=True)
class Servers:
    """Where the real servers are."""

    nats_url: str
    database_url: str
    s3: S3Settings

    def fields(self, service: str = "") -> dict[str, Any]:
        """Return what a service's settings ask for."""
        return {"nats_url": self.nats_url_of(service), "database_url": self.database_url} | self.s3.model_dump()

    def nats_url_of(self, service: str) -> str:
        """Return where a service finds the bus; here all have one user."""
        return self.nats_url


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended."""

    request: EngineeringRequested
    events: list[Event]
    """As the stream has them, in order."""
    recorded: list[Event]
    """As Postgres has them, in order."""
    spans: tuple[ReadableSpan, ...]
    blobs: dict[str, bytes]
    """What was delivered, and the world it was made for, by digest."""

    def of_class(self, event_class: type[Event]) -> list[Event]:
        """Return the events of one class, in order."""
        return [event for event in self.events if isinstance(event, event_class)]


async def run_once(servers: Servers, order: RunOptions) -> FinishedRun:
    """Run an order until it has ended and is learned from and recorded, and return it."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    loaded = load(order.benchmark, order.seed)
    requested = engineering_request(order, loaded)
    async with all_services(servers, provider) as (bus, artifacts, log):
        await artifacts.put(loaded.environment_code, CODE_TYPE)
        await _publish(bus, requested, provider.get_tracer("tests"))
        async with asyncio.timeout(200):
            end = await bus.wait_for_end(requested.run_id)
            events = await wait_until_learned(bus, end)
            recorded = await wait_until_recorded(log, events)
        worlds = [event.environment.brep for event in events if isinstance(event, EnvironmentBuilt)]
        blobs = {ref.sha256: await artifacts.get(ref) for ref in [*refs_of(end), *worlds]}
    return FinishedRun(requested, events, recorded, exporter.get_finished_spans(), blobs)


def refs_of(end: Event) -> list[ArtifactRef]:
    """Return every artifact that a user is given."""
    if not isinstance(end, RunSucceeded):
        return []
    delivery, media = end.delivery, end.delivery.media
    assert media is not None
    files = [delivery.script, delivery.step, delivery.glb, *delivery.part_steps.values()]
    pictures = [media.poster, *(each.picture for each in media.key_frames)]
    pictures += [media.contact_sheet] if media.contact_sheet is not None else []
    return [*files, *pictures, media.video, media.glb, media.trajectory, media.mjcf]


async def _publish(bus: Bus, requested: EngineeringRequested, tracer: Tracer) -> None:
    with tracer.start_as_current_span("a user asks"):
        assert await bus.publish(requested)


@asynccontextmanager
async def all_services(servers: Servers, provider: TracerProvider) -> AsyncGenerator[tuple[Bus, Artifacts, EventLog]]:
    """Start all services, stop them in the end."""
    fields = servers.fields
    apps = [
        planner.app.make_app(planner.settings.Settings(**fields("planner")), provider),
        critic.app.make_app(critic.settings.Settings(**fields("critic")), provider),
        engineer.app.make_app(engineer.settings.Settings(**fields("engineer")), provider),
        skill_learner.app.make_app(skill_learner.settings.Settings(**fields("skill-learner")), provider),
        recorder.app.make_app(recorder.settings.Settings(**fields("recorder")), provider),
        cad_worker.app.make_app(cad_worker.settings.Settings(**fields("cad-worker")), provider),
        sim_worker.app.make_app(sim_worker.settings.Settings(**fields("sim-worker")), provider),
    ]
    asker = App("cli", BusSettings(nats_url=servers.nats_url_of("cli")), provider)
    artifacts, database = Artifacts(servers.s3), Database(DatabaseSettings(database_url=servers.database_url))
    asker.stores_large_fields_in(artifacts)
    opened = [artifacts, database, *apps, asker]
    try:
        for each in opened:
            await each.start()
        yield asker.bus, artifacts, EventLog(database.engine)
    finally:
        for each in reversed(opened):
            await each.stop()


async def wait_until_learned(bus: Bus, end: Event) -> list[Event]:
    """Wait until a run that succeeded is learned from, and return all of it."""
    if isinstance(end, RunSucceeded):
        while await bus.find(end.run_id, end.role, outcome_id(end.id)) is None:  # noqa: ASYNC110 - the log is on a server
            await asyncio.sleep(0.1)
    return await bus.history(end.run_id)


async def wait_until_recorded(log: EventLog, events: list[Event]) -> list[Event]:
    """Wait until Postgres has these events, and return all that it has of their run."""
    requested = {event.id for event in events}
    while True:
        recorded = await log.events_of(events[0].run_id)
        if requested <= {event.id for event in recorded}:
            return recorded
        await asyncio.sleep(0.1)


def order(benchmark: str, seed: int) -> RunOptions:
    """Return an order for the offline expert."""
    return RunOptions(benchmark=benchmark, seed=seed, model="offline", quantity=100, limits=Limits())

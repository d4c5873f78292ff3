"""Complete runs on real servers, with every service in this process."""

import asyncio
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from chassis.bus import Bus
from contracts.envelope import Event, outcome_id
from contracts.events.run import EngineeringRequested, EnvironmentBuilt, RunSucceeded
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Limits
from run_requests.request import RunOptions
from store.log import EventLog

from tests.support.clusters.cluster import Client

TIMEOUT_S = 200.0
FORBIDDEN = "mw.run.succeeded.a.b.c"
"""A subject to which the command may not publish."""


EventT = TypeVar("EventT", bound=Event)


@dataclass(frozen=True)
class CompleteRun:
    """A run that has ended."""

    request: EngineeringRequested
    events: list[Event]
    """As the stream has them, in order."""
    recorded: list[Event]
    """As Postgres has them, in order."""
    blobs: dict[str, bytes]
    """Delivered files, and the world of the run, by digest."""

    def of_class(self, event_class: type[EventT]) -> list[EventT]:
        """Return the events of one class, in order."""
        return [event for event in self.events if isinstance(event, event_class)]


async def complete_run(client: Client, run_id: UUID) -> CompleteRun:
    """Return a run once it has ended, is learned from and recorded."""
    async with asyncio.timeout(TIMEOUT_S):
        end = await client.bus.wait_for_end(run_id)
        events = await until_learned(client.bus, end)
        recorded = await until_recorded(client.log, events)
    (request,) = [event for event in events if isinstance(event, EngineeringRequested)]
    worlds = [event.environment.brep for event in events if isinstance(event, EnvironmentBuilt)]
    blobs = {ref.sha256: await client.artifacts.get(ref) for ref in [*delivered_files(end), *worlds]}
    return CompleteRun(request, events, recorded, blobs)


def delivered_files(end: Event) -> list[ArtifactRef]:
    """Return every artifact that a user gets."""
    if not isinstance(end, RunSucceeded):
        return []
    delivery, media, documents = end.delivery, end.delivery.media, end.delivery.documents
    assert media is not None
    assert documents is not None
    files = [delivery.script, delivery.step, delivery.glb, *delivery.part_steps.values()]
    pictures = [media.poster, *(each.picture for each in media.key_frames)]
    pictures += [each for each in (media.contact_sheet, media.views, media.clip) if each is not None]
    files += [documents.plan, documents.todo, documents.journal]
    return [*files, *pictures, media.video, media.glb, media.trajectory, media.mjcf]


async def until_learned(bus: Bus, end: Event) -> list[Event]:
    """Wait until a run that succeeded is learned from, and return all of it."""
    if isinstance(end, RunSucceeded):
        while await bus.find(end.run_id, end.role, outcome_id(end.id)) is None:  # noqa: ASYNC110 - the log is on a server
            await asyncio.sleep(0.1)
    return await bus.history(end.run_id)


async def until_recorded(log: EventLog, events: list[Event]) -> list[Event]:
    """Wait until Postgres has these events, and return everything that it has of their run."""
    expected = {event.id for event in events}
    while True:
        recorded = await log.events_of(events[0].run_id)
        if expected <= {event.id for event in recorded}:
            return recorded
        await asyncio.sleep(0.1)


def order(benchmark: str, seed: int) -> RunOptions:
    """Return an order for the offline expert."""
    return RunOptions(benchmark=benchmark, seed=seed, model="offline", quantity=100, limits=Limits())

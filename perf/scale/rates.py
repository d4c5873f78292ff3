"""Rates of single writers, measured on real servers: the stream, the recorder's table, and reads of the queue."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

from chassis.subjects import STREAM
from contracts.envelope import Event
from store.database import Database
from store.log import EventLog, LogEntry
from store.settings import DatabaseSettings

from perf.messaging.sample import requested
from tests.support.clusters.cluster import Client, Cluster, start_cluster

EVENTS = 1500
IN_FLIGHT = 64
BATCH = 500
ENDED = (0, 5000)
READS = 5
EVENTS_PER_RUN = 59
"""Of a run that the expert solves at once: perf/results/replicas.txt."""


@dataclass(frozen=True)
class Rates:
    """What the servers do."""

    events_per_run: float
    publish_per_s: float
    """Events that the stream stores and syncs, from one process with many in flight."""
    record_per_s: float
    """Events that are recorded, in batches."""
    queue_s: float
    """One read of the queue of runs, without ended runs."""
    queue_s_per_ended: float
    """What each ended run that the stream keeps adds to it."""

    def __str__(self) -> str:
        """Return the rates in one line."""
        return (
            f"{self.events_per_run:g} events per run; {self.publish_per_s:.0f} events/s stored, "
            f"{self.record_per_s:.0f} recorded; a read of the queue {1000 * self.queue_s:.1f} ms and "
            f"{1e6 * self.queue_s_per_ended:.2f} µs per ended run"
        )


async def measured_rates() -> Rates:
    """Measure on new servers."""
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster, Client(cluster.endpoints, "cli") as client:
            publish_per_s = await _publish(client)
            record_per_s = await _record(cluster)
            empty_s, ended_s = [await _read_queue(client, ended) for ended in ENDED]
    return Rates(EVENTS_PER_RUN, publish_per_s, record_per_s, empty_s, (ended_s - empty_s) / ENDED[1])


async def _publish(client: Client) -> float:
    pending = [requested(uuid4(), number) for number in range(EVENTS)]
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def publish(event: Event) -> None:
        async with gate:
            await client.bus.publish(event)

    began_s = time.perf_counter()
    await asyncio.gather(*map(publish, pending))
    return EVENTS / (time.perf_counter() - began_s)


async def _record(cluster: Cluster) -> float:
    database = Database(DatabaseSettings(database_url=cluster.endpoints.database_url))
    await database.start()
    log = EventLog(database.engine)
    entries = [_entry(number) for number in range(1, EVENTS + 1)]
    began_s = time.perf_counter()
    for first in range(0, EVENTS, BATCH):
        await log.append(entries[first : first + BATCH])
    spent_s = time.perf_counter() - began_s
    await database.stop()
    return EVENTS / spent_s


def _entry(number: int) -> LogEntry:
    event = requested(uuid4(), number)
    return LogEntry(event=event, body=event.model_dump_json().encode(), stream_sequence=10_000_000 + number)


async def _read_queue(client: Client, ended: int) -> float:
    """Return the seconds of one read beside so many ended runs."""
    js = client.bus.js
    await asyncio.gather(*(js.publish_async(_end_of(uuid4()), b"{}", stream=STREAM) for _ in range(ended)))
    await js.publish_async_completed()
    await client.bus.queue()
    began_s = time.perf_counter()
    for _ in range(READS):
        await client.bus.queue()
    return (time.perf_counter() - began_s) / READS


def _end_of(run_id: UUID) -> str:
    return f"mw.run.succeeded.{run_id}.planner.{uuid4()}"

"""One run of the offline expert, with an outage of one server in the middle of it."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from uuid import UUID

from chassis.settings import BusSettings
from chassis.stream.connection import connected
from chassis.stream.reads import next_message
from chassis.subjects import Address
from contracts.registry import class_at
from nats.aio.client import Client as NatsClient
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.support.clusters.cluster import Cluster, Interruption
from tests.support.clusters.command import Command, Line, start_command

MOMENTS = {
    "planning": "EnvironmentRequested",
    "cell": "CellRequested",
    "validation": "DesignSubmitted",
    "verdict": "DesignApproved",
    "learning": "RunSucceeded",
}
"""An outage begins at the first event of a class."""
AFTER_RETURN_S = 3.0
"""Lines printed this soon after the server's return belong to the outage."""
RUN_S = 300.0
POLL_S = 0.05


@dataclass(frozen=True)
class Outage:
    """An outage of a server."""

    server: str
    interruption: Interruption
    moment: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.server} {self.interruption} for {self.seconds:g} s"


@dataclass
class Report:
    """Consequences of an outage."""

    outage: Outage | None
    exit_code: int | None = None
    counts: Counter[str] = field(default_factory=Counter[str])
    lost: list[UUID] = field(default_factory=list[UUID])
    """Events that are in the stream and not in Postgres."""
    doubled: list[UUID] = field(default_factory=list[UUID])
    seconds: float = 0.0
    resumed_s: float | None = None
    """From the return, including the server's own start, to the next event."""
    silence_s: float = 0.0
    """The longest time without an event after the return."""
    meanwhile: int = 0
    """Events stored during the outage."""
    printed_meanwhile: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    """Lines of the command from the start of the outage, with seconds."""
    printed: str = ""


@dataclass(frozen=True)
class StoredEvent:
    """One message of the stream."""

    sequence: int
    type: str
    id: UUID
    stored_at: datetime


@dataclass
class StreamWatcher:
    """Reads all messages of one run."""

    client: NatsClient
    run_id: UUID
    events: list[StoredEvent] = field(default_factory=list[StoredEvent])
    _grown: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def watch(self) -> None:
        """Read the stream. Never returns."""
        while True:
            message = await next_message(self.client, self.run_id, self.events[-1].sequence if self.events else 0)
            if message is None:
                await asyncio.sleep(POLL_S)
                continue
            assert message.subject is not None
            assert message.time is not None
            event_type, event_id = class_at(message.subject).__name__, Address.of(message.subject).id
            self.events.append(StoredEvent(message.seq or 0, event_type, event_id, message.time))
            async with self._grown:
                self._grown.notify_all()

    async def until(self, event_type: str) -> None:
        """Return as soon as an event of this class is stored."""
        async with self._grown:
            await self._grown.wait_for(lambda: any(each.type == event_type for each in self.events))

    async def until_quiet(self) -> None:
        """Return when no event was stored for a moment."""
        seen = -1
        while seen != len(self.events):
            seen = len(self.events)
            await asyncio.sleep(20 * POLL_S)

    def doubled(self) -> list[UUID]:
        """Return the ids that are in the stream more than once."""
        return [id_ for id_, times in Counter(each.id for each in self.events).items() if times > 1]


async def run_with_outage(cluster: Cluster, folder: Path, outage: Outage | None) -> Report:
    """Solve a benchmark with an outage, or undisturbed."""
    report = Report(outage)
    started_s = time.monotonic()
    folder.mkdir()  # noqa: ASYNC240 - at once
    arguments = ("solve", "detour", "--seed", "2", "--separate", "--out", str(folder / "out"))
    with start_command(folder, *arguments, environment=cluster.servers.environment()) as command:
        run_id = await _run_id(command)
        async with _watching(cluster, run_id) as watcher:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RUN_S + (outage.seconds if outage else 0.0)):
                    if outage is not None:
                        await _interrupt(cluster, outage, watcher, command, report)
                    await _ended(command)
                    await watcher.until_quiet()
        report.exit_code = command.process.poll()
        report.printed = command.printed
    report.seconds = time.monotonic() - started_s
    report.counts, report.doubled = Counter(each.type for each in watcher.events), watcher.doubled()
    recorded = await _recorded(cluster.servers.database_url, run_id)
    report.lost = [each.id for each in watcher.events if each.id not in recorded]
    return report


async def _interrupt(
    cluster: Cluster, outage: Outage, watcher: StreamWatcher, command: Command, report: Report
) -> None:
    if not await _reaches(watcher, MOMENTS[outage.moment], command):
        return
    gone_s, gone = time.monotonic(), datetime.now(UTC)
    cluster.interrupt(outage.server, outage.interruption)
    await asyncio.sleep(outage.seconds)
    back = datetime.now(UTC)
    await cluster.resume(outage.server, outage.interruption)
    ready_s = time.monotonic()
    await _ended(command)
    await watcher.until_quiet()
    times = [back, *(each.stored_at for each in watcher.events if each.stored_at > back)]
    gaps_s = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    if gaps_s:
        report.resumed_s, report.silence_s = gaps_s[0], max(gaps_s)
    report.meanwhile = sum(gone < each.stored_at <= back for each in watcher.events)
    lines = _printed_between(command, gone_s, ready_s + AFTER_RETURN_S)
    report.printed_meanwhile = [(line.at_s - gone_s, line.text) for line in lines]


def _printed_between(command: Command, from_s: float, to_s: float) -> list[Line]:
    return [line for line in command.lines if line.text.strip() and from_s <= line.at_s <= to_s]


async def _run_id(command: Command) -> UUID:
    while command.run_id is None:
        assert command.process.poll() is None, f"no run has begun: {command.printed}"
        await asyncio.sleep(POLL_S)
    return UUID(command.run_id)


async def _ended(command: Command) -> None:
    while command.process.poll() is None:  # noqa: ASYNC110 - a thread in `wait` could not be cancelled
        await asyncio.sleep(POLL_S)
    command.wait()


async def _reaches(watcher: StreamWatcher, event_type: str, command: Command) -> bool:
    """Wait for an event of this class; return False if the command ends without it."""
    tasks = [asyncio.create_task(watcher.until(event_type)), asyncio.create_task(_ended(command))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return tasks[0].done()
    finally:
        for task in tasks:
            task.cancel()


@asynccontextmanager
async def _watching(cluster: Cluster, run_id: UUID) -> AsyncGenerator[StreamWatcher]:
    async with connected("watcher", BusSettings(nats_url=cluster.servers.nats_url)) as client:
        watcher = StreamWatcher(client, run_id)
        watching = asyncio.create_task(watcher.watch())
        try:
            yield watcher
        finally:
            watching.cancel()
            await asyncio.wait((watching,))


async def _recorded(database_url: str, run_id: UUID) -> set[UUID]:
    database = Database(DatabaseSettings(database_url=database_url))
    await database.start()
    try:
        return {event.id for event in await EventLog(database.engine).events_of(run_id)}
    finally:
        await database.stop()

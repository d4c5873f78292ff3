"""One run of the offline expert, and one server that is away in the middle of it."""

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
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from perf.absence.servers import Manner, Servers
from perf.absence.user import User, typing
from perf.absence.witness import Witness

MOMENTS = {
    "planning": "EnvironmentRequested",
    "cell": "CellRequested",
    "validation": "DesignSubmitted",
    "verdict": "DesignApproved",
    "learning": "RunSucceeded",
}
"""The first event of which class is waited for before the server goes."""

SHOWN_AFTER_S = 3.0
"""Lines printed so soon after the return belong to the outage."""
END_WITHIN_S = 300.0


@dataclass(frozen=True)
class Outage:
    """What happens to whom, and when."""

    server: str
    manner: Manner
    moment: str
    seconds: float


@dataclass
class Report:
    """What came of it."""

    outage: Outage | None
    exit_code: int | None = None
    counts: Counter[str] = field(default_factory=Counter[str])
    lost: list[UUID] = field(default_factory=list[UUID])
    """Stored in the stream and not in Postgres."""
    doubled: list[UUID] = field(default_factory=list[UUID])
    seconds: float = 0.0
    resumed_s: float | None = None
    """From the return, the server's own start included, to the next event."""
    silence_s: float = 0.0
    """The longest time without an event after the return."""
    meanwhile: int = 0
    """Events stored while the server was away."""
    told: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    """Lines of the command since the server went, with seconds."""
    printed: str = ""


async def suffer(servers: Servers, folder: Path, outage: Outage | None) -> Report:
    """Have a benchmark solved through an outage, or undisturbed, and return what came of it."""
    report = Report(outage)
    began_s = time.monotonic()
    words = ("solve", "detour", "--seed", "2", "--separate", "--out", str(folder / "out"))
    async with typing(folder, servers.stack.environment(), *words) as user, _witnessed(servers, user) as witness:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_WITHIN_S + (outage.seconds if outage else 0.0)):
                if outage is None:
                    await user.process.wait()
                else:
                    await _happen(servers, outage, witness, user, report)
                await witness.until_quiet()
        report.exit_code = user.process.returncode
    report.seconds = time.monotonic() - began_s
    report.printed = user.said()
    report.counts, report.doubled = witness.counts(), witness.doubled()
    recorded = await _recorded(servers.stack.database_url, witness.run_id)
    report.lost = [said.id for said in witness.said if said.id not in recorded]
    return report


async def _happen(servers: Servers, outage: Outage, witness: Witness, user: User, report: Report) -> None:
    if not await _comes(witness, MOMENTS[outage.moment], user):
        return
    gone_s, gone = time.monotonic(), datetime.now(UTC)
    servers.take_away(outage.server, outage.manner)
    await asyncio.sleep(outage.seconds)
    back = datetime.now(UTC)
    await servers.bring_back(outage.server, outage.manner)
    ready_s = time.monotonic()
    await user.process.wait()
    await witness.until_quiet()
    times = [back, *(said.stored_at for said in witness.said if said.stored_at > back)]
    gaps_s = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    if gaps_s:
        report.resumed_s, report.silence_s = gaps_s[0], max(gaps_s)
    report.meanwhile = sum(gone < said.stored_at <= back for said in witness.said)
    report.told = [(line.at_s - gone_s, line.text) for line in user.told(gone_s, ready_s + SHOWN_AFTER_S)]


async def _comes(witness: Witness, kind: str, user: User) -> bool:
    """Wait for an event of this class; return False when the command ended without it."""
    ways = [asyncio.create_task(witness.until(kind)), asyncio.create_task(user.process.wait())]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        return ways[0].done()
    finally:
        for way in ways:
            way.cancel()


@asynccontextmanager
async def _witnessed(servers: Servers, user: User) -> AsyncGenerator[Witness]:
    async with connected("witness", BusSettings(nats_url=servers.stack.nats_url)) as client:
        witness = Witness(client, await user.run_id)
        watching = asyncio.create_task(witness.watch())
        try:
            yield witness
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

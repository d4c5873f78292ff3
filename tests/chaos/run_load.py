"""A constant load of runs, and an audit of each: every event once, in the stream and in Postgres."""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, cycle
from uuid import UUID

from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import Event
from contracts.events.run import RunFailed, RunSucceeded
from contracts.events.session import SessionClosed, SessionOpened
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.models.benchmark import Limits
from contracts.registry import ENDINGS
from run_requests.request import RunOptions, engineering_request
from store.errors import DatabaseOutageError

from tests.chaos.traces import duplicates
from tests.support.clusters.cluster import Client

BENCHMARKS = ("gravity-chute", "detour")
SEEDS = 20
"""Seeds that are solved without crashes."""
RUN_S = 600.0
"""A run without an end after this time is lost."""
SETTLING_S = 120.0
"""Time limit, after the end of a run and the last kill, for the events that follow."""


@dataclass(frozen=True)
class Audit:
    """What is wrong with one run."""

    run_id: UUID
    name: str
    lost: list[str] = field(default_factory=list[str])
    duplicates: list[str] = field(default_factory=list[str])
    unrecorded: int = 0
    """Events that are not both in the stream and in Postgres."""
    events: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.lost or self.duplicates or self.unrecorded)


async def audit(client: Client, run_id: UUID, name: str) -> tuple[Audit, list[Event]]:
    """Wait a while for events that follow the end, then return the audit and all events."""
    end_s = asyncio.get_running_loop().time() + SETTLING_S
    while True:
        events = await client.bus.history(run_id)
        recorded = await _read(lambda: client.log.events_of(run_id))
        found = Audit(
            run_id,
            name,
            lost=lost_of(events),
            duplicates=[*duplicates(events), *duplicates(recorded)],
            unrecorded=len({event.id for event in events} ^ {event.id for event in recorded}),
            events=len(events),
        )
        if not (found.lost or found.unrecorded) or asyncio.get_running_loop().time() > end_s:
            return found, events
        await asyncio.sleep(1.0)


async def _read(read: Callable[[], Awaitable[list[Event]]]) -> list[Event]:
    """Read from Postgres, which may just have been killed."""
    while True:
        try:
            return await read()
        except DatabaseOutageError:
            await asyncio.sleep(0.5)


def lost_of(events: Sequence[Event]) -> list[str]:
    """Return what a successful run has and this one lacks."""
    counts = Counter(type(event) for event in events)
    failed = next((event for event in events if isinstance(event, RunFailed)), None)
    lost = [f"it failed ({failed.reason}): {failed.detail}"] if failed else []
    if not any(counts[ending] for ending in ENDINGS):
        lost.append(f"it did not end; its last event is {type(events[-1]).__name__ if events else 'none'}")
    if counts[RunSucceeded] and not counts[SkillLearned] + counts[SkillRejected]:
        lost.append("it has no outcome of the skill-learner")
    if counts[SessionOpened] and not counts[SessionClosed]:
        lost.append("its session is not closed")
    return lost


@dataclass
class RunLoad:
    """Requests runs one after another, awaits and audits them."""

    client: Client
    take_events: Callable[[UUID, Sequence[Event]], None]
    """Gets the events of an audited run."""
    in_flight: dict[UUID, datetime] = field(default_factory=dict[UUID, datetime])
    """Start times of the current runs."""
    audits: list[Audit] = field(default_factory=list[Audit])
    ended: int = 0
    is_closing: bool = False
    _auditing: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])
    _orders: Iterator[tuple[str, int]] = field(
        default_factory=lambda: zip(cycle(BENCHMARKS), (number // 2 % SEEDS for number in count()), strict=False)
    )

    async def keep_running(self, at_once: int) -> None:
        """Keep that many runs under way until `is_closing`; return when all have ended and are audited."""
        await asyncio.gather(*(self._one_after_another() for _ in range(at_once)))
        await asyncio.gather(*self._auditing)

    def age_s(self, run_id: UUID) -> float:
        """Return the age of a current run."""
        return (datetime.now(UTC) - self.in_flight[run_id]).total_seconds()

    async def _one_after_another(self) -> None:
        while not self.is_closing:
            benchmark, seed = next(self._orders)
            await self._run(benchmark, seed)

    async def _run(self, benchmark: str, seed: int) -> None:
        loaded = load(benchmark, seed)
        requested = engineering_request(RunOptions(benchmark, seed, "offline", 100, Limits()), loaded)
        run_id, name = requested.run_id, f"{benchmark} {seed}"
        await self.client.artifacts.put(loaded.environment_code, CODE_TYPE)
        self.in_flight[run_id] = datetime.now(UTC)
        try:
            async with asyncio.timeout(RUN_S):
                await self.client.bus.publish(requested)
                await self.client.bus.wait_for_end(run_id)
        except TimeoutError:
            _report(f"LOST? {name} {run_id} has not ended within {RUN_S:g} s")
        del self.in_flight[run_id]
        self.ended += 1
        self._auditing.append(asyncio.create_task(self._audit(run_id, name)))

    async def _audit(self, run_id: UUID, name: str) -> None:
        found, events = await audit(self.client, run_id, name)
        self.take_events(run_id, events)
        self.audits.append(found)
        for problem in (*found.lost, *found.duplicates):
            _report(f"WRONG {name} {run_id}: {problem}")
        if found.unrecorded:
            _report(f"WRONG {name} {run_id}: {found.unrecorded} events only in stream or Postgres")


def _report(line: str) -> None:
    print(f"    {line}", file=sys.stderr, flush=True)

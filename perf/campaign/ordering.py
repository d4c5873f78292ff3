"""Runs that are always under way: whenever one ends, the next is ordered."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, cycle
from uuid import UUID

from benchmarks.loader import CODE_TYPE, load
from cli.runs.request import RunOptions, engineering_request
from contracts.models.benchmark import Limits

from perf.campaign.auditing import Audit, audit
from perf.campaign.house import House

BENCHMARKS = ("gravity-chute", "detour")
SEEDS = 20
"""Seeds whose solution was shown when nobody dies."""
RUN_S = 600.0
"""A run that has not ended after so long, kills or not, is lost."""


@dataclass
class Runs:
    """Orders, awaits and audits runs."""

    house: House
    take_pulse: Callable[[UUID, Sequence[datetime]], None]
    """Is given the times of an ended run's events."""
    in_flight: dict[UUID, datetime] = field(default_factory=dict[UUID, datetime])
    """Since when."""
    audits: list[Audit] = field(default_factory=list[Audit])
    ended: int = 0
    is_closing: bool = False
    _auditing: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _orders: Iterator[tuple[str, int]] = field(
        default_factory=lambda: zip(cycle(BENCHMARKS), (number // 2 % SEEDS for number in count()), strict=False)
    )

    async def keep_flying(self, at_once: int) -> None:
        """Keep so many runs under way until `is_closing`; return when all have ended and are audited."""
        await asyncio.gather(*(self._one_after_another() for _ in range(at_once)))
        await asyncio.gather(*self._auditing)

    def age_s(self, run_id: UUID) -> float:
        """Return for how long a run has been under way."""
        return (datetime.now(UTC) - self.in_flight[run_id]).total_seconds()

    async def _one_after_another(self) -> None:
        while not self.is_closing:
            benchmark, seed = next(self._orders)
            await self._one(benchmark, seed)

    async def _one(self, benchmark: str, seed: int) -> None:
        loaded = load(benchmark, seed)
        asked = engineering_request(RunOptions(benchmark, seed, "offline", 100, Limits()), loaded)
        await self.house.artifacts.put(loaded.environment_code, CODE_TYPE)
        self.in_flight[asked.run_id] = datetime.now(UTC)
        try:
            async with asyncio.timeout(RUN_S):
                await self.house.bus.publish(asked)
                await self.house.bus.wait_for_end(asked.run_id)
        except TimeoutError:
            print(
                f"    LOST? {benchmark} {seed} {asked.run_id} has not ended within {RUN_S:g} s",
                file=sys.stderr,
                flush=True,
            )
        del self.in_flight[asked.run_id]
        self.ended += 1
        task = asyncio.create_task(self._audit(asked.run_id, f"{benchmark} {seed}"))
        self._auditing.add(task)
        task.add_done_callback(self._forget_unless_failed)

    def _forget_unless_failed(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is None:
            self._auditing.discard(task)

    async def _audit(self, run_id: UUID, name: str) -> None:
        account, said_at = await audit(self.house, run_id, name)
        self.take_pulse(run_id, said_at)
        self.audits.append(account)
        for what in (*account.lost, *account.doubled):
            print(f"    WRONG {name} {run_id}: {what}", file=sys.stderr, flush=True)
        if account.unrecorded:
            print(
                f"    WRONG {name} {run_id}: {account.unrecorded} events only in stream or Postgres",
                file=sys.stderr,
                flush=True,
            )

"""Kills of random processes, and the time until the runs resume."""

import asyncio
import logging
import os
import random
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from contracts.envelope import Event
from local_stack.processes.supervisor import Supervisor

from tests.support.measurements import percentile, table

MIN_PAUSE_S = 0.5
NOTHING = "nothing"
"""No process: the moment counts as a kill, for comparison."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kill:
    """One process that was ended with -9."""

    victim: str
    at: datetime
    in_flight: frozenset[UUID]
    """The runs that were under way."""


@dataclass
class Killer:
    """Kills processes at random times; the same seed gives the same victims and pauses."""

    supervisor: Supervisor
    victims: tuple[str, ...]
    dice: random.Random
    mean_pause_s: float
    kills: list[Kill] = field(default_factory=list[Kill])
    _deck: list[str] = field(default_factory=list[str])

    async def kill_for(self, seconds: float, in_flight: dict[UUID, datetime], only: str | None = None) -> None:
        """Kill one process after another during this time; `only`: always this one."""
        loop = asyncio.get_running_loop()
        end_s = loop.time() + seconds
        while True:
            pause_s = max(MIN_PAUSE_S, self.dice.expovariate(1 / self.mean_pause_s))
            victim = only or self._next_victim()
            if loop.time() + pause_s > end_s:
                await asyncio.sleep(max(0.0, end_s - loop.time()))
                return
            await asyncio.sleep(pause_s)
            self._kill(victim, frozenset(in_flight))

    def _next_victim(self) -> str:
        """Return every victim once, in random order, before any is repeated."""
        if not self._deck:
            self._deck = self.dice.sample(self.victims, len(self.victims))
        return self._deck.pop()

    def _kill(self, victim: str, in_flight: frozenset[UUID]) -> None:
        """Kill a process, unless it is just being restarted."""
        if victim == NOTHING:
            self.kills.append(Kill(victim, datetime.now(UTC), in_flight))
            return
        pid = self.supervisor.pids().get(victim)
        if pid is not None:
            self.kills.append(Kill(victim, datetime.now(UTC), in_flight))
            os.kill(pid, signal.SIGKILL)
            _log.info("killed %s, process %d", victim, pid)


@dataclass(frozen=True, order=True)
class Resumption:
    """How long a run published nothing after a kill, and between which events."""

    seconds: float
    victim: str
    step: str


@dataclass
class ResumeTimes:
    """Times from a kill to the next event of each run that was under way."""

    kills: Sequence[Kill]
    found: list[Resumption] = field(default_factory=list[Resumption])

    def take(self, run_id: UUID, events: Sequence[Event]) -> None:
        """Take one run's events, in any order."""
        ordered = sorted(events, key=lambda event: event.occurred_at)
        for kill in self.kills:
            later = next((event for event in ordered if event.occurred_at > kill.at), None)
            if run_id in kill.in_flight and later is not None:
                earlier = next((each for each in reversed(ordered) if each.occurred_at <= kill.at), None)
                step = f"{earlier.type if earlier else 'nothing'} to {later.type}, {later.role}"
                self.found.append(Resumption((later.occurred_at - kill.at).total_seconds(), kill.victim, step))

    def slowest(self, count: int) -> list[str]:
        """Return the longest times after kills, one line each."""
        killed = sorted((each for each in self.found if each.victim != NOTHING), reverse=True)
        return [f"{each.seconds:.1f} s after {each.victim}: {each.step}" for each in killed[:count]]

    def markdown(self, rows: Mapping[str, Sequence[str]]) -> str:
        """Return a table; each row is for some victims."""
        head = ("killed", "times", "resumed p50 s", "p95 s", "worst s")
        return table(head, [self._row(name, victims) for name, victims in rows.items()])

    def _row(self, name: str, victims: Sequence[str]) -> list[str]:
        kills = sum(kill.victim in victims for kill in self.kills)
        times = [each.seconds for each in self.found if each.victim in victims]
        if len(times) < 2:
            return [name, str(kills), *(["-"] * 3)]
        figures = (percentile(times, 50), percentile(times, 95), max(times))
        return [name, str(kills), *(f"{each:.1f}" for each in figures)]

"""Turns: which pieces of work may use a worker's cores now. Those of the oldest run come first.

Otherwise every run in work would advance a little, and all of them would end late. Turns hold within one process and
are never stored: a lost process loses its turns with its work.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from typing import TypeVar
from uuid import UUID

from contracts.envelope import Event
from contracts.events.run import EngineeringStarted

from chassis.bus import Bus

TURN_S = 20.0
"""A turn is passed on after this time, although its work goes on: endless work delays others, and stops none."""
HEAVY_S = 40.0
"""A run that has worked for so long in this worker comes after those that have not, then the same again."""
SPARE_HANDLERS = 2
MAX_RUNS = 10_000

E = TypeVar("E", bound=Event)
R = TypeVar("R")


def core_count() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(eq=False)
class _Share:
    """How long a run has worked in turns, and after they were passed on."""

    started_at: datetime
    used_s: float = 0.0

    @property
    def rank(self) -> tuple[int, datetime]:
        return int(self.used_s // HEAVY_S), self.started_at


@dataclass(eq=False)
class Turn:
    """One turn, which can be given back before its work has ended."""

    turns: "Turns"
    share: _Share
    counted_s: float
    """Until when its work is counted."""
    is_over: bool = False

    def give_back(self) -> None:
        """Let the next work begin; called again, count the work that went on all the same."""
        now_s = asyncio.get_running_loop().time()
        self.share.used_s += now_s - self.counted_s
        self.counted_s = now_s
        if not self.is_over:
            self.is_over = True
            self.turns.give_back()


class Turns:
    """A number of turns, given to the work of the oldest run first."""

    def __init__(self, bus: Bus, count: int | None = None, turn_s: float = TURN_S) -> None:
        """`count`: by default the number of cores."""
        self.count = count or core_count()
        self._bus = bus
        self._turn_s = turn_s
        self._taken = 0
        self._shares: dict[UUID, _Share] = {}
        self._waiting: list[tuple[_Share, asyncio.Future[Turn]]] = []

    @property
    def handlers(self) -> int:
        """How many requests of a class are taken in hand: more than there are turns, so that the oldest can be chosen.

        Few more: another worker may be idle.
        """
        return self.count + SPARE_HANDLERS

    def in_turn(self, handler: Callable[[E], Awaitable[R]]) -> Callable[[E], Awaitable[R]]:
        """Return a handler that does its work in a turn."""

        @wraps(handler.func if isinstance(handler, partial) else handler)
        async def handle(event: E) -> R:
            async with self.taken(event):
                return await handler(event)

        return handle

    @asynccontextmanager
    async def taken(self, event: Event) -> AsyncGenerator[Turn]:
        """Wait for a turn of the event's run, and hold it inside the block, but no longer than `turn_s`."""
        share = await self._share_of(event)
        turn = await self._take(share)
        passing_on = asyncio.get_running_loop().call_later(self._turn_s, turn.give_back)
        try:
            yield turn
        finally:
            passing_on.cancel()
            turn.give_back()

    def give_back(self) -> None:
        """Give a turn to the next work; called by the turn, once."""
        self._taken -= 1
        self._pass_on()

    async def _take(self, share: _Share) -> Turn:
        granted: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        waiter = (share, granted)
        self._waiting.append(waiter)
        self._pass_on()
        try:
            return await granted
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            elif not granted.cancelled():
                granted.result().give_back()
            raise

    def _pass_on(self) -> None:
        while self._taken < self.count and self._waiting:
            first = min(self._waiting, key=lambda each: each[0].rank)
            self._waiting.remove(first)
            share, granted = first
            if not granted.cancelled():
                self._taken += 1
                granted.set_result(Turn(self, share, asyncio.get_running_loop().time()))

    async def _share_of(self, event: Event) -> _Share:
        """Return the share of the event's run; a run older than the queue counts from its first event here."""
        if event.run_id not in self._shares:
            started = await self._bus.latest(EngineeringStarted, event.run_id)
            self._shares.setdefault(event.run_id, _Share((started or event).occurred_at))
            if len(self._shares) > MAX_RUNS:
                del self._shares[next(iter(self._shares))]
        return self._shares[event.run_id]

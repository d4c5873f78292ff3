"""Puts the doubles in place of sockets, threads and clocks, in the modules that use them. The rest is the product."""

# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false
# Doubles stand in for private parts, too.

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any, TypeVar
from unittest.mock import patch

import agent.loop.thread
import agent.role_app
import chassis.app
import chassis.delivery.consumer_registry
import chassis.delivery.keepalive
import chassis.delivery.subscription
import chassis.leases.bucket
import chassis.leases.lease
import chassis.retry
import contracts.envelope

from tests.simulation.doubles.nats_client import FakeBroker, FakeClient, FakeSubscriber, Wire
from tests.simulation.doubles.thread_store import PlainGraph
from tests.simulation.event_loop import VirtualLoop, current_process

T = TypeVar("T")

SWEEP_EVERY_S = 60.0
"""Ten times as often as in the product, so that schedules end sooner."""
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class InlineLoop:
    """`chassis.background_tasks.LoopThread` on the loop of the process itself."""

    def __init__(self, _name: str) -> None:
        self._is_running = False

    async def start(self, first: Coroutine[Any, Any, None]) -> None:
        """Run `first` here."""
        self._is_running = True
        await self.run(first)

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` here; a cancellation reaches it."""
        return await asyncio.create_task(work)

    async def stop(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `last` here, once."""
        if self._is_running:
            await self.run(last())
            self._is_running = False


class Clocks:
    """The clocks of the process that asks; they differ by their offsets and, a little, in their speed."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def monotonic(self) -> float:
        """Return what `time.monotonic` returns."""
        process = current_process()
        return self._loop.now_s if process is None else process.clock_offset_s + self._loop.now_s * process.clock_rate

    def clock_gettime(self, _clock: int) -> float:
        """Return what `time.clock_gettime` returns."""
        return self.monotonic()

    def wall(self) -> datetime:
        """Return the time of day."""
        process = current_process()
        return EPOCH + timedelta(seconds=self._loop.now_s + (0.0 if process is None else process.wall_skew_s))


def _datetime_of(clocks: Clocks) -> type[datetime]:
    class VirtualDatetime(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # pyright: ignore[reportIncompatibleMethodOverride]
            return clocks.wall().astimezone(tz)

    return VirtualDatetime


async def _inline(function: Callable[..., T], /, *arguments: Any, **keywords: Any) -> T:
    """Run what a thread would run; the caller waits a moment, as for a thread."""
    await asyncio.sleep(0)
    return function(*arguments, **keywords)


async def _connect(broker: FakeBroker, *_arguments: Any) -> FakeClient:
    return await broker.connect()


async def _disconnect(broker: FakeBroker) -> None:
    await broker.stop()


@contextmanager
def virtual_world(
    loop: VirtualLoop, wire: Wire, seed: int, more: Sequence[tuple[Any, str, Any]] = ()
) -> Generator[None]:
    """Let everything that the product does inside the block happen in virtual time, on servers in memory.

    `more` are further replacements: owner, name and double.
    """
    clocks, state = Clocks(loop), random.getstate()
    random.seed(seed)
    virtual_datetime = _datetime_of(clocks)
    graph: Any = cached_property(PlainGraph)
    graph.__set_name__(agent.loop.thread.RoleGraph, "_compiled")
    replacements: list[tuple[Any, str, Any]] = [
        (time, "monotonic", clocks.monotonic),
        (time, "clock_gettime", clocks.clock_gettime),
        (asyncio, "to_thread", _inline),
        (contracts.envelope, "datetime", virtual_datetime),
        (chassis.delivery.subscription, "datetime", virtual_datetime),
        (chassis.retry, "datetime", virtual_datetime),
        (chassis.app, "make_broker", lambda *_: FakeBroker(wire)),
        (chassis.app, "connect", _connect),
        (chassis.app, "disconnect", _disconnect),
        (chassis.delivery.keepalive, "Client", lambda: FakeClient(wire)),
        (chassis.delivery.keepalive, "LoopThread", InlineLoop),
        (chassis.leases.bucket, "Client", lambda: FakeClient(wire)),
        (chassis.leases.lease, "LoopThread", InlineLoop),
        (chassis.delivery.consumer_registry, "PullStreamSubscriber", FakeSubscriber),
        (agent.loop.thread.RoleGraph, "_compiled", graph),
        (agent.role_app, "SWEEP_EVERY_S", SWEEP_EVERY_S),
    ]
    with ExitStack() as stack:
        for owner, name, double in (*replacements, *more):
            stack.enter_context(patch.object(owner, name, double))
        try:
            yield
        finally:
            random.setstate(state)

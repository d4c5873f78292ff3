"""Events per second that one process publishes or consumes, each validated; a new server for each rate."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median
from typing import Protocol, TypeVar
from uuid import uuid4

from chassis.app import App
from chassis.settings import BusSettings
from chassis.stream.connection import connected
from chassis.subjects import STREAM
from contracts.envelope import Event
from contracts.events.session import CellCompleted, CellRequested
from faststream.nats import JStream, NatsBroker, PullSub
from nats.js import JetStreamContext

from perf.messaging.sample import FIRST, REQUESTER, SECOND, completed, requested
from perf.messaging.services import one_server
from tests.support.measurements import table

IN_FLIGHT = 64
WORKERS = 32
REPEATED_EVERY = 10
"""One event in this many is published a second time, and must not be stored."""
POLL_S = 0.01
TURNS = 3


@dataclass(frozen=True)
class Rate:
    """Events per second."""

    name: str
    per_s: float
    per_cpu_s: float
    """Events per second of CPU time of this process; other load on the machine has little effect on it."""


class Stopwatch:
    """Measures wall time and CPU time since its construction."""

    def __init__(self) -> None:
        self._began_s = time.perf_counter()
        self._cpu_began_s = time.process_time()

    def rate(self, name: str, count: int) -> Rate:
        """Return the rate of `count` events since the start."""
        spent_s, cpu_s = time.perf_counter() - self._began_s, time.process_time() - self._cpu_began_s
        return Rate(name, count / spent_s, count / cpu_s)


class Startable(Protocol):
    """An app of the chassis, or a broker of FastStream."""

    async def start(self) -> None:
        """Begin to consume."""
        ...

    async def stop(self) -> None:
        """End."""
        ...


S = TypeVar("S", bound=Startable)


async def rates_table(count: int) -> str:
    """Measure each rate `TURNS` times, in turns, with `count` events; return the medians as a table."""
    measures = (_published, _consumed, _answered, _skipped, _published_by_faststream, _consumed_by_faststream)
    rates: dict[str, list[Rate]] = {}
    for _ in range(TURNS):
        for measure in measures:
            async with one_server() as settings:
                rate = await measure(settings, count)
            rates.setdefault(rate.name, []).append(rate)
    rows = [
        (name, f"{median(each.per_s for each in of):,.0f}", f"{median(each.per_cpu_s for each in of):,.0f}")
        for name, of in rates.items()
    ]
    return table(("one process", "events/s", "per second of CPU"), rows)


async def _published(settings: BusSettings, count: int) -> Rate:
    requests = _requests(count)
    events = [*requests, *requests[::REPEATED_EVERY]]
    async with _started(App(REQUESTER, settings)) as app:
        watch = Stopwatch()
        stored = await _all_at_once(events, app.bus.publish)
        name = f"chassis publishes, first stored wins, one in {REPEATED_EVERY} a repetition; {IN_FLIGHT} in flight"
        rate = watch.rate(name, len(events))
    assert stored.count(True) == count, f"{stored.count(True)} of {count} events count as stored"
    return rate


async def _consumed(settings: BusSettings, count: int) -> Rate:
    await _fill(settings, [completed(request) for request in _requests(count)])
    app = App(SECOND, settings)
    app.subscribes(CellCompleted, _consume, workers=WORKERS)
    name = f"chassis consumes: validated, run looked up, handled, acked; {WORKERS} workers"
    return await _drained(name, settings, app, STREAM, "engineer-hears-cell-completed", count)


async def _answered(settings: BusSettings, count: int) -> Rate:
    await _fill(settings, _requests(count))
    name = f"chassis answers: validated, looked up, handled, outcome stored once, acked; {WORKERS} workers"
    return await _drained(name, settings, _answering(settings), STREAM, "cad-worker-cell-requested", count)


async def _skipped(settings: BusSettings, count: int) -> Rate:
    requests = _requests(count)
    await _fill(settings, [*requests, *map(completed, requests)])
    name = f"chassis skips answered requests: validated, looked up, acked; {WORKERS} workers"
    return await _drained(name, settings, _answering(settings), STREAM, "cad-worker-cell-requested", count)


async def _published_by_faststream(settings: BusSettings, count: int) -> Rate:
    requests = _requests(count)
    async with _started(_broker(settings)) as broker:
        watch = Stopwatch()
        await _all_at_once(requests, lambda event: broker.publish(event, "FAST.events", stream="FAST"))
        return watch.rate(f"plain FastStream publishes; {IN_FLIGHT} in flight", count)


async def _consumed_by_faststream(settings: BusSettings, count: int) -> Rate:
    async with _started(_broker(settings)) as filling:
        answers = [completed(request) for request in _requests(count)]
        await _all_at_once(answers, lambda event: filling.publish(event, "FAST.events", stream="FAST"))
    name = f"plain FastStream consumes: validated, handled, acked; {WORKERS} subscribers"
    return await _drained(name, settings, _broker(settings, WORKERS), "FAST", "consumer", count)


async def _consume(_: CellCompleted) -> Sequence[Event]:
    return ()


async def _answer(request: CellRequested) -> CellCompleted:
    return completed(request)


def _answering(settings: BusSettings) -> App:
    app = App(FIRST, settings)
    app.answers(CellRequested, _answer, workers=WORKERS)
    return app


def _broker(settings: BusSettings, subscribers: int = 0) -> NatsBroker:
    broker = NatsBroker(settings.nats_url, logger=None)
    stream = JStream("FAST", subjects=["FAST.>"])  # a broker declares the stream object that it meets first
    broker.publisher("FAST.events", stream=stream)
    for _ in range(subscribers):
        broker.subscriber("FAST.events", stream=stream, durable="consumer", pull_sub=PullSub())(_consume)
    return broker


def _requests(count: int) -> list[CellRequested]:
    run_id = uuid4()
    return [requested(run_id, step) for step in range(count)]


async def _fill(settings: BusSettings, events: Sequence[Event]) -> None:
    async with _started(App(REQUESTER, settings)) as app:
        await _all_at_once(events, app.bus.publish)


async def _all_at_once(events: Sequence[Event], publish: Callable[[Event], Awaitable[object]]) -> list[object]:
    turns = asyncio.Semaphore(IN_FLIGHT)

    async def one(event: Event) -> object:
        async with turns:
            return await publish(event)

    return await asyncio.gather(*map(one, events))


async def _drained(  # noqa: PLR0913, PLR0917 - each is one property of the measurement
    name: str, settings: BusSettings, app: Startable, stream: str, durable: str, count: int
) -> Rate:
    """Start an app and return the rate at which it consumed all events, its start included."""
    watch = Stopwatch()
    async with _started(app), connected("counting", settings) as client:
        jetstream = client.jetstream()
        while await _acknowledged(jetstream, stream, durable) < count:  # noqa: ASYNC110 - the server has the count, and no event for it
            await asyncio.sleep(POLL_S)
        return watch.rate(name, count)


async def _acknowledged(jetstream: JetStreamContext, stream: str, durable: str) -> int:
    info = await jetstream.consumer_info(stream, durable)
    return info.ack_floor.consumer_seq if info.ack_floor else 0


@asynccontextmanager
async def _started(app: S) -> AsyncGenerator[S]:
    await app.start()
    try:
        yield app
    finally:
        await app.stop()

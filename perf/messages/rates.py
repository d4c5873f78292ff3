"""How many events a second one process gets through, each validated and deduplicated. A fresh server for each."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar
from uuid import uuid4

import nats
from chassis.app import App
from chassis.settings import BusSettings
from chassis.streams import STREAM
from contracts.envelope import Event
from contracts.session import CellCompleted, CellRequested
from faststream.nats import JStream, NatsBroker, PullSub
from nats.js.errors import NotFoundError

from perf.messages.ground import one_server
from perf.messages.sample import ASKER, FIRST, SECOND, completed, requested
from perf.messages.timing import table

IN_FLIGHT = 64
WORKERS = 32
REPEATED_EVERY = 10
"""Every so many-th event is published a second time, and has to be refused."""
LOOK_EVERY_S = 0.01

Row = tuple[str, str]


class Startable(Protocol):
    """An app, or a broker of FastStream's."""

    async def start(self) -> None:
        """Begin to consume."""
        ...

    async def stop(self) -> None:
        """End."""
        ...


S = TypeVar("S", bound=Startable)


async def rates_table(count: int) -> str:
    """Measure everything with `count` events each."""
    rows: list[Row] = []
    for measure in (_published, _heard, _answered, _recognised, _published_by_faststream, _heard_by_faststream):
        async with one_server() as settings:
            rows.append(await measure(settings, count))
    return table(("one process", "events/s"), rows)


async def _published(settings: BusSettings, count: int) -> Row:
    requests = _requests(count)
    events = [*requests, *requests[::REPEATED_EVERY]]
    async with _started(App(ASKER, settings)) as app:
        began = time.perf_counter()
        stored = await _all_at_once(events, app.bus.publish)
        spent_s = time.perf_counter() - began
    assert stored.count(True) == count, f"{stored.count(True)} of {count} events count as stored"
    what = f"chassis publishes, first stored wins, one in {REPEATED_EVERY} a repetition; {IN_FLIGHT} in flight"
    return what, f"{len(events) / spent_s:,.0f}"


async def _heard(settings: BusSettings, count: int) -> Row:
    await _fill(settings, [completed(request) for request in _requests(count)])
    app = App(SECOND, settings)
    app.hears(CellCompleted, _hear, workers=WORKERS)
    rate = await _drained(settings, app, STREAM, "engineer-hears-cell-completed", count)
    return f"chassis hears: validated, run looked up, handled, acked; {WORKERS} workers", rate


async def _answered(settings: BusSettings, count: int) -> Row:
    await _fill(settings, _requests(count))
    rate = await _drained(settings, _answering(settings), STREAM, "cad-worker-cell-requested", count)
    return f"chassis answers: validated, looked up, handled, outcome stored once, acked; {WORKERS} workers", rate


async def _recognised(settings: BusSettings, count: int) -> Row:
    requests = _requests(count)
    await _fill(settings, [*requests, *map(completed, requests)])
    rate = await _drained(settings, _answering(settings), STREAM, "cad-worker-cell-requested", count)
    return f"chassis recognises what is answered: validated, looked up, acked; {WORKERS} workers", rate


async def _published_by_faststream(settings: BusSettings, count: int) -> Row:
    requests = _requests(count)
    async with _started(_broker(settings)) as broker:
        began = time.perf_counter()
        await _all_at_once(requests, lambda event: broker.publish(event, "FAST.heard", stream="FAST"))
        spent_s = time.perf_counter() - began
    return f"plain FastStream publishes; {IN_FLIGHT} in flight", f"{count / spent_s:,.0f}"


async def _heard_by_faststream(settings: BusSettings, count: int) -> Row:
    async with _started(_broker(settings)) as filling:
        answers = [completed(request) for request in _requests(count)]
        await _all_at_once(answers, lambda event: filling.publish(event, "FAST.heard", stream="FAST"))
    rate = await _drained(settings, _broker(settings, WORKERS), "FAST", "heard", count)
    return f"plain FastStream hears: validated, handled, acked; {WORKERS} subscribers", rate


async def _hear(_: CellCompleted) -> Sequence[Event]:
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
    broker.publisher("FAST.heard", stream=stream)
    for _ in range(subscribers):
        broker.subscriber("FAST.heard", stream=stream, durable="heard", pull_sub=PullSub())(_hear)
    return broker


def _requests(count: int) -> list[CellRequested]:
    run_id = uuid4()
    return [requested(run_id, step) for step in range(count)]


async def _fill(settings: BusSettings, events: Sequence[Event]) -> None:
    async with _started(App(ASKER, settings)) as app:
        await _all_at_once(events, app.bus.publish)


async def _all_at_once(events: Sequence[Event], publish: Callable[[Event], Awaitable[object]]) -> list[object]:
    turns = asyncio.Semaphore(IN_FLIGHT)

    async def one(event: Event) -> object:
        async with turns:
            return await publish(event)

    return await asyncio.gather(*map(one, events))


async def _drained(settings: BusSettings, app: Startable, stream: str, durable: str, count: int) -> str:
    """Start an app and return how many events a second it worked off, its start included."""
    began = time.perf_counter()
    async with _started(app):
        client = await nats.connect(settings.nats_url)
        jetstream = client.jetstream()
        while True:
            try:
                info = await jetstream.consumer_info(stream, durable)
            except NotFoundError:
                continue
            if info.ack_floor is not None and info.ack_floor.consumer_seq >= count:
                break
            await asyncio.sleep(LOOK_EVERY_S)
        spent_s = time.perf_counter() - began
        await client.close()
    return f"{count / spent_s:,.0f}"


@asynccontextmanager
async def _started(app: S) -> AsyncGenerator[S]:
    await app.start()
    try:
        yield app
    finally:
        await app.stop()

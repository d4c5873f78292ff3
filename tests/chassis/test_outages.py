"""An outage is waited out in place: it uses up no try and is told."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest
from chassis.app import App
from chassis.delivery.raw_reader import RawMessage
from chassis.errors import DrainingError
from chassis.recovery.outages import Outages
from chassis.stream.subjects import STREAM
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]
UntilSettled = Callable[[str], Awaitable[None]]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


class StorageAwayError(OSError):
    """What a database's client would raise."""


class Storage:
    """Something that a handler needs, and that may be away."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self.is_there = False
        self.calls = 0
        self.called = asyncio.Event()

    async def simulate(self, request: SimulationRequested) -> SimulationFailed:
        self.calls += 1
        self.called.set()
        if not self.is_there:
            raise StorageAwayError("connection refused")
        return self._refuse(request)


async def test_an_outage_longer_than_all_tries_costs_none(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext, eventually: Eventually
) -> None:
    """Three tries would be over within a second, and the ack wait is 0.6 s: neither counts."""
    storage = Storage(refuse)
    app = make_app("sim-worker")
    app.retries_on(StorageAwayError)
    app.answers(SimulationRequested, storage.simulate)
    await app.start()
    asking = asyncio.create_task(app.bus.ask(ask_for()))

    async def tried_often() -> bool:
        return storage.calls > 5

    await eventually(tried_often)
    (problem,) = await app.health()
    assert "waits since" in problem
    assert "StorageAwayError: connection refused" in problem
    storage.is_there = True
    assert isinstance(await asking, SimulationFailed)
    assert await app.health() == []
    info = await raw.consumer_info(STREAM, "sim-worker-simulation-requested")
    assert info.delivered is not None
    assert info.delivered.consumer_seq == 1


async def test_waiting_ends_with_the_run(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, end: End, until_settled: UntilSettled
) -> None:
    storage = Storage(refuse)
    app = make_app("sim-worker")
    app.retries_on(StorageAwayError)
    app.answers(SimulationRequested, storage.simulate)
    await app.start()
    await app.bus.publish(ask_for())
    await storage.called.wait()
    await app.bus.publish(end())
    await until_settled("sim-worker-simulation-requested")
    assert await app.health() == []


async def test_a_stopping_app_leaves_what_waits_to_the_next(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, eventually: Eventually
) -> None:
    away, there = Storage(refuse), Storage(refuse)
    there.is_there = True
    app, successor = (make_app("sim-worker", bus_drain_s=60.0, bus_ack_wait_s=60.0) for _ in range(2))
    app.retries_on(StorageAwayError)
    app.answers(SimulationRequested, away.simulate)
    successor.answers(SimulationRequested, there.simulate)
    await app.start()
    request = ask_for()
    await app.bus.publish(request)

    async def waits() -> bool:
        return away.calls > 0

    await eventually(waits)
    await app.stop()
    await successor.start()
    assert isinstance(await successor.bus.ask(request), SimulationFailed)


async def test_a_recorder_waits_with_its_batch_in_hand(make_app: MakeApp, end: End, eventually: Eventually) -> None:
    batches: list[list[int]] = []

    async def record(batch: list[RawMessage]) -> None:
        batches.append([each.sequence for each in batch])
        if len(batches) <= 5:
            raise StorageAwayError("no database")

    app = make_app("recorder")
    app.retries_on(StorageAwayError)
    app.records(record, batch_size=10)
    await app.start()
    for _ in range(3):
        await app.bus.publish(end())

    async def all_are_recorded() -> bool:
        return sum(len(batch) for batch in batches[5:]) >= 3

    await eventually(all_are_recorded)
    assert batches[:5] == [batches[0]] * 5
    assert sorted(sequence for batch in batches[5:] for sequence in batch) == [1, 2, 3]


async def test_the_log_says_it_at_first_and_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    tries = 0

    async def work() -> int:
        nonlocal tries
        tries += 1
        if tries < 5:
            raise StorageAwayError("refused")
        return tries

    outages = Outages(first_pause_s=0.001)
    outages.add_errors(StorageAwayError)
    with caplog.at_level(logging.WARNING):
        assert await outages.retry("a cell", work) == 5
    assert [record.message for record in caplog.records] == [
        "a cell waits until this is over: StorageAwayError: refused",
        "a cell: back after 4 tries",
    ]


async def test_what_is_no_outage_passes_at_once() -> None:
    async def work() -> None:
        raise ValueError("a surprise")

    outages = Outages(first_pause_s=60.0)
    outages.add_errors(StorageAwayError)
    with pytest.raises(ValueError, match="a surprise"):
        await outages.retry("a cell", work)


async def test_a_drain_ends_every_wait() -> None:
    async def work() -> None:
        raise StorageAwayError("refused")

    outages = Outages(first_pause_s=60.0)
    outages.add_errors(StorageAwayError)
    waiting = asyncio.create_task(outages.retry("a cell", work))
    await asyncio.sleep(0)
    outages.drain()
    with pytest.raises(DrainingError, match="a cell was stopped while it waited"):
        await waiting
    assert outages.problems() == []

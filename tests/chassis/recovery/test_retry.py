"""Retries, and outages: handlers wait for their end without a counted attempt."""

import asyncio
import logging
import statistics

import pytest
from chassis.app import App
from chassis.delivery.batch_reader import RawMessage
from chassis.errors import DrainingError
from chassis.retry import Outages, backoff_s
from chassis.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import Eventually, MakeApp, MakeEnd, MakeRequest, UntilSettled
from tests.chassis.outcomes import outcome_of


class StorageUnavailableError(OSError):
    """Such as a database's client raises."""


class Storage:
    """A dependency of a handler, unavailable at first."""

    def __init__(self) -> None:
        self.is_available = False
        self.calls = 0
        self.called = asyncio.Event()

    async def simulate(self, request: SimulationRequested) -> SimulationFailed:
        self.calls += 1
        self.called.set()
        if not self.is_available:
            raise StorageUnavailableError("connection refused")
        return outcome_of(request)


async def _start(app: App, storage: Storage) -> None:
    app.retries_on(StorageUnavailableError)
    app.answers(SimulationRequested, storage.simulate)
    await app.start()


async def test_outage_longer_than_all_attempts_counts_as_none(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext, eventually: Eventually
) -> None:
    """Three attempts would be over within a second, and the ack wait is 0.6 s."""
    storage, app = Storage(), make_app("sim-worker")
    await _start(app, storage)
    asking = asyncio.create_task(app.bus.ask(make_request()))

    async def was_called_often() -> bool:
        return storage.calls > 5

    await eventually(was_called_often)
    (problem,) = await app.health()
    assert "waits since" in problem
    assert "StorageUnavailableError: connection refused" in problem
    storage.is_available = True
    assert isinstance(await asking, SimulationFailed)
    assert await app.health() == []
    info = await js.consumer_info(STREAM, "sim-worker-simulation-requested")
    assert info.delivered is not None
    assert info.delivered.consumer_seq == 1


async def test_waiting_for_an_outage_ends_with_the_run(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd, until_settled: UntilSettled
) -> None:
    storage, app = Storage(), make_app("sim-worker")
    await _start(app, storage)
    await app.bus.publish(make_request())
    await storage.called.wait()
    await app.bus.publish(make_end())
    await until_settled("sim-worker-simulation-requested")
    assert await app.health() == []


async def test_stopping_app_leaves_waiting_messages_to_the_next(
    make_app: MakeApp, make_request: MakeRequest, eventually: Eventually
) -> None:
    unavailable, available = Storage(), Storage()
    available.is_available = True
    app, successor = (make_app("sim-worker", bus_drain_s=60.0, bus_ack_wait_s=60.0) for _ in range(2))
    successor.answers(SimulationRequested, available.simulate)
    await _start(app, unavailable)
    request = make_request()
    await app.bus.publish(request)

    async def is_waiting() -> bool:
        return unavailable.calls > 0

    await eventually(is_waiting)
    await app.stop()
    await successor.start()
    assert isinstance(await successor.bus.ask(request), SimulationFailed)


async def test_batch_waits_for_the_end_of_an_outage(
    make_app: MakeApp, make_end: MakeEnd, eventually: Eventually
) -> None:
    batches: list[list[int]] = []

    async def record(batch: list[RawMessage]) -> None:
        batches.append([each.sequence for each in batch])
        if len(batches) <= 5:
            raise StorageUnavailableError("no database")

    app = make_app("recorder")
    app.retries_on(StorageUnavailableError)
    app.records(record, batch_size=10)
    await app.start()
    for _ in range(3):
        await app.bus.publish(make_end())

    async def all_are_recorded() -> bool:
        return sum(len(batch) for batch in batches[5:]) >= 3

    await eventually(all_are_recorded)
    assert batches[:5] == [batches[0]] * 5
    assert sorted(sequence for batch in batches[5:] for sequence in batch) == [1, 2, 3]


async def test_outage_is_logged_once_at_start_and_end(caplog: pytest.LogCaptureFixture) -> None:
    calls = 0

    async def work() -> int:
        nonlocal calls
        calls += 1
        if calls < 5:
            raise StorageUnavailableError("refused")
        return calls

    outages = Outages(first_pause_s=0.001)
    outages.add_errors(StorageUnavailableError)
    with caplog.at_level(logging.WARNING):
        assert await outages.retry("a cell", work) == 5
    begin, end = [record.message for record in caplog.records]
    assert "a cell" in begin
    assert "StorageUnavailableError: refused" in begin
    assert "after 4 attempts" in end


async def test_other_errors_are_raised_at_once() -> None:
    async def work() -> None:
        raise ValueError("not an outage")

    outages = Outages(first_pause_s=60.0)
    outages.add_errors(StorageUnavailableError)
    with pytest.raises(ValueError, match="not an outage"):
        await outages.retry("a cell", work)


async def test_drain_ends_all_waiting() -> None:
    async def work() -> None:
        raise StorageUnavailableError("refused")

    outages = Outages(first_pause_s=60.0)
    outages.add_errors(StorageUnavailableError)
    waiting = asyncio.create_task(outages.retry("a cell", work))
    await asyncio.sleep(0)
    outages.drain()
    with pytest.raises(DrainingError, match="a cell"):
        await waiting
    assert outages.problems() == []


def test_pauses_double_up_to_a_limit_and_vary() -> None:
    pauses = {attempt: [backoff_s(attempt, 1.0, 30.0) for _ in range(200)] for attempt in (1, 2, 5, 6, 40)}
    for attempt, middle_s in ((1, 1.0), (2, 2.0), (5, 16.0), (6, 30.0), (40, 30.0)):
        assert all(0.75 * middle_s <= each <= 1.25 * middle_s for each in pauses[attempt])
        assert statistics.stdev(pauses[attempt]) > 0.05 * middle_s

"""Durable consumers are brought back to their configuration when an operator changes or deletes them."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from chassis.app import App
from chassis.delivery.batch_reader import RawMessage
from chassis.delivery.reconciliation import RELIED_ON, differences
from chassis.errors import BusUnavailableError
from chassis.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DeliverPolicy

from tests.chassis.fixture_types import Eventually, MakeApp, MakeEnd, MakeRequest, UntilHealthy
from tests.chassis.outcomes import outcome_of

DURABLE = "sim-worker-simulation-requested"


@pytest.fixture
def make_worker(make_app: MakeApp) -> Callable[..., App]:
    """Apps that answer simulation requests."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await asyncio.sleep(0.005)
        return outcome_of(request)

    def make(**changes: float) -> App:
        app = make_app("sim-worker", **changes)
        app.answers(SimulationRequested, simulate, workers=2)
        return app

    return make


@pytest.fixture
async def app(make_worker: Callable[[], App]) -> App:
    """A started worker."""
    app = make_worker()
    await app.start()
    return app


Changed = tuple[dict[str, Any], str]


@pytest.mark.parametrize(
    "changed",
    [
        ({"ack_wait": 60.0}, "ack_wait is 60.0 and must be 0.6"),
        (
            {"filter_subject": "mw.other.thing.*.*.*"},
            "filter_subject is mw.other.thing.*.*.* and must be mw.simulation.requested",
        ),
        ({"max_ack_pending": 1}, "max_ack_pending is 1 and must be 1000"),
        ({"max_deliver": 3}, "max_deliver is 3 and must be -1"),
        ({"backoff": [0.1, 0.2], "max_deliver": 5}, "backoff is [0.1, 0.2] and must be none"),
    ],
)
async def test_changed_consumer_is_logged_and_restored(
    app: App, make_request: MakeRequest, js: JetStreamContext, changed: Changed, caplog: pytest.LogCaptureFixture
) -> None:
    change, difference = changed
    config = (await js.consumer_info(STREAM, DURABLE)).config
    with caplog.at_level(logging.WARNING):
        await js.add_consumer(STREAM, replace(config, **change))
        await _logged(caplog, difference)
    assert f"consumer {DURABLE} is declared again" in caplog.text
    assert isinstance(await app.bus.ask(make_request()), SimulationFailed)
    assert differences(config, (await js.consumer_info(STREAM, DURABLE)).config) == []


async def test_health_names_changed_fields(make_worker: Callable[..., App], js: JetStreamContext) -> None:
    app = make_worker(bus_watch_s=3600.0)
    await app.start()
    config = (await js.consumer_info(STREAM, DURABLE)).config
    await js.add_consumer(STREAM, replace(config, ack_wait=60.0, max_ack_pending=7))
    (problem,) = await app.health()
    assert problem == (
        f"consumer {DURABLE} was changed: ack_wait is 60.0 and must be 0.6; max_ack_pending is 7 and must be 1000"
    )


async def test_consumer_that_cannot_be_updated_is_named_with_the_remedy(
    app: App,
    make_worker: Callable[[], App],
    js: JetStreamContext,
    until_healthy: UntilHealthy,
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = (await js.consumer_info(STREAM, DURABLE)).config
    await js.delete_consumer(STREAM, DURABLE)
    await js.add_consumer(STREAM, replace(config, deliver_policy=DeliverPolicy.NEW))
    assert await app.health() == [f"consumer {DURABLE} was changed: deliver_policy is new and must be all"]
    await _logged(caplog, "Delete it")
    with pytest.raises(BusUnavailableError, match="deliver policy can not be updated"):
        await make_worker().start()
    await js.delete_consumer(STREAM, DURABLE)
    await until_healthy(app)


async def test_consumer_deleted_during_work_comes_back_without_loss(
    app: App, make_request: MakeRequest, js: JetStreamContext, until_healthy: UntilHealthy
) -> None:
    requests = [make_request(seed) for seed in range(40)]
    asking = asyncio.gather(*(app.bus.ask(request) for request in requests))
    for _ in range(3):
        await asyncio.sleep(0.1)
        await js.delete_consumer(STREAM, DURABLE)
        await until_healthy(app)
    assert all(isinstance(outcome, SimulationFailed) for outcome in await asking)
    history = await app.bus.history(requests[0].run_id)
    assert len(history) == 80
    assert len({event.id for event in history}) == 80


async def test_deleted_consumer_of_a_batch_reader_comes_back(
    make_app: MakeApp, make_end: MakeEnd, js: JetStreamContext, eventually: Eventually
) -> None:
    read: set[int] = set()

    async def record(batch: list[RawMessage]) -> None:
        read.update(each.sequence for each in batch)

    app = make_app("recorder")
    app.records(record, batch_size=10)
    await app.start()
    await app.bus.publish(make_end())
    await js.delete_consumer(STREAM, "recorder-records")
    await app.bus.publish(make_end().model_copy(update={"run_id": uuid4()}))

    async def both_are_read() -> bool:
        return read == {1, 2}

    await eventually(both_are_read)


def test_every_field_relied_on_exists() -> None:
    assert all(hasattr(ConsumerConfig(), field) for field in RELIED_ON)


async def _logged(caplog: pytest.LogCaptureFixture, text: str) -> None:
    while text not in caplog.text:  # noqa: ASYNC110 - a log sets no event
        await asyncio.sleep(0.02)

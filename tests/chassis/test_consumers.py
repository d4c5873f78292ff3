"""Durable consumers are as the app wants them, whatever somebody's hands do to them."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from chassis.app import App
from chassis.delivery.raw_reader import RawMessage
from chassis.delivery.reconciliation import RELIED_ON, differences
from chassis.errors import BusUnavailableError
from chassis.stream.subjects import STREAM
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DeliverPolicy

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]
UntilWell = Callable[[App], Awaitable[None]]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]

DURABLE = "sim-worker-simulation-requested"


@pytest.fixture
def another(make_app: MakeApp, refuse: Refuse) -> Callable[..., App]:
    """A service that answers simulations."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await asyncio.sleep(0.005)
        return refuse(request)

    def make(**changes: float) -> App:
        app = make_app("sim-worker", **changes)
        app.answers(SimulationRequested, simulate, workers=2)
        return app

    return make


@pytest.fixture
async def app(another: Callable[[], App]) -> App:
    """One at work."""
    app = another()
    await app.start()
    return app


Changed = tuple[dict[str, Any], str]


@pytest.mark.parametrize(
    "changed",
    [
        ({"ack_wait": 60.0}, "ack_wait is 60.0 and must be 0.6"),
        (
            {"filter_subject": "mw.no.body.*.*.*"},
            "filter_subject is mw.no.body.*.*.* and must be mw.simulation.requested",
        ),
        ({"max_ack_pending": 1}, "max_ack_pending is 1 and must be 1000"),
        ({"max_deliver": 3}, "max_deliver is 3 and must be -1"),
        ({"backoff": [0.1, 0.2], "max_deliver": 5}, "backoff is [0.1, 0.2] and must be none"),
    ],
)
async def test_what_somebody_changes_is_told_and_brought_back_while_the_app_works(
    app: App, ask_for: Ask, raw: JetStreamContext, changed: Changed, caplog: pytest.LogCaptureFixture
) -> None:
    change, told = changed
    config = (await raw.consumer_info(STREAM, DURABLE)).config
    with caplog.at_level(logging.WARNING):
        await raw.add_consumer(STREAM, replace(config, **change))
        await _logged(caplog, told)
    assert "is declared anew: " in caplog.text
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)
    assert differences(config, (await raw.consumer_info(STREAM, DURABLE)).config) == []


async def test_health_names_what_was_changed(another: Callable[..., App], raw: JetStreamContext) -> None:
    app = another(bus_watch_s=3600.0)
    await app.start()
    config = (await raw.consumer_info(STREAM, DURABLE)).config
    await raw.add_consumer(STREAM, replace(config, ack_wait=60.0, max_ack_pending=7))
    (problem,) = await app.health()
    assert problem == (
        f"consumer {DURABLE} was changed: ack_wait is 60.0 and must be 0.6; max_ack_pending is 7 and must be 1000"
    )


async def test_a_consumer_that_was_made_otherwise_and_cannot_be_changed_is_named_with_the_mend(
    app: App, another: Callable[[], App], raw: JetStreamContext, until_well: UntilWell, caplog: pytest.LogCaptureFixture
) -> None:
    config = (await raw.consumer_info(STREAM, DURABLE)).config
    await raw.delete_consumer(STREAM, DURABLE)
    await raw.add_consumer(STREAM, replace(config, deliver_policy=DeliverPolicy.NEW))
    assert await app.health() == [f"consumer {DURABLE} was changed: deliver_policy is new and must be all"]
    await _logged(caplog, "Delete it: it is created anew")
    with pytest.raises(BusUnavailableError, match="cannot be made what it must be: deliver policy can not be updated"):
        await another().start()
    await raw.delete_consumer(STREAM, DURABLE)
    await until_well(app)


async def test_a_consumer_deleted_in_the_middle_of_work_comes_back_and_loses_nothing(
    app: App, ask_for: Ask, raw: JetStreamContext, until_well: UntilWell
) -> None:
    requests = [ask_for(seed) for seed in range(100)]
    asking = asyncio.gather(*(app.bus.ask(request) for request in requests))
    for _ in range(3):
        await asyncio.sleep(0.1)
        await raw.delete_consumer(STREAM, DURABLE)
        await until_well(app)
    assert all(isinstance(outcome, SimulationFailed) for outcome in await asking)
    history = await app.bus.history(requests[0].run_id)
    assert len(history) == 200
    assert len({event.id for event in history}) == 200


async def test_a_batch_readers_consumer_comes_back_too(
    make_app: MakeApp, end: End, raw: JetStreamContext, eventually: Eventually
) -> None:
    seen: set[int] = set()

    async def record(batch: list[RawMessage]) -> None:
        seen.update(each.sequence for each in batch)

    app = make_app("recorder")
    app.records(record, batch_size=10)
    await app.start()
    await app.bus.publish(end())
    await raw.delete_consumer(STREAM, "recorder-records")
    await app.bus.publish(end().model_copy(update={"run_id": uuid4()}))

    async def both_are_seen() -> bool:
        return seen == {1, 2}

    await eventually(both_are_seen)


def test_every_field_that_is_relied_on_exists() -> None:
    assert all(hasattr(ConsumerConfig(), field) for field in RELIED_ON)


async def _logged(caplog: pytest.LogCaptureFixture, text: str) -> None:
    while text not in caplog.text:  # noqa: ASYNC110 - a log sets no event
        await asyncio.sleep(0.02)

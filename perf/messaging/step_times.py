"""Time of each step of a message by itself, in microseconds."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from uuid import uuid4

from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.parser import parse_message
from contracts.envelope import outcome_id
from faststream.nats import NatsBroker
from opentelemetry.sdk.trace import TracerProvider

from perf.messaging.sample import REQUESTER, requested
from tests.support.measurements import percentile, table

TIMES = 400
WARM_UP = 40

Step = Callable[[int], Awaitable[object]]


async def steps_table(settings: BusSettings) -> str:
    """Measure each step `TIMES` times, in turns, and return medians and 99th percentiles as a table."""
    async with AsyncExitStack() as leaving:
        app = App(REQUESTER, settings)
        traced = App(REQUESTER, settings, TracerProvider())
        broker = NatsBroker(settings.nats_url, logger=None)
        for each in (app, traced, broker):
            await each.start()
            leaving.push_async_callback(each.stop)
        steps = _steps(app, traced, broker)
        spent_us: dict[str, list[float]] = {name: [] for name in steps}
        for turn in range(WARM_UP + TIMES):
            for name, step in steps.items():
                began = time.perf_counter()
                await step(turn)
                if turn >= WARM_UP:
                    spent_us[name].append(1e6 * (time.perf_counter() - began))
    rows = [(name, f"{percentile(spent, 50):.0f}", f"{percentile(spent, 99):.0f}") for name, spent in spent_us.items()]
    return table(("step", "p50 µs", "p99 µs"), rows)


def _steps(app: App, traced: App, broker: NatsBroker) -> dict[str, Step]:
    bus = app.bus
    assert isinstance(bus, JetStreamBus)
    return {**_local_steps(), **_raw_steps(bus, broker), **_bus_steps(bus, traced.bus)}


def _local_steps() -> dict[str, Step]:
    sample = requested(uuid4(), 0)
    subject, data = sample.full_subject, sample.model_dump_json().encode()

    async def write(_: int) -> object:
        return sample.model_dump_json().encode()

    async def parse(_: int) -> object:
        return parse_message(subject, data)

    return {"write the JSON of an event": write, "read it: subject, JSON, class": parse}


def _raw_steps(bus: JetStreamBus, broker: NatsBroker) -> dict[str, Step]:
    run_id = uuid4()
    data = requested(run_id, 0).model_dump_json().encode()

    async def ping(_: int) -> object:
        return await bus.client.flush()

    async def store(turn: int) -> object:
        return await bus.js.publish(f"BARE.step.{turn}", data, stream="BARE")

    async def store_by_faststream(turn: int) -> object:
        return await broker.publish(requested(run_id, turn), f"BARE.plain.{turn}", stream="BARE")

    return {
        "to the server and back (PING)": ping,
        "raw nats-py: publish, acknowledged": store,
        "plain FastStream: publish, acknowledged": store_by_faststream,
    }


def _bus_steps(bus: JetStreamBus, traced: Bus) -> dict[str, Step]:
    run_id, traced_run_id = uuid4(), uuid4()

    async def store(turn: int) -> object:
        return await bus.publish(requested(run_id, turn))

    async def store_traced(turn: int) -> object:
        return await traced.publish(requested(traced_run_id, turn))

    async def find_nothing(turn: int) -> object:
        return await bus.find(run_id, "planner", outcome_id(requested(run_id, turn).id))

    async def find(turn: int) -> object:
        return await bus.find(run_id, "planner", requested(run_id, turn).id)

    async def check_for_end(_: int) -> object:
        return await bus.ended(run_id)

    return {
        "chassis: publish, first stored wins": store,
        "chassis: the same, with spans": store_traced,
        "chassis: publish a stored event again": store,
        "chassis: look up an outcome that does not exist": find_nothing,
        "chassis: look up an outcome that exists": find,
        "chassis: check whether a run has ended (once per run and service)": check_for_end,
    }

"""Checks of consumers, with faults injected one by one."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from dataclasses import replace

import nats
import pytest
from chassis.subjects import STREAM
from doctor import Check
from doctor.checks.consumers import RECORDER
from local_stack.service_apps import build_apps

from tests.doctor.failure_golden import assert_failure
from tests.doctor.live_servers import Inject, LiveServers

PLAN_CONSUMER = "critic-hears-plan-proposed"


async def missing_consumer(on: LiveServers) -> Check:
    js = await on.add_consumers()
    await js.delete_consumer(STREAM, PLAN_CONSUMER)
    return await on.check("wiring")


async def missing_service(on: LiveServers) -> Check:
    js = await on.add_consumers()
    for app in build_apps(on.environment):
        for planned in app.planned_consumers if app.name == "sim-worker" else ():
            await js.delete_consumer(STREAM, planned.durable)
    return await on.check("wiring")


async def changed_consumer(on: LiveServers) -> Check:
    js = await on.add_consumers()
    info = await js.consumer_info(STREAM, PLAN_CONSUMER)
    await js.add_consumer(STREAM, config=replace(info.config, ack_wait=600, max_ack_pending=7))
    return await on.check("wiring")


async def unread_consumer(on: LiveServers) -> Check:
    await on.publish(await on.add_consumers())
    return await on.check("progress")


async def fall_behind(on: LiveServers, durable: str) -> None:
    """Have one message fetched and never acknowledged, while more than the limit wait."""
    on.cleanup.enter_context(pytest.MonkeyPatch.context()).setattr("doctor.checks.consumers.LAG_LIMIT", 2)
    js = await on.add_consumers()
    await on.publish(js, 5)
    await (await js.pull_subscribe_bind(durable, STREAM)).fetch(1)


async def slow_consumer(on: LiveServers) -> Check:
    await fall_behind(on, PLAN_CONSUMER)
    return await on.check("progress")


async def slow_recorder(on: LiveServers) -> Check:
    await fall_behind(on, RECORDER)
    client = await nats.connect(on.environment["NATS_URL"])
    on.cleanup.push_async_callback(client.close)
    inbox = client.new_inbox()
    await client.subscribe(inbox)
    more_than_there_are = b'{"batch": 100}'
    await client.publish(f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{RECORDER}", more_than_there_are, reply=inbox)
    await client.flush()
    return await on.check("recorder")


async def stopped_recorder(on: LiveServers) -> Check:
    await on.publish(await on.add_consumers(), 5)
    return await on.check("recorder")


FAULTS: dict[str, tuple[Inject, str, str]] = {
    "missing service": (missing_service, "wiring", "sim-worker"),
    "missing consumer": (missing_consumer, "wiring", PLAN_CONSUMER),
    "changed consumer": (changed_consumer, "wiring", f"{PLAN_CONSUMER} .*ack_wait is 600"),
    "unread consumer": (unread_consumer, "progress", f"{PLAN_CONSUMER} .1 messages"),
    "slow consumer": (slow_consumer, "progress", f"{PLAN_CONSUMER} .*4 messages"),
    "stopped recorder": (stopped_recorder, "recorder", "5 events"),
    "slow recorder": (slow_recorder, "recorder", "5 events"),
}
"""By name: how to inject it, the check that fails, and what it measures."""


async def test_consumers_as_declared_and_idle_pass(live_servers: LiveServers) -> None:
    await live_servers.add_consumers()
    assert (await live_servers.check("wiring")).ok
    assert (await live_servers.check("progress")).ok
    assert (await live_servers.check("recorder")).ok


@pytest.mark.sample(3)
@pytest.mark.parametrize("fault", FAULTS)
async def test_consumer_fault_is_reported(fault: str, live_servers: LiveServers) -> None:
    inject, name, measured = FAULTS[fault]
    assert_failure(fault, await inject(live_servers), name, measured)

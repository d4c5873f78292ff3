"""Faults of those who read the stream, injected one by one: each is named with its mend."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from dataclasses import replace

import nats
import pytest
from chassis.stream.subjects import STREAM
from doctor import Check
from doctor.checks.consumers import RECORDER
from local_stack.service_apps import build_apps

from .faults import Expected, assert_named
from .real_servers import Inject, Site

READER_OF_PLANS = "critic-hears-plan-proposed"


async def consumer_missing(on: Site) -> Check:
    js = await on.with_consumers()
    await js.delete_consumer(STREAM, READER_OF_PLANS)
    return await on.found("wiring")


async def service_away_from_the_start(on: Site) -> Check:
    js = await on.with_consumers()
    for app in build_apps(on.named):
        for config in app.planned_consumers if app.name == "sim-worker" else ():
            await js.delete_consumer(STREAM, config.durable_name or "")
    return await on.found("wiring")


async def consumer_drifted(on: Site) -> Check:
    js = await on.with_consumers()
    info = await js.consumer_info(STREAM, READER_OF_PLANS)
    await js.add_consumer(STREAM, config=replace(info.config, ack_wait=600, max_ack_pending=7))
    return await on.found("wiring")


async def nobody_reads(on: Site) -> Check:
    await on.said(await on.with_consumers())
    return await on.found("progress")


async def falling_behind(on: Site, durable: str) -> None:
    """Let somebody take one message and forget it, while more than may wait do so."""
    on.undoing.enter_context(pytest.MonkeyPatch.context()).setattr("doctor.checks.consumers.LAG_LIMIT", 2)
    js = await on.with_consumers()
    await on.said(js, 5)
    await (await js.pull_subscribe_bind(durable, STREAM)).fetch(1)


async def backlog_grows(on: Site) -> Check:
    await falling_behind(on, READER_OF_PLANS)
    return await on.found("progress")


async def recorder_falls_behind(on: Site) -> Check:
    await falling_behind(on, RECORDER)
    client = await nats.connect(on.named["NATS_URL"])
    on.undoing.push_async_callback(client.close)
    inbox = client.new_inbox()
    await client.subscribe(inbox)
    more_than_there_are = b'{"batch": 100}'
    await client.publish(f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{RECORDER}", more_than_there_are, reply=inbox)
    await client.flush()
    return await on.found("recorder")


async def nobody_records(on: Site) -> Check:
    await on.said(await on.with_consumers(), 5)
    return await on.found("recorder")


FAULTS: dict[str, tuple[Inject, Expected]] = {
    "a service never joined": (
        service_away_from_the_start,
        Expected("sim-worker has not joined: none of its consumers", "start the sim-worker: .*-m sim_worker"),
    ),
    "consumer missing": (consumer_missing, Expected(f"{READER_OF_PLANS} is missing", "start its service")),
    "consumer drifted": (
        consumer_drifted,
        Expected(f"{READER_OF_PLANS} was changed: ack_wait is 600.* and must be", "start its service"),
    ),
    "nobody reads": (
        nobody_reads,
        Expected(f"nobody reads .*{READER_OF_PLANS} .1 messages wait", "millwright up"),
    ),
    "backlog grows": (
        backlog_grows,
        Expected(f"{READER_OF_PLANS} falls behind .4 messages wait", "more workers"),
    ),
    "nobody records": (nobody_records, Expected("nobody records .5 events are not in Postgres", "start the recorder")),
    "recorder falls behind": (recorder_falls_behind, Expected("recorder falls behind .5 events", "relieve Postgres")),
}


async def test_consumers_as_planned_and_without_work_are_fine(site: Site) -> None:
    await site.with_consumers()
    assert (await site.found("wiring")).ok
    assert (await site.found("progress")).ok
    assert (await site.found("recorder")).ok


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_named_with_its_mend(fault: str, site: Site) -> None:
    inject, expected = FAULTS[fault]
    assert_named(await inject(site), expected)

"""Faults of tables, stream and bucket, injected one by one: each is named with its mend."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from dataclasses import replace

import pytest
from artifacts.inspection import S3State
from chassis.stream.provisioning import stream_config
from chassis.stream.subjects import STREAM
from doctor import Check
from doctor.checks.schema import check_bucket, check_stream
from doctor.checks.servers import check_nats
from store.migrate import known_versions

from .faults import Expected, assert_named
from .real_servers import Inject, Site


async def no_tables(on: Site) -> Check:
    return await on.found("tables")


async def old_tables(on: Site) -> Check:
    await on.migrated()
    await on.tell(f"UPDATE store.alembic_version SET version_num = '{known_versions()[-1]}'")
    return await on.found("tables")


async def tables_of_tomorrow(on: Site) -> Check:
    await on.migrated()
    await on.tell("UPDATE store.alembic_version SET version_num = '9999'")
    return await on.found("tables")


async def no_stream(on: Site) -> Check:
    return await on.found("stream")


async def lost_stream(on: Site) -> Check:
    bus = (await check_nats(on.but())).bus
    database = await on.database()
    assert bus is not None
    return check_stream(bus, replace(database, recorded_up_to=977))


def drifted(field: str, value: float) -> Inject:
    async def inject(on: Site) -> Check:
        js = await on.jetstream()
        await js.add_stream(stream_config().evolve(**{field: value}))
        return await on.found("stream")

    return inject


async def stream_of_others(on: Site) -> Check:
    await on.provisioned()
    bus = (await check_nats(on.but())).bus
    database = await on.database()
    assert bus is not None
    return check_stream(bus, replace(database, recorded_up_to=977))


async def bucket_gone(on: Site) -> Check:
    await on.said(await on.provisioned())
    bus = (await check_nats(on.but())).bus
    return check_bucket(S3State("S3", None, has_bucket=False, round_trip_s=None), bus)


FAULTS: dict[str, tuple[Inject, Expected]] = {
    "no tables": (no_tables, Expected("no tables of ours", "millwright migrate")),
    "old tables": (old_tables, Expected(r"older than this code \(version 0001", "millwright migrate")),
    "tables of tomorrow": (
        tables_of_tomorrow,
        Expected(r"newer than this code .*9999", "update this checkout"),
    ),
    "no stream": (no_stream, Expected(f"there is no stream {STREAM}", "millwright migrate")),
    "lost stream": (lost_stream, Expected("is lost .*recorded up to 977", "millwright rebuild-stream")),
    "stream that forgets": (drifted("max_age", 3600.0), Expected("not as it must be .*max_age", "millwright migrate")),
    "stream of small messages": (drifted("max_msg_size", 1000), Expected("max_msg_size", "millwright migrate")),
    "stream of others": (stream_of_others, Expected("not the one that was recorded .*977", "rebuild-stream")),
    "bucket gone": (bucket_gone, Expected("the bucket is gone .*up to 1", "they make it")),
}


async def test_what_is_as_it_must_be_is_said_to_be(site: Site) -> None:
    await site.migrated()
    await site.provisioned()
    assert [finding for check in await site.examined() for finding in check.failures] == []


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_named_with_its_mend(fault: str, site: Site) -> None:
    inject, expected = FAULTS[fault]
    assert_named(await inject(site), expected)

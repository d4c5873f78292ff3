"""Checks of tables, stream and bucket, with faults injected one by one."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from dataclasses import replace

import pytest
from artifacts.inspection import S3State
from chassis.administration.provisioning import stream_config
from chassis.subjects import STREAM
from doctor import Check
from doctor.checks.schema import check_bucket, check_stream
from doctor.checks.servers import check_nats
from store.migrate import known_versions

from tests.doctor.failure_golden import assert_failure
from tests.doctor.live_servers import Inject, LiveServers


async def no_tables(on: LiveServers) -> Check:
    return await on.check("tables")


async def old_tables(on: LiveServers) -> Check:
    await on.migrate()
    await on.execute(f"UPDATE store.alembic_version SET version_num = '{known_versions()[-1]}'")
    return await on.check("tables")


async def new_tables(on: LiveServers) -> Check:
    await on.migrate()
    await on.execute("UPDATE store.alembic_version SET version_num = '9999'")
    return await on.check("tables")


async def no_stream(on: LiveServers) -> Check:
    return await on.check("stream")


async def lost_stream(on: LiveServers) -> Check:
    bus = (await check_nats(on.target())).bus
    database = await on.database()
    assert bus is not None
    return check_stream(bus, replace(database, recorded_up_to=977))


def drifted(field: str, value: float) -> Inject:
    async def inject(on: LiveServers) -> Check:
        js = await on.jetstream()
        await js.add_stream(stream_config().evolve(**{field: value}))
        return await on.check("stream")

    return inject


async def unrelated_stream(on: LiveServers) -> Check:
    await on.provision()
    return await lost_stream(on)


async def lost_bucket(on: LiveServers) -> Check:
    await on.publish(await on.provision())
    bus = (await check_nats(on.target())).bus
    return check_bucket(S3State("S3", None, has_bucket=False, round_trip_s=None), bus)


FAULTS: dict[str, tuple[Inject, str, str]] = {
    "no tables": (no_tables, "tables", r"version \d{4}"),
    "old tables": (old_tables, "tables", "version 0001"),
    "new tables": (new_tables, "tables", "version 9999"),
    "no stream": (no_stream, "stream", STREAM),
    "lost stream": (lost_stream, "stream", f"{STREAM} .*977"),
    "stream with an age limit": (drifted("max_age", 3600.0), "stream", f"{STREAM} .*max_age"),
    "stream with small messages": (drifted("max_msg_size", 1000), "stream", "max_msg_size"),
    "unrelated stream": (unrelated_stream, "stream", f"{STREAM} .*977"),
    "lost bucket": (lost_bucket, "bucket", "up to 1 "),
}
"""By name: how to inject it, the check that fails, and what it measures."""


async def test_migrated_and_provisioned_servers_pass(live_servers: LiveServers) -> None:
    await live_servers.migrate()
    await live_servers.provision()
    assert [failure for check in await live_servers.checks() for failure in check.failures] == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("fault", FAULTS)
async def test_schema_fault_is_reported(fault: str, live_servers: LiveServers) -> None:
    inject, name, measured = FAULTS[fault]
    assert_failure(fault, await inject(live_servers), name, measured)

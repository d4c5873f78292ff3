"""Faults of NATS, Postgres and S3, injected one by one: each is named with its mend."""

import contextlib
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from doctor import Check
from doctor.checks.servers import check_clocks, check_nats, check_postgres, check_postgres_state, check_s3
from local_stack.processes.program import ChildProcess, ProcessSpec
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK, free_ports

from .faults import Expected, assert_named
from .odd_s3 import OddS3
from .real_servers import Inject, Site, nobody_there

SOON_S = 0.5


async def broker_down(on: Site) -> Check:
    return (await check_nats(on.but(NATS_URL=f"nats://{nobody_there()}"))).check


async def broker_hangs(on: Site) -> Check:
    async with on.silence() as address:
        return (await check_nats(on.but(NATS_URL=f"nats://{address}"), SOON_S)).check


async def broker_wants_another_password(on: Site) -> Check:
    address = on.named["NATS_URL"].rpartition("@")[2]
    return (await check_nats(on.but(NATS_URL=f"nats://millwright:guessed@{address}"))).check


async def database_down(on: Site) -> Check:
    return (await check_postgres(on.but(DATABASE_URL=f"postgresql://me:secret@{nobody_there()}/db"))).check


async def database_hangs(on: Site) -> Check:
    async with on.silence() as address:
        return (await check_postgres(on.but(DATABASE_URL=f"postgresql://me:secret@{address}/db"), SOON_S)).check


async def database_wants_another_password(on: Site) -> Check:
    address = on.named["DATABASE_URL"].rpartition("@")[2]
    return (await check_postgres(on.but(DATABASE_URL=f"postgresql://millwright:guessed@{address}"))).check


async def no_such_database(on: Site) -> Check:
    server = on.named["DATABASE_URL"].rpartition("/")[0]
    return (await check_postgres(on.but(DATABASE_URL=f"{server}/nowhere"))).check


async def no_address_of_a_database(on: Site) -> Check:
    return (await check_postgres(on.but(DATABASE_URL="mysql://me@localhost/db"))).check


async def old_postgres(on: Site) -> Check:
    state = await on.database()
    return check_postgres_state(on.but(), replace(state, version="12.4", major=12))


async def database_of_bytes(on: Site) -> Check:
    state = await on.database()
    return check_postgres_state(on.but(), replace(state, encoding="SQL_ASCII"))


async def no_connections_left(on: Site) -> Check:
    state = await on.database()
    return check_postgres_state(on.but(), replace(state, connections=state.max_connections))


async def s3_down(on: Site) -> Check:
    return (await check_s3(on.but(S3_ENDPOINT=nobody_there()))).check


async def s3_hangs(on: Site) -> Check:
    async with on.silence() as address:
        return (await check_s3(on.but(S3_ENDPOINT=address), SOON_S)).check


async def s3_knows_no_such_key(on: Site) -> Check:
    return (await check_s3(on.but(S3_ACCESS_KEY="guessed"))).check


async def s3_wants_another_secret(on: Site) -> Check:
    return (await check_s3(on.but(S3_SECRET_KEY="guessed"))).check


def odd_s3(corrupt: bytes = b"", slow_s: float = 0.0, ahead_s: float = 0.0, status: int = 200) -> Inject:
    async def inject(on: Site) -> Check:
        with OddS3(corrupt, slow_s, ahead_s, status) as server:
            seen = await check_s3(on.but(S3_ENDPOINT=server.endpoint))
        if seen.s3 is None or not seen.check.ok:
            return seen.check
        return check_clocks({"S3": (seen.s3.time, seen.inspected_at)})

    return inject


async def clock_of_postgres(on: Site) -> Check:
    seen = await check_postgres(on.but())
    assert seen.database is not None
    return check_clocks({"Postgres": (seen.database.time, datetime.now(UTC) + timedelta(seconds=42))})


async def clock_of_nats(on: Site) -> Check:
    await on.provisioned()
    seen = await check_nats(on.but())
    assert seen.bus is not None
    return check_clocks({"NATS": (seen.bus.time, datetime.now(UTC) - timedelta(seconds=9))})


async def jetstream_off(on: Site) -> Check:
    (port,) = free_ports(1)
    command = (str(script("nats-server")), "-a", LOOPBACK, "-p", str(port))
    plain = ChildProcess(ProcessSpec("plain nats-server", command, on.folder, on.folder / "nats.log"))
    on.undoing.callback(plain.end_by, time.monotonic())
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection((LOOPBACK, port), 1).close()
            break
    return (await check_nats(on.but(NATS_URL=f"nats://{LOOPBACK}:{port}"))).check


FAULTS: dict[str, tuple[Inject, Expected]] = {
    "broker down": (
        broker_down,
        Expected(
            "NATS at .* cannot be reached", r"start it \(in containers: `docker compose .* up --wait`\), set NATS_URL"
        ),
    ),
    "broker hangs": (
        broker_hangs,
        Expected(
            "does not answer .*within 0.5 s", r"start it \(in containers: `docker compose .* up --wait`\), set NATS_URL"
        ),
    ),
    "broker wants another password": (broker_wants_another_password, Expected("not let us in", "password in NATS_URL")),
    "broker without JetStream": (jetstream_off, Expected("JetStream does not", "start the server with -js")),
    "database down": (
        database_down,
        Expected(
            "Postgres at .* cannot be reached",
            r"start it \(in containers: `docker compose .* up --wait`\), set DATABASE_URL",
        ),
    ),
    "database hangs": (
        database_hangs,
        Expected("does not answer", r"start it \(in containers: `docker compose .* up --wait`\), set DATABASE_URL"),
    ),
    "database wants another password": (
        database_wants_another_password,
        Expected("not let us in .*password authentication failed", "password in DATABASE_URL"),
    ),
    "a database of bytes": (database_of_bytes, Expected("encoding is not UTF8", "createdb.*--encoding UTF8")),
    "no such database": (no_such_database, Expected('no such database .*"nowhere" does not exist', "createdb")),
    "no address of a database": (
        no_address_of_a_database,
        Expected("must look like postgres", "set DATABASE_URL"),
    ),
    "Postgres too old": (old_postgres, Expected(r"too old \(12.4\)", "Postgres 14 or newer")),
    "no connections left": (no_connections_left, Expected("hardly any connection", "max_connections")),
    "S3 down": (
        s3_down,
        Expected(
            "S3 at .* cannot be reached", r"start it \(in containers: `docker compose .* up --wait`\), set S3_ENDPOINT"
        ),
    ),
    "S3 hangs": (
        s3_hangs,
        Expected(
            "does not answer .*within 0.5 s",
            r"start it \(in containers: `docker compose .* up --wait`\), set S3_ENDPOINT",
        ),
    ),
    "S3 knows no such key": (
        s3_knows_no_such_key,
        Expected("not let us in .*(Denied|InvalidAccessKey)", "S3_ACCESS_KEY"),
    ),
    "S3 wants another secret": (s3_wants_another_secret, Expected("not let us in", "S3_SECRET_KEY")),
    "S3 corrupts": (odd_s3(corrupt=b"rotten"), Expected("not give back what was stored", "proxy, cache")),
    "S3 is slow": (odd_s3(slow_s=0.4), Expected(r"is slow \(1.\d s", "nearer server")),
    "S3 has errors": (odd_s3(status=507), Expected("answers with errors", "is its disk full")),
    "clock of S3": (odd_s3(ahead_s=60), Expected(r"S3 is (60|59|61) s ahead", "timedatectl")),
    "clock of Postgres": (clock_of_postgres, Expected("Postgres is 42 s behind", "timedatectl")),
    "clock of NATS": (clock_of_nats, Expected("NATS is 9 s ahead", "timedatectl")),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_named_with_its_mend(fault: str, site: Site) -> None:
    inject, expected = FAULTS[fault]
    assert_named(await inject(site), expected)

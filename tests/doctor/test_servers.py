"""Checks of NATS, Postgres and S3, with faults injected one by one."""

import contextlib
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from doctor import Check
from doctor.checks.servers import (
    TIMEOUT_S,
    ServerInspection,
    check_clocks,
    check_nats,
    check_postgres,
    check_postgres_state,
    check_s3,
)
from doctor.target import Target
from local_stack.processes.child_process import ChildProcess, ProcessSpec
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK, free_ports

from tests.doctor.failure_golden import assert_failure
from tests.doctor.faulty_s3 import FaultyS3
from tests.doctor.live_servers import Inject, LiveServers, unused_address

SOON_S = 0.5
ServerCheck = Callable[[Target, float], Awaitable[ServerInspection]]


def down(check: ServerCheck, variable: str, prefix: str = "", suffix: str = "") -> Inject:
    """Nothing listens at the address that a variable names."""

    async def inject(on: LiveServers) -> Check:
        return (await check(on.target(**{variable: f"{prefix}{unused_address()}{suffix}"}), TIMEOUT_S)).check

    return inject


def hanging(check: ServerCheck, variable: str, prefix: str = "", suffix: str = "") -> Inject:
    """The server at the address that a variable names never answers."""

    async def inject(on: LiveServers) -> Check:
        async with on.silent_server() as address:
            return (await check(on.target(**{variable: f"{prefix}{address}{suffix}"}), SOON_S)).check

    return inject


def s3_refuses(variable: str) -> Inject:
    async def inject(on: LiveServers) -> Check:
        return (await check_s3(on.target(**{variable: "guessed"}))).check

    return inject


async def nats_refuses_password(on: LiveServers) -> Check:
    address = on.environment["NATS_URL"].rpartition("@")[2]
    return (await check_nats(on.target(NATS_URL=f"nats://millwright:guessed@{address}"))).check


async def no_jetstream(on: LiveServers) -> Check:
    (port,) = free_ports(1)
    command = (str(script("nats-server")), "-a", LOOPBACK, "-p", str(port))
    plain = ChildProcess(ProcessSpec("plain nats-server", command, on.folder, on.folder / "nats.log"))
    on.cleanup.callback(plain.end_by, time.monotonic())
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection((LOOPBACK, port), 1).close()
            break
    return (await check_nats(on.target(NATS_URL=f"nats://{LOOPBACK}:{port}"))).check


async def postgres_refuses_password(on: LiveServers) -> Check:
    address = on.environment["DATABASE_URL"].rpartition("@")[2]
    return (await check_postgres(on.target(DATABASE_URL=f"postgresql://millwright:guessed@{address}"))).check


async def no_such_database(on: LiveServers) -> Check:
    server = on.environment["DATABASE_URL"].rpartition("/")[0]
    return (await check_postgres(on.target(DATABASE_URL=f"{server}/nowhere"))).check


async def url_of_another_database(on: LiveServers) -> Check:
    return (await check_postgres(on.target(DATABASE_URL="mysql://me@localhost/db"))).check


async def old_postgres(on: LiveServers) -> Check:
    state = await on.database()
    return check_postgres_state(on.target(), replace(state, version="12.4", major=12))


async def other_encoding(on: LiveServers) -> Check:
    state = await on.database()
    return check_postgres_state(on.target(), replace(state, encoding="SQL_ASCII"))


async def no_connections_left(on: LiveServers) -> Check:
    state = await on.database()
    return check_postgres_state(on.target(), replace(state, connections=state.max_connections))


def faulty_s3(corrupt: bytes = b"", slow_s: float = 0.0, ahead_s: float = 0.0, status: int = 200) -> Inject:
    async def inject(on: LiveServers) -> Check:
        with FaultyS3(corrupt, slow_s, ahead_s, status) as server:
            inspection = await check_s3(on.target(S3_ENDPOINT=server.endpoint))
        if inspection.s3 is None or not inspection.check.ok:
            return inspection.check
        return check_clocks({"S3": (inspection.s3.time, inspection.inspected_at)})

    return inject


async def postgres_clock(on: LiveServers) -> Check:
    inspection = await check_postgres(on.target())
    assert inspection.database is not None
    return check_clocks({"Postgres": (inspection.database.time, datetime.now(UTC) + timedelta(seconds=42))})


async def nats_clock(on: LiveServers) -> Check:
    await on.provision()
    inspection = await check_nats(on.target())
    assert inspection.bus is not None
    return check_clocks({"NATS": (inspection.bus.time, datetime.now(UTC) - timedelta(seconds=9))})


FAULTS: dict[str, tuple[Inject, str, str]] = {
    "NATS down": (down(check_nats, "NATS_URL", "nats://"), "NATS", LOOPBACK),
    "NATS hangs": (hanging(check_nats, "NATS_URL", "nats://"), "NATS", "within 0.5 s"),
    "NATS refuses the password": (nats_refuses_password, "NATS", LOOPBACK),
    "no JetStream": (no_jetstream, "NATS", "JetStream"),
    "Postgres down": (down(check_postgres, "DATABASE_URL", "postgresql://me:secret@", "/db"), "Postgres", LOOPBACK),
    "Postgres hangs": (hanging(check_postgres, "DATABASE_URL", "postgresql://me:secret@", "/db"), "Postgres", LOOPBACK),
    "Postgres refuses the password": (postgres_refuses_password, "Postgres", "password authentication failed"),
    "other encoding": (other_encoding, "Postgres", "UTF8 .SQL_ASCII"),
    "no such database": (no_such_database, "Postgres", '"nowhere"'),
    "URL of another database": (url_of_another_database, "Postgres", "DATABASE_URL"),
    "Postgres too old": (old_postgres, "Postgres", "12.4"),
    "no connections left": (no_connections_left, "Postgres", r"(\d+) of \1 connections"),
    "S3 down": (down(check_s3, "S3_ENDPOINT"), "S3", LOOPBACK),
    "S3 hangs": (hanging(check_s3, "S3_ENDPOINT"), "S3", "within 0.5 s"),
    "S3 refuses the key": (s3_refuses("S3_ACCESS_KEY"), "S3", "Denied|InvalidAccessKey"),
    "S3 refuses the secret": (s3_refuses("S3_SECRET_KEY"), "S3", LOOPBACK),
    "S3 corrupts": (faulty_s3(corrupt=b"rotten"), "S3", LOOPBACK),
    "S3 is slow": (faulty_s3(slow_s=0.4), "S3", r"(1|2)\.\d s"),
    "S3 has errors": (faulty_s3(status=507), "S3", LOOPBACK),
    "clock of S3": (faulty_s3(ahead_s=60), "clocks", "S3 is (60|59|61) s ahead"),
    "clock of Postgres": (postgres_clock, "clocks", "Postgres is 42 s behind"),
    "clock of NATS": (nats_clock, "clocks", "NATS is 9 s ahead"),
}
"""By name: how to inject it, the check that fails, and what it measures."""


@pytest.mark.sample(8)
@pytest.mark.parametrize("fault", FAULTS)
async def test_server_fault_is_reported(fault: str, live_servers: LiveServers) -> None:
    inject, name, measured = FAULTS[fault]
    assert_failure(fault, await inject(live_servers), name, measured)

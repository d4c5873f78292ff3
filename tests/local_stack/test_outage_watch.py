"""The watch of servers that are unavailable for a while."""

import asyncio
import re
import socket

import pytest
from local_stack.errors import UserError
from local_stack.servers.ports import LOOPBACK, free_ports
from local_stack.servers.server_stack import ServerStack
from local_stack.watches.outage_watch import OutageWatch, probes_of


def watch_answers(answers: list[bool], give_up_after_s: float = 600.0) -> tuple[OutageWatch, list[str]]:
    """Return a watch of one server with these answers, of which the last one is repeated, and what it reports."""
    reported: list[str] = []

    def probe() -> bool:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    return OutageWatch({"S3": probe}, reported.append, give_up_after_s), reported


async def test_server_that_misses_one_probe_is_not_reported() -> None:
    outages, reported = watch_answers([True, False, True])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.5):
            await outages.watch()
    assert reported == []
    assert outages.waiting is None


async def test_lasting_outage_ends_the_watch_with_the_setting() -> None:
    outages, reported = watch_answers([False], give_up_after_s=4.0)
    with pytest.raises(UserError, match=r"S3 has not answered for \d s: start it.*MILLWRIGHT_OUTAGE_S"):
        await outages.watch()
    (line,) = reported
    assert re.match(r"S3 has not answered for \d s;", line)
    assert (outages.waiting or "").startswith("waiting for S3 (")


def test_server_that_accepts_without_answering_fails_its_probe() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:  # the kernel accepts, we never do
        port = server.getsockname()[1]
        named = {"NATS_URL": f"nats://{LOOPBACK}:{port}", "S3_ENDPOINT": f"{LOOPBACK}:{port}"}
        probes = probes_of({**named, "DATABASE_URL": f"postgresql://u:p@{LOOPBACK}:{port}/d"}, timeout_s=0.2)
        assert [probe() for probe in probes.values()] == [False, False, False]


def test_probes_tell_running_servers_from_missing_ones(servers: ServerStack) -> None:
    assert [probe() for probe in probes_of(servers.environment()).values()] == [True, True, True]
    (port,) = free_ports(1)
    named = {"NATS_URL": f"nats://{LOOPBACK}:{port}", "S3_ENDPOINT": f"{LOOPBACK}:{port}"}
    assert [probe() for probe in probes_of(named).values()] == [False, False]

"""Servers that exist, and go away for a while in the middle of a run: the user is told, and the run is solved."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from local_stack.errors import UserError
from local_stack.outage_watch import OutageWatch
from local_stack.probes import probes_of
from local_stack.servers.ports import LOOPBACK, free_ports
from local_stack.servers.server_stack import ServerStack

AWAY_S = 4.0
APART_S = 1.0
NAMES = {"nats-server": "NATS", "postgres": "Postgres", "seaweedfs": "S3"}


@pytest.fixture
def own_servers(tmp_path: Path) -> Iterator[ServerStack]:
    """Servers of this test's own, which nobody starts again but the test."""
    servers = ServerStack(tmp_path / "servers").start()
    yield servers
    for pid in servers.pids().values():
        os.kill(pid, signal.SIGCONT)
    servers.stop()
    servers.erase()


def start(order: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "cli", *order], stdout=output, stderr=subprocess.STDOUT, env=environment
        )


def hang(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)


def die(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


async def away_for_a_while(servers: ServerStack, name: str, goes: Callable[[int], None], delay_s: float) -> None:
    await asyncio.sleep(delay_s)
    pid = servers.pids()[name]
    goes(pid)
    await asyncio.sleep(AWAY_S)
    if goes is hang:
        os.kill(pid, signal.SIGCONT)
    else:
        servers.supervisor.restart(name)


async def all_away_in_turn(servers: ServerStack, goes: Callable[[int], None]) -> None:
    turns = enumerate(NAMES)
    await asyncio.gather(*(away_for_a_while(servers, name, goes, place * APART_S) for place, name in turns))


async def until(condition: Callable[[], bool], what: Callable[[], str], within_s: float = 90) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, what()
        await asyncio.sleep(0.05)


def told_back(printed: str) -> list[str]:
    return re.findall(r"^(NATS|Postgres|S3) is back after \d+ s$", printed, re.MULTILINE)


@pytest.mark.timeout(180)
async def test_a_run_waits_for_servers_that_hang_and_for_servers_that_die(
    own_servers: ServerStack, tmp_path: Path
) -> None:
    log = tmp_path / "printed.txt"
    environment = {**os.environ, **own_servers.environment(), "MILLWRIGHT_DATA": str(tmp_path / "data")}
    order = ("solve", "gravity-chute", "--seed", "2", "--out", str(tmp_path / "out"))
    solving = start(order, log, environment)
    try:
        await until(lambda: "the world stands" in log.read_text() or solving.poll() is not None, log.read_text)
        for count, goes in enumerate((hang, die), start=1):
            assert solving.poll() is None, log.read_text()
            await all_away_in_turn(own_servers, goes)
            await until(lambda: len(told_back(log.read_text())) >= 3 * count, log.read_text)  # noqa: B023 - used at once
        await until(lambda: solving.poll() is not None, log.read_text, 120)
    finally:
        solving.kill()
        solving.wait()
    printed = log.read_text()
    assert solving.returncode == 0, printed
    assert "SOLVED" in printed
    for name in NAMES.values():
        assert len(re.findall(rf"^{name} does not answer since \d s; the run waits", printed, re.MULTILINE)) == 2
        assert told_back(printed).count(name) == 2
    assert "Traceback" not in printed
    assert "rror" not in printed.replace("cell error", "")


def telling(answers: list[bool], patience_s: float = 600.0) -> tuple[OutageWatch, list[str]]:
    """Return a watch of one server that answers as told and then as it did last, and what is said."""
    said: list[str] = []

    def probe() -> bool:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    return OutageWatch({"S3": probe}, said.append, patience_s), said


async def test_a_server_that_misses_one_question_is_not_talked_about() -> None:
    outages, said = telling([True, False, True])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.5):
            await outages.watch()
    assert said == []
    assert outages.waiting is None


async def test_a_server_that_stays_away_ends_the_command_and_says_how_to_wait_longer() -> None:
    outages, said = telling([False], patience_s=4.0)
    with pytest.raises(UserError, match=r"S3 has not answered for \d s: start it.*MILLWRIGHT_OUTAGE_S"):
        await outages.watch()
    (told,) = said
    assert re.fullmatch(r"S3 does not answer since \d s; the run waits and goes on by itself", told)
    assert (outages.waiting or "").startswith("waiting for S3 (")


def test_whoever_accepts_and_says_nothing_does_not_answer() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:  # the kernel accepts, we never do
        port = server.getsockname()[1]
        named = {"NATS_URL": f"nats://{LOOPBACK}:{port}", "S3_ENDPOINT": f"{LOOPBACK}:{port}"}
        probes = probes_of({**named, "DATABASE_URL": f"postgresql://u:p@{LOOPBACK}:{port}/d"}, patience_s=0.2)
        assert [probe() for probe in probes.values()] == [False, False, False]


def test_our_own_servers_answer_and_nobody_does_not(servers: ServerStack) -> None:
    assert [probe() for probe in probes_of(servers.environment()).values()] == [True, True, True]
    (port,) = free_ports(1)
    named = {"NATS_URL": f"nats://{LOOPBACK}:{port}", "S3_ENDPOINT": f"{LOOPBACK}:{port}"}
    assert [probe() for probe in probes_of(named).values()] == [False, False]

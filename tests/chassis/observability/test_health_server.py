"""Probes of an app over HTTP."""

import asyncio
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from chassis.background_tasks import ENDED
from chassis.errors import CannotStartError
from chassis.observability.health_server import HealthServer

from tests.chassis.fixture_types import MakeApp
from tests.support.clusters.nats_server import NatsServer

PROGRAM = """
from chassis.app import App
from chassis.process import run
from chassis.settings import BusSettings
run("sim-worker", lambda: App("sim-worker", BusSettings()))
"""


class Probed:
    """A server whose problems the test sets."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.fatal: list[str] = []
        self.server = HealthServer(self.health, lambda: self.fatal, 0, "127.0.0.1")

    async def health(self) -> list[str]:
        return self.problems

    async def get(self, path: str) -> tuple[int, str]:
        return await asyncio.to_thread(get, self.server.port, path)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.fixture
async def probed() -> AsyncIterator[Probed]:
    probed = Probed()
    await probed.server.start()
    yield probed
    await probed.server.stop()


async def test_service_that_starts_is_alive_and_not_ready(probed: Probed) -> None:
    assert await probed.get("/live") == (200, "ok\n")
    assert await probed.get("/started") == (503, "the service is starting\n")
    assert (await probed.get("/ready"))[0] == 503


async def test_outage_makes_a_service_unready_and_not_dead(probed: Probed) -> None:
    probed.server.is_started = True
    assert await probed.get("/ready") == (200, "ok\n")
    probed.problems = ["S3 is away", "and slow"]
    assert await probed.get("/ready") == (503, "S3 is away\nand slow\n")
    assert (await probed.get("/live"))[0] == (await probed.get("/started"))[0] == 200


async def test_ended_background_task_makes_a_service_dead(probed: Probed) -> None:
    probed.fatal = ["it has ended"]
    assert await probed.get("/live") == (503, "it has ended\n")


async def test_unknown_path_is_not_found(probed: Probed) -> None:
    assert (await probed.get("/"))[0] == 404


async def test_malformed_request_ends_its_connection_only(probed: Probed) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", probed.server.port)
    writer.write(b"\xff" * 20_000)
    writer.write_eof()
    assert await reader.read() == b""
    writer.close()
    assert (await probed.get("/live"))[0] == 200


async def test_taken_port_is_named() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(CannotStartError, match=rf"port {port} .* HEALTH_PORT"):
            await HealthServer(Probed().health, list, port, "127.0.0.1").start()


async def test_app_is_fatally_ill_when_a_task_has_ended(make_app: MakeApp) -> None:
    app = make_app("sim-worker", health_port=free_port())
    app.add_task_check(lambda: f"background task 'renewal' {ENDED}")
    app.add_task_check(lambda: "background task 'other' failed and was begun again")
    await app.start()
    server = app.health_server()
    assert server is not None
    await server.start()
    server.is_started = True
    status, body = await asyncio.to_thread(get, server.port, "/live")
    await server.stop()
    assert (status, body) == (503, f"background task 'renewal' {ENDED}\n")


def test_process_answers_from_its_start_to_its_end(server: NatsServer) -> None:
    port = free_port()
    given = {"NATS_URL": server.url, "HEALTH_PORT": str(port), "PATH": str(Path(sys.executable).parent)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], env=given, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "is ready" not in process.stderr.readline():
        assert process.poll() is None
    status, body = 0, ""
    for _ in range(1000):
        status, body = get(port, "/ready")
        if status == 200:
            break
    assert (status, body) == (200, "ok\n")
    assert get(port, "/started")[0] == get(port, "/live")[0] == 200
    process.terminate()
    process.communicate()
    assert process.returncode == 0

"""A real server for every test that needs one, and words to say on it."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import nats
import pytest
from chassis.app import App
from chassis.settings import BusSettings
from chassis.stream.provisioning import provision
from chassis.stream.subjects import STREAM
from contracts.envelope import Event, Role
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.models.artifact import ArtifactRef
from nats.js import JetStreamContext
from opentelemetry.sdk.trace import TracerProvider

NATS_SERVER = Path(sys.executable).parent / "nats-server"


class Server:
    """A nats-server on a port and a folder that stay the same over restarts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self, *, with_jetstream: bool = True) -> None:
        jetstream = ["-js"] if with_jetstream else []
        command = [str(NATS_SERVER), *jetstream, "-sd", str(self._folder), "-a", "127.0.0.1", "-p", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        """As a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None


@pytest.fixture
def bare_server(tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has migrated."""
    server = Server(tmp_path / "nats")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def server(bare_server: Server) -> Server:
    """A server with the stream, as `millwright migrate` leaves it."""
    asyncio.run(provision(BusSettings(nats_url=bare_server.url)))
    return bare_server


@pytest.fixture
def settings(server: Server) -> BusSettings:
    """Impatient, so that tests are fast."""
    return BusSettings(
        nats_url=server.url,
        bus_ack_wait_s=0.6,
        bus_max_deliver=3,
        bus_retry_delay_s=0.05,
        bus_drain_s=5.0,
        bus_watch_s=0.3,
    )


MakeApp = Callable[..., App]


@pytest.fixture
async def make_app(settings: BusSettings) -> AsyncIterator[MakeApp]:
    """Apps that are stopped at the end of the test, the last one first."""
    apps: list[App] = []

    def make(name: str, tracer_provider: TracerProvider | None = None, **changes: object) -> App:
        apps.append(App(name, settings.model_copy(update=changes), tracer_provider))
        return apps[-1]

    yield make
    for app in reversed(apps):
        await app.stop()


@pytest.fixture
async def raw(server: Server) -> AsyncIterator[JetStreamContext]:
    """The server without the chassis, for what the chassis would never say."""
    client = await nats.connect(server.url, reconnect_time_wait=1)
    yield client.jetstream()
    await client.close()


@pytest.fixture
def run_id() -> UUID:
    return uuid4()


@pytest.fixture
def ask_for(run_id: UUID) -> Callable[..., SimulationRequested]:
    """A request in this test's run; `seed` tells one from the other."""

    def make(seed: int = 0, role: Role = "engineer") -> SimulationRequested:
        scene = ArtifactRef(sha256="0" * 64, media_type="application/json", size_bytes=1)
        return SimulationRequested(id=uuid4(), run_id=run_id, role=role, producer="test", scene=scene, seed=seed)

    return make


@pytest.fixture
def refuse() -> Callable[..., SimulationFailed]:
    """An outcome of a simulation request."""

    def make(request: Event, detail: str = "no") -> SimulationFailed:
        return SimulationFailed.answering(request, "sim-worker", reason="scene_invalid", detail=detail)

    return make


Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


@pytest.fixture
def eventually() -> Eventually:
    """Wait until something has come true; the test's own timeout is the limit."""

    async def wait(true: Callable[[], Awaitable[bool]]) -> None:
        while not await true():  # noqa: ASYNC110 - most of it comes true in the server, which sets no event
            await asyncio.sleep(0.02)

    return wait


UntilSettled = Callable[[str], Awaitable[None]]


@pytest.fixture
def until_settled(raw: JetStreamContext, eventually: Eventually) -> UntilSettled:
    """Wait until everything was delivered to a consumer and nothing is in flight."""

    async def wait(durable: str) -> None:
        async def is_settled() -> bool:
            info = await raw.consumer_info(STREAM, durable)
            return info.num_pending == 0 and info.num_ack_pending == 0

        await eventually(is_settled)

    return wait


UntilWell = Callable[[App], Awaitable[None]]


@pytest.fixture
def until_well(eventually: Eventually) -> UntilWell:
    """Wait until nothing is wrong with an app."""

    async def wait(app: App) -> None:
        async def is_well() -> bool:
            return await app.health() == []

        await eventually(is_well)

    return wait


@pytest.fixture
def end(run_id: UUID) -> Callable[[], RunFailed]:
    """The end of this test's run."""

    def make() -> RunFailed:
        return RunFailed(
            id=uuid4(), run_id=run_id, role="planner", producer="planner", reason="deadline", detail="late"
        )

    return make

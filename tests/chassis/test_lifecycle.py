"""Starting and stopping apps and processes."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from chassis.errors import BusUnavailableError, CannotStartError
from chassis.settings import BusSettings
from chassis.stream.connection import make_broker
from chassis.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from faststream.nats import NatsMessage
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo
from nats.js.manager import JetStreamManager

from tests.chassis.fixture_types import Eventually, MakeApp, MakeRequest
from tests.chassis.outcomes import outcome_of, simulate
from tests.support.clusters.nats_server import NatsServer

DURABLE = "sim-worker-simulation-requested"


class LoggingResource:
    """A resource that logs its start and stop, or fails to start."""

    def __init__(self, log: list[str], name: str, *, fails: bool = False) -> None:
        self._log = log
        self._name = name
        self._fails = fails

    async def start(self) -> None:
        if self._fails:
            raise OSError(f"{self._name} fails")
        self._log.append(f"{self._name} starts")

    async def stop(self) -> None:
        self._log.append(f"{self._name} stops")


async def test_stop_finishes_work_before_resources_close(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    log: list[str] = []
    begun = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        begun.set()
        await asyncio.sleep(0.5)
        log.append("answered")
        return outcome_of(request)

    app, other = make_app("sim-worker"), make_app("engineer")
    app.add_resource(LoggingResource(log, "disk"))
    app.add_resource(LoggingResource(log, "model"))
    app.answers(SimulationRequested, simulate)
    await app.start()
    await other.start()
    asking = asyncio.create_task(other.bus.ask(make_request()))
    await begun.wait()
    await app.stop()
    assert log == ["disk starts", "model starts", "answered", "model stops", "disk stops"]
    assert isinstance(await asking, SimulationFailed)
    info = await js.consumer_info(STREAM, DURABLE)
    assert info.num_ack_pending == 0


async def test_start_while_server_is_slow_waits_and_starts_every_subscriber_once(
    make_app: MakeApp, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered: list[int] = []
    slow = iter((False, False, True, True))
    read = JetStreamManager.consumer_info

    async def consumer_info(manager: JetStreamManager, stream: str, consumer: str) -> ConsumerInfo:
        if next(slow, False):
            raise NatsTimeoutError
        return await read(manager, stream, consumer)

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        answered.append(request.seed)
        return outcome_of(request)

    app, other = make_app("sim-worker"), make_app("engineer")
    app.answers(SimulationRequested, simulate, workers=3)
    await other.start()
    monkeypatch.setattr(JetStreamManager, "consumer_info", consumer_info)
    await app.start()
    assert list(slow) == []
    await asyncio.gather(*(other.bus.ask(make_request(seed)) for seed in range(6)))
    assert sorted(answered) == list(range(6))


async def test_work_beyond_the_drain_is_left_to_the_next_process(make_app: MakeApp, make_request: MakeRequest) -> None:
    begun = asyncio.Event()

    async def simulate_for_ever(request: SimulationRequested) -> SimulationFailed:
        begun.set()
        await asyncio.sleep(3600)
        return outcome_of(request)

    app, successor = make_app("sim-worker", bus_drain_s=0.2), make_app("sim-worker")
    app.answers(SimulationRequested, simulate_for_ever)
    successor.answers(SimulationRequested, simulate)
    await app.start()
    request = make_request()
    await app.bus.publish(request)
    await begun.wait()
    await app.stop()
    await successor.start()
    assert isinstance(await successor.bus.ask(request), SimulationFailed)


async def test_failed_start_leaves_nothing_open(make_app: MakeApp) -> None:
    log: list[str] = []
    app = make_app("sim-worker")
    app.add_resource(LoggingResource(log, "disk"))
    app.add_resource(LoggingResource(log, "model", fails=True))
    with pytest.raises(OSError, match="model fails"):
        await app.start()
    assert log == ["disk starts", "model stops", "disk stops"]
    assert await app.health() == ["sim-worker is not connected to NATS"]


async def test_several_apps_start_at_once(make_app: MakeApp) -> None:
    apps = [make_app("sim-worker") for _ in range(4)]
    for app in apps:
        app.answers(SimulationRequested, simulate)
    await asyncio.gather(*(app.start() for app in apps))
    assert [await app.health() for app in apps] == [[]] * 4


async def test_start_updates_an_existing_consumer(make_app: MakeApp, js: JetStreamContext) -> None:
    for ack_wait_s in (3.0, 5.0):
        app = make_app("sim-worker", bus_ack_wait_s=ack_wait_s)
        app.answers(SimulationRequested, simulate)
        await app.start()
    info = await js.consumer_info(STREAM, DURABLE)
    assert info.config.ack_wait == 5.0


async def test_start_without_a_server_names_address_and_time(make_app: MakeApp) -> None:
    app = make_app("planner", nats_url="nats://user:secret@127.0.0.1:1", bus_connect_timeout_s=0.5)
    with pytest.raises(BusUnavailableError, match=r"127\.0\.0\.1:1 within 0\.5 s") as error:
        await app.start()
    assert "secret" not in str(error.value)


async def test_start_without_jetstream_names_the_remedy(make_app: MakeApp, server: NatsServer) -> None:
    server.stop()
    server.start(with_jetstream=False)
    app = make_app("planner", bus_connect_timeout_s=1.0)
    with pytest.raises(BusUnavailableError, match="-js"):
        await app.start()


async def test_stop_does_not_wait_for_a_dead_server(
    make_app: MakeApp, server: NatsServer, make_request: MakeRequest, eventually: Eventually
) -> None:
    log: list[str] = []
    app = make_app("sim-worker")
    app.add_resource(LoggingResource(log, "disk"))
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.bus.ask(make_request())
    server.kill()

    async def is_unhealthy() -> bool:
        return await app.health() != []

    await eventually(is_unhealthy)
    await app.stop()
    assert log == ["disk starts", "disk stops"]


PROGRAM = """
import asyncio, logging, sys
from chassis.app import App
from chassis.process import run
from chassis.settings import BusSettings

class Resource:
    async def start(self): print("opened", flush=True)
    async def stop(self): print("closed", flush=True)

async def fail():
    await asyncio.sleep(0.1)
    return "its guard has ended"

def make():
    app = App("sim-worker", BusSettings())
    app.add_resource(Resource())
    if "--fails" in sys.argv:
        app.ends_on(fail)
    return app

run("sim-worker", make)
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_process_closes_its_resources_on_a_signal(settings: BusSettings, how: signal.Signals) -> None:
    process = _run(settings.nats_url)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "opened\n"
    while "is ready" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(how)
    output, _ = process.communicate()
    assert output == "closed\n"
    assert process.returncode == 0


def test_process_whose_vital_part_fails_closes_its_resources_and_exits(settings: BusSettings) -> None:
    process = _run(settings.nats_url, "--fails")
    output, errors = process.communicate()
    assert (process.returncode, output) == (2, "opened\nclosed\n")
    assert errors.splitlines()[-1] == "sim-worker: its guard has ended"


def test_process_without_a_server_exits_with_one_line() -> None:
    process = _run("nats://127.0.0.1:1")
    _, errors = process.communicate()
    assert process.returncode == 2
    assert "sim-worker: no NATS server answered at 127.0.0.1:1" in errors.splitlines()[-1]
    assert "Traceback" not in errors


def test_process_with_invalid_settings_names_variables_without_values() -> None:
    process = _run("nats://127.0.0.1:1", BUS_DRAIN_S="secret", BUS_MAX_DELIVER="-1", BUS_WATCH_S="")
    _, errors = process.communicate()
    assert process.returncode == 2
    assert errors == (
        "sim-worker: BUS_MAX_DELIVER: Input should be greater than 0; "
        "BUS_DRAIN_S: Input should be a valid number, unable to parse string as a number\n"
    )


@pytest.mark.parametrize(("known", "raised"), [(OSError, CannotStartError), (KeyError, OSError)])
async def test_known_error_of_a_resource_is_reported_by_its_message(
    make_app: MakeApp, known: type[Exception], raised: type[Exception]
) -> None:
    app = make_app("sim-worker")
    app.add_resource(LoggingResource([], "disk", fails=True))
    app.fails_fast_on(known)
    with pytest.raises(raised, match=r"^disk fails$"):
        await app.start()


def _run(nats_url: str, *arguments: str, **more: str) -> subprocess.Popen[str]:
    given = {"NATS_URL": nats_url, "BUS_CONNECT_TIMEOUT_S": "0.5", "PATH": str(Path(sys.executable).parent)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        env=given | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_normal_ends_of_faststream_tasks_are_not_logged(nats_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def consume(_: NatsMessage) -> None:
        await asyncio.sleep(0)

    with caplog.at_level(logging.INFO):
        broker = make_broker("planner", BusSettings(nats_url=nats_url))
        subscriber = broker.subscriber("ends", stream=None, max_workers=2)
        subscriber(consume)
        await broker.start()
        await broker.stop()
        await asyncio.sleep(0)
    assert "is being executed" not in caplog.text


async def test_handler_that_a_stop_cancels_is_not_logged_as_an_error(
    nats_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    is_begun = asyncio.Event()

    async def consume(_: NatsMessage) -> None:
        is_begun.set()
        await asyncio.sleep(60)

    with caplog.at_level(logging.INFO):
        broker = make_broker("planner", BusSettings(nats_url=nats_url, bus_drain_s=0.1))
        subscriber = broker.subscriber("cancelled", stream=None, max_workers=2)
        subscriber(consume)
        await broker.start()
        await broker.publish("", "cancelled")
        await is_begun.wait()
        await broker.stop()
        await asyncio.sleep(0.2)
    assert "CancelledError" not in caplog.text

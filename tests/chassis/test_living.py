"""Starting and stopping."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
from chassis.app import App
from chassis.errors import BusUnavailableError, CannotStartError
from chassis.settings import BusSettings
from chassis.stream.connection import make_broker
from chassis.stream.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from faststream.nats import NatsMessage
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


class Server(Protocol):
    def start(self, *, with_jetstream: bool = True) -> None: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...


class Shelf:
    """A resource that notes what happens to it."""

    def __init__(self, log: list[str], name: str, *, breaks: bool = False) -> None:
        self._log = log
        self._name = name
        self._breaks = breaks

    async def start(self) -> None:
        if self._breaks:
            raise OSError(f"{self._name} breaks")
        self._log.append(f"{self._name} starts")

    async def stop(self) -> None:
        self._log.append(f"{self._name} stops")


async def test_stopping_finishes_work_in_hand_before_resources_close(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    log: list[str] = []
    begun = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        begun.set()
        await asyncio.sleep(0.5)
        log.append("answered")
        return refuse(request)

    app, other = make_app("sim-worker"), make_app("engineer")
    app.add_resource(Shelf(log, "disk"))
    app.add_resource(Shelf(log, "model"))
    app.answers(SimulationRequested, simulate)
    await app.start()
    await other.start()
    asking = asyncio.create_task(other.bus.ask(ask_for()))
    await begun.wait()
    await app.stop()
    assert log == ["disk starts", "model starts", "answered", "model stops", "disk stops"]
    assert isinstance(await asking, SimulationFailed)
    info = await raw.consumer_info(STREAM, "sim-worker-simulation-requested")
    assert info.num_ack_pending == 0


async def test_work_that_outlasts_the_drain_is_done_by_the_next_process(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    begun = asyncio.Event()

    async def forever(request: SimulationRequested) -> SimulationFailed:
        begun.set()
        await asyncio.sleep(3600)
        return refuse(request)

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app, successor = make_app("sim-worker", bus_drain_s=0.2), make_app("sim-worker")
    app.answers(SimulationRequested, forever)
    successor.answers(SimulationRequested, simulate)
    await app.start()
    request = ask_for()
    await app.bus.publish(request)
    await begun.wait()
    await app.stop()
    await successor.start()
    assert isinstance(await successor.bus.ask(request), SimulationFailed)


async def test_a_start_that_fails_leaves_nothing_open(make_app: MakeApp) -> None:
    log: list[str] = []
    app = make_app("sim-worker")
    app.add_resource(Shelf(log, "disk"))
    app.add_resource(Shelf(log, "model", breaks=True))
    with pytest.raises(OSError, match="model breaks"):
        await app.start()
    assert log == ["disk starts", "model stops", "disk stops"]
    assert await app.health() == ["sim-worker is not connected to NATS"]


async def test_several_apps_can_start_at_once_on_an_empty_server(make_app: MakeApp, refuse: Refuse) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    apps = [make_app("sim-worker") for _ in range(4)]
    for app in apps:
        app.answers(SimulationRequested, simulate)
    await asyncio.gather(*(app.start() for app in apps))
    assert [await app.health() for app in apps] == [[]] * 4


async def test_an_existing_consumer_is_brought_up_to_date(
    make_app: MakeApp, refuse: Refuse, raw: JetStreamContext
) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    for ack_wait_s in (3.0, 5.0):
        app = make_app("sim-worker", bus_ack_wait_s=ack_wait_s)
        app.answers(SimulationRequested, simulate)
        await app.start()
    info = await raw.consumer_info(STREAM, "sim-worker-simulation-requested")
    assert info.config.ack_wait == 5.0


async def test_a_server_that_is_not_there_is_named_with_the_mend(make_app: MakeApp) -> None:
    app = make_app("planner", nats_url="nats://user:secret@127.0.0.1:1", bus_connect_timeout_s=0.5)
    with pytest.raises(BusUnavailableError, match=r"no NATS server answered at 127\.0\.0\.1:1 within 0\.5 s") as error:
        await app.start()
    assert "secret" not in str(error.value)


async def test_a_server_without_jetstream_is_named_with_the_mend(make_app: MakeApp, server: Server) -> None:
    server.stop()
    server.start(with_jetstream=False)
    app = make_app("planner", bus_connect_timeout_s=1.0)
    with pytest.raises(BusUnavailableError, match="start the server with -js"):
        await app.start()


async def test_stopping_does_not_wait_for_a_server_that_is_gone(
    make_app: MakeApp, server: Server, ask_for: Ask, refuse: Refuse, eventually: Eventually
) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    log: list[str] = []
    app = make_app("sim-worker")
    app.add_resource(Shelf(log, "disk"))
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.bus.ask(ask_for())
    server.kill()

    async def unwell() -> bool:
        return await app.health() != []

    await eventually(unwell)
    await app.stop()
    assert log == ["disk starts", "disk stops"]


PROGRAM = """
import asyncio, logging
from chassis.app import App
from chassis.process import run
from chassis.settings import BusSettings

class Shelf:
    async def start(self): print("opened", flush=True)
    async def stop(self): print("closed", flush=True)

def make():
    app = App("sim-worker", BusSettings())
    app.add_resource(Shelf())
    return app

run("sim-worker", make)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_process_ends_cleanly_when_asked_to(server: object, settings: BusSettings, how: signal.Signals) -> None:
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


def test_a_process_without_a_server_says_so_in_one_line() -> None:
    process = _run("nats://127.0.0.1:1")
    _, errors = process.communicate()
    assert process.returncode == 2
    assert "sim-worker: no NATS server answered at 127.0.0.1:1" in errors.splitlines()[-1]
    assert "Traceback" not in errors


def test_a_process_with_a_variable_that_makes_no_sense_says_so_in_one_line_without_its_value() -> None:
    process = _run("nats://127.0.0.1:1", BUS_DRAIN_S="secret", BUS_MAX_DELIVER="-1", BUS_WATCH_S="")
    _, errors = process.communicate()
    assert process.returncode == 2
    assert errors == (
        "sim-worker: BUS_MAX_DELIVER: Input should be greater than 0; "
        "BUS_DRAIN_S: Input should be a valid number, unable to parse string as a number\n"
    )


async def test_a_resource_that_does_not_open_for_a_known_reason_is_told_in_its_own_words(make_app: MakeApp) -> None:
    for kind in (OSError, KeyError):
        app = make_app("sim-worker")
        app.add_resource(Shelf([], "disk", breaks=True))
        app.fails_fast_on(kind)
        with pytest.raises(CannotStartError if kind is OSError else OSError, match=r"^disk breaks$"):
            await app.start()


def _run(nats_url: str, **more: str) -> subprocess.Popen[str]:
    given = {"NATS_URL": nats_url, "BUS_CONNECT_TIMEOUT_S": "0.5", "PATH": str(Path(sys.executable).parent)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=given | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_what_faststream_remarks_on_tasks_of_its_own_that_ended_well_is_not_logged(
    nats_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def hear(_: NatsMessage) -> None:
        await asyncio.sleep(0)

    with caplog.at_level(logging.INFO):
        broker = make_broker("planner", BusSettings(nats_url=nats_url))
        subscriber = broker.subscriber("remarks", stream=None, max_workers=2)
        subscriber(hear)
        await broker.start()
        await broker.stop()
        await asyncio.sleep(0)
    assert "is being executed" not in caplog.text

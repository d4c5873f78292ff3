"""A message that kills its process is given up alone: messages of other runs that were in hand with it are not."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import multiprocessing
import os
import signal
from multiprocessing.process import BaseProcess
from uuid import uuid4

import pytest
from chassis.app import App
from chassis.delivery.isolation import Isolation
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from contracts.envelope import answering
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import Eventually, MakeApp, MakeRequest, UntilSettled
from tests.chassis.outcomes import outcome_of

DURABLE = "sim-worker-simulation-requested"
POISON = 666
FUSE_S = 0.1
WORK_S = 0.3
"""An innocent request takes longer than the poison's fuse: beside it, it never ends."""


async def _work_for_ever(settings: BusSettings) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await asyncio.sleep(FUSE_S if request.seed == POISON else WORK_S)
        if request.seed == POISON:
            os.kill(os.getpid(), signal.SIGKILL)
        return SimulationFailed(**answering(request, "sim-worker"), reason="scene_invalid", detail="no")

    app = App("sim-worker", settings)
    app.answers(SimulationRequested, simulate, workers=4)
    await app.start()
    await asyncio.Event().wait()


def _worker(settings: BusSettings) -> None:
    asyncio.run(_work_for_ever(settings))


class Supervisor:
    """Runs one worker, forked from this process, and starts it again whenever it dies."""

    def __init__(self, settings: BusSettings) -> None:
        self._settings = settings
        self._process: BaseProcess | None = None
        self.deaths = 0

    async def run(self) -> None:
        fork = multiprocessing.get_context("fork")
        while True:
            self._process = fork.Process(target=_worker, args=(self._settings,), daemon=True)
            self._process.start()
            while self._process.exitcode is None:  # noqa: ASYNC110 - another process ends
                await asyncio.sleep(0.02)
            self.deaths += 1

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()


@pytest.fixture
def poison_settings(settings: BusSettings) -> BusSettings:
    return settings.model_copy(update={"bus_ack_wait_s": 0.5, "bus_max_deliver": 10})


@pytest.mark.timeout(120)
async def test_request_that_kills_its_worker_takes_no_neighbours_along(
    make_app: MakeApp, poison_settings: BusSettings, make_request: MakeRequest, until_settled: UntilSettled
) -> None:
    client = make_app("planner")
    await client.start()
    poison = make_request(seed=POISON)
    neighbours = [make_request(seed=seed).model_copy(update={"run_id": uuid4()}) for seed in range(3)]
    supervisor = Supervisor(poison_settings)
    supervising = asyncio.create_task(supervisor.run())
    try:
        for request in (poison, *neighbours):
            await client.bus.publish(request)
        letter = await client.bus.ask(poison)
        outcomes = [await client.bus.ask(request) for request in neighbours]
        await until_settled(DURABLE)
    finally:
        supervising.cancel()
        supervisor.stop()
    assert isinstance(letter, MessageAbandoned)
    assert letter.reason == "exhausted"
    assert "without any other one in hand" in letter.detail
    assert [type(outcome) for outcome in outcomes] == [SimulationFailed] * 3
    assert supervisor.deaths == 10


async def test_restarts_and_lost_processes_use_up_no_attempt(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext, eventually: Eventually
) -> None:
    """Each app is stopped with the request in hand, more often than attempts are allowed."""
    begun = asyncio.Event()
    may_end = False

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        begun.set()
        if not may_end:
            await asyncio.Event().wait()
        return outcome_of(request)

    request = make_request()
    client = make_app("planner")
    await client.start()
    await client.bus.publish(request)
    for _ in range(5):
        app = make_app("sim-worker", bus_drain_s=0.01)
        app.answers(SimulationRequested, simulate)
        await app.start()
        await begun.wait()
        begun.clear()
        await app.stop()
    may_end = True
    last = make_app("sim-worker")
    last.answers(SimulationRequested, simulate)
    await last.start()
    assert isinstance(await client.bus.ask(request), SimulationFailed)
    info = await js.consumer_info(STREAM, DURABLE)
    assert info.delivered is not None
    assert info.delivered.consumer_seq > 5


async def test_suspect_waits_for_what_is_in_hand_and_holds_up_what_comes() -> None:
    isolation, log = Isolation(), list[str]()

    async def company(name: str, until: asyncio.Event) -> None:
        async with isolation.in_company():
            log.append(name)
            await until.wait()

    async def suspect(until: asyncio.Event) -> None:
        async with isolation.alone() as is_alone:
            log.append(f"alone: {is_alone}")
            await until.wait()

    first, alone = asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(company("first", first))
        await asyncio.sleep(0)
        group.create_task(suspect(alone))
        await asyncio.sleep(0)
        group.create_task(company("second", alone))
        await asyncio.sleep(0.01)
        assert log == ["first"]
        first.set()
        await asyncio.sleep(0.01)
        assert log == ["first", "alone: True"]
        alone.set()
    assert log == ["first", "alone: True", "second"]


async def test_suspect_beside_endless_work_goes_on_in_company() -> None:
    isolation = Isolation(alone_within_s=0.01)
    async with isolation.in_company(), isolation.alone() as is_alone:
        assert not is_alone


async def test_message_that_waits_for_an_outage_is_not_in_hand() -> None:
    isolation = Isolation()
    async with isolation.in_company(), isolation.away(), isolation.alone() as is_alone:
        assert is_alone


async def test_suspects_take_turns_however_long_each_takes() -> None:
    isolation, most = Isolation(alone_within_s=0.01), 0
    working = 0

    async def suspect() -> None:
        nonlocal most, working
        async with isolation.alone() as is_alone:
            working += 1
            most = max(most, working)
            assert is_alone
            await asyncio.sleep(0.03)
            working -= 1

    await asyncio.gather(*(suspect() for _ in range(4)))
    assert most == 1

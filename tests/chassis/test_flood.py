"""More messages than can be worked on: nobody drowns, and nobody starves."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import statistics
from collections.abc import Awaitable, Callable
from uuid import uuid4

from chassis.app import App
from chassis.delivery.raw_reader import RawMessage
from chassis.recovery.backoff import backoff_s
from chassis.stream.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
UntilWell = Callable[[App], Awaitable[None]]

DURABLE = "sim-worker-simulation-requested"
FLOOD = 2000
WORKERS = 4
BATCH = 100


async def test_a_flood_waits_in_the_stream_and_not_in_the_workers(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext, until_well: UntilWell
) -> None:
    """Two processes with two workers each hold four messages, whatever waits; recorder and watch go on."""
    at_once = most_at_once = 0
    recorded: set[int] = set()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        nonlocal at_once, most_at_once
        at_once += 1
        most_at_once = max(most_at_once, at_once)
        await asyncio.sleep(0.3)
        at_once -= 1
        return refuse(request)

    async def record(batch: list[RawMessage]) -> None:
        recorded.update(each.sequence for each in batch)

    apps = [make_app("sim-worker") for _ in range(2)]
    for app in apps:
        app.answers(SimulationRequested, simulate, workers=WORKERS // 2)
    recorder = make_app("recorder")
    recorder.records(record, BATCH)
    for app in (*apps, recorder):
        await app.start()
    requests = [ask_for(seed) for seed in range(FLOOD)]
    for request in requests:
        await raw.publish(request.full_subject, request.model_dump_json().encode())
    in_flight = [(await raw.consumer_info(STREAM, DURABLE)).num_ack_pending or 0 for _ in range(50)]
    while len(recorded) < FLOOD:
        in_flight.append((await raw.consumer_info(STREAM, DURABLE)).num_ack_pending or 0)
        await asyncio.sleep(0.02)
    assert max(in_flight) == most_at_once == WORKERS
    await raw.delete_consumer(STREAM, DURABLE)
    await until_well(apps[0])


async def test_a_run_whose_work_is_slow_holds_one_worker_and_no_more(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    """Its message is not given to a second one, however long it takes, and the others' go through the rest."""
    slow = ask_for().model_copy(update={"run_id": uuid4()})
    begun: list[SimulationRequested] = []
    finish = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        begun.append(request)
        if request == slow:
            await finish.wait()
        return refuse(request)

    app = make_app("sim-worker", bus_ack_wait_s=0.3)
    app.answers(SimulationRequested, simulate, workers=2)
    await app.start()
    asking = asyncio.create_task(app.bus.ask(slow))
    for seed in range(50):
        assert isinstance(await app.bus.ask(ask_for(seed)), SimulationFailed)
    assert not asking.done()
    finish.set()
    assert isinstance(await asking, SimulationFailed)
    assert begun.count(slow) == 1


async def test_a_run_whose_work_fails_again_and_again_holds_nobody_up(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    """One worker, and ten messages that are put off: what is put off waits in the server, ever longer."""
    tries: list[float] = []
    tried_thrice = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        if request.seed >= 100:
            if request.seed == 100:
                tries.append(asyncio.get_running_loop().time())
            if len(tries) == 3:
                tried_thrice.set()
            raise OSError("the disk is full")
        return refuse(request)

    app = make_app("sim-worker", bus_retry_delay_s=0.4, bus_max_deliver=3)
    app.answers(SimulationRequested, simulate)
    await app.start()
    for seed in range(100, 110):
        await app.bus.publish(ask_for(seed))
    outcomes = [await app.bus.ask(ask_for(seed)) for seed in range(20)]
    assert all(isinstance(outcome, SimulationFailed) for outcome in outcomes)
    assert len(tries) < 3
    await tried_thrice.wait()
    assert tries[1] - tries[0] > 0.4 * 0.75
    assert tries[2] - tries[1] > 0.8 * 0.75


def test_pauses_double_up_to_a_limit_and_differ() -> None:
    pauses = {tries: [backoff_s(tries, 1.0, 30.0) for _ in range(200)] for tries in (1, 2, 5, 6, 40)}
    for tries, middle_s in ((1, 1.0), (2, 2.0), (5, 16.0), (6, 30.0), (40, 30.0)):
        assert all(0.75 * middle_s <= each <= 1.25 * middle_s for each in pauses[tries])
        assert statistics.stdev(pauses[tries]) > 0.05 * middle_s

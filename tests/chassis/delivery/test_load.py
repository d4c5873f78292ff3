"""More messages than workers: no worker takes more than it works on, and no run holds up the others."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from uuid import uuid4

from chassis.delivery.batch_reader import RawMessage
from chassis.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import MakeApp, MakeRequest, UntilHealthy
from tests.chassis.outcomes import outcome_of

DURABLE = "sim-worker-simulation-requested"
MESSAGES = 500
WORKERS = 4
BATCH_SIZE = 100


async def test_messages_wait_in_the_stream_and_not_in_workers(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext, until_healthy: UntilHealthy
) -> None:
    """Two processes with two workers each hold four messages; recorder and reconciliation go on meanwhile."""
    running = most_running = 0
    recorded: set[int] = set()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        nonlocal running, most_running
        running += 1
        most_running = max(most_running, running)
        await asyncio.sleep(0.3)
        running -= 1
        return outcome_of(request)

    async def record(batch: list[RawMessage]) -> None:
        recorded.update(each.sequence for each in batch)

    apps = [make_app("sim-worker") for _ in range(2)]
    for app in apps:
        app.answers(SimulationRequested, simulate, workers=WORKERS // 2)
    recorder = make_app("recorder")
    recorder.records(record, BATCH_SIZE)
    for app in (*apps, recorder):
        await app.start()
    requests = [make_request(seed) for seed in range(MESSAGES)]
    for request in requests:
        await js.publish(request.full_subject, request.model_dump_json().encode())
    in_flight = [(await js.consumer_info(STREAM, DURABLE)).num_ack_pending or 0 for _ in range(50)]
    while len(recorded) < MESSAGES:
        in_flight.append((await js.consumer_info(STREAM, DURABLE)).num_ack_pending or 0)
        await asyncio.sleep(0.02)
    assert most_running == WORKERS
    assert WORKERS <= max(in_flight) <= 2 * WORKERS, "an acknowledgement may still be on its way to the server"
    await js.delete_consumer(STREAM, DURABLE)
    await until_healthy(apps[0])


async def test_slow_handler_holds_one_worker_only(make_app: MakeApp, make_request: MakeRequest) -> None:
    """Its message is not delivered to a second worker, which handles the other messages meanwhile."""
    slow = make_request().model_copy(update={"run_id": uuid4()})
    begun: list[SimulationRequested] = []
    finish = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        begun.append(request)
        if request == slow:
            await finish.wait()
        return outcome_of(request)

    app = make_app("sim-worker", bus_ack_wait_s=0.3)
    app.answers(SimulationRequested, simulate, workers=2)
    await app.start()
    asking = asyncio.create_task(app.bus.ask(slow))
    for seed in range(50):
        assert isinstance(await app.bus.ask(make_request(seed)), SimulationFailed)
    assert not asking.done()
    finish.set()
    assert isinstance(await asking, SimulationFailed)
    assert begun.count(slow) == 1


async def test_failing_handler_does_not_delay_other_messages(make_app: MakeApp, make_request: MakeRequest) -> None:
    """One worker and ten failing messages, which wait in the server for ever longer."""
    attempts: list[float] = []
    tried_three_times = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        if request.seed >= 100:
            if request.seed == 100:
                attempts.append(asyncio.get_running_loop().time())
            if len(attempts) == 3:
                tried_three_times.set()
            raise OSError("the disk is full")
        return outcome_of(request)

    app = make_app("sim-worker", bus_retry_delay_s=0.4, bus_max_deliver=3)
    app.answers(SimulationRequested, simulate)
    await app.start()
    for seed in range(100, 110):
        await app.bus.publish(make_request(seed))
    outcomes = [await app.bus.ask(make_request(seed)) for seed in range(20)]
    assert all(isinstance(outcome, SimulationFailed) for outcome in outcomes)
    assert len(attempts) < 3
    await tried_three_times.wait()
    assert attempts[1] - attempts[0] > 0.4 * 0.75
    assert attempts[2] - attempts[1] > 0.8 * 0.75

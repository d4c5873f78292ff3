"""One thread's requests are answered in order, one at a time."""

import asyncio
from uuid import UUID

from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationFailed, SimulationRequested

from tests.chassis.fixture_types import MakeApp, MakeRequest, Simulate
from tests.chassis.outcomes import outcome_of, simulate


async def test_requests_of_a_thread_are_answered_in_order(
    make_app: MakeApp, make_request: MakeRequest, run_id: UUID
) -> None:
    log: list[str] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        log.append(f"{request.seed} begins")
        await asyncio.sleep(0.05)
        if request.seed == 1 and log.count("1 begins") == 1:
            log.append("1 fails")
            raise OSError("once")
        log.append(f"{request.seed} ends")
        return outcome_of(request)

    app = make_app("cad-worker")
    await app.start()
    requests = [make_request(seed=seed) for seed in range(4)]
    for request in requests:
        await app.bus.publish(request)
    await app.serve_thread(run_id, "engineer", {SimulationRequested: simulate})
    await asyncio.gather(*(app.bus.ask(request) for request in requests))
    assert log == [
        "0 begins", "0 ends", "1 begins", "1 fails", "1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"
    ]  # fmt: skip


async def test_requests_of_other_threads_are_not_answered(
    make_app: MakeApp, make_request: MakeRequest, run_id: UUID
) -> None:
    seeds: list[int] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        seeds.append(request.seed)
        return outcome_of(request)

    app = make_app("cad-worker")
    await app.start()
    await app.serve_thread(run_id, "engineer", {SimulationRequested: simulate})
    await app.bus.publish(make_request(seed=1, role="critic"))
    await app.bus.publish(make_request(seed=2).model_copy(update={"run_id": UUID(int=1)}))
    await app.bus.ask(make_request(seed=3))
    assert seeds == [3]


async def test_requests_of_classes_without_a_handler_are_ignored(
    make_app: MakeApp, make_request: MakeRequest, run_id: UUID
) -> None:
    async def run_cell(request: CellRequested) -> SimulationFailed:
        return outcome_of(request)

    serving, answering = make_app("cad-worker"), make_app("sim-worker")
    answering.answers(SimulationRequested, simulate)
    await serving.start()
    await serving.serve_thread(run_id, "engineer", {CellRequested: run_cell})
    await answering.start()
    assert (await serving.bus.ask(make_request())).producer == "sim-worker"
    assert len(await serving.bus.history(run_id)) == 2


async def test_next_process_continues_a_thread(make_app: MakeApp, make_request: MakeRequest, run_id: UUID) -> None:
    log: list[str] = []

    def simulate_in(process: str) -> Simulate:
        async def simulate(request: SimulationRequested) -> SimulationFailed:
            log.append(f"{request.seed} in {process}")
            return outcome_of(request)

        return simulate

    first, second = make_app("cad-worker"), make_app("cad-worker")
    await first.start()
    await second.start()
    thread = await first.serve_thread(run_id, "engineer", {SimulationRequested: simulate_in("first")})
    await first.bus.ask(make_request(seed=1))
    await thread.stop()
    await thread.stop()
    request = make_request(seed=2)
    await first.bus.publish(request)
    await second.serve_thread(run_id, "engineer", {SimulationRequested: simulate_in("second")})
    await second.bus.ask(request)
    assert log == ["1 in first", "2 in second"]


async def test_thread_can_be_stopped_by_its_own_handler(
    make_app: MakeApp, make_request: MakeRequest, run_id: UUID
) -> None:
    """As a session does that closes because of a request."""
    stopping: list[asyncio.Task[None]] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        stopping.append(asyncio.create_task(thread.stop()))
        return outcome_of(request)

    app = make_app("cad-worker")
    await app.start()
    thread = await app.serve_thread(run_id, "engineer", {SimulationRequested: simulate})
    await app.bus.ask(make_request())
    await asyncio.gather(*stopping)
    assert await app.health() == []

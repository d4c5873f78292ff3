"""One thread's requests, in order, one at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

from chassis.app import App
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationFailed, SimulationRequested

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def test_requests_are_answered_in_order_one_at_a_time(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    log: list[str] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        log.append(f"{request.seed} begins")
        await asyncio.sleep(0.05)
        if request.seed == 1 and log.count("1 begins") == 1:
            log.append("1 fails")
            raise OSError("once")
        log.append(f"{request.seed} ends")
        return refuse(request)

    app = make_app("cad-worker")
    await app.start()
    requests = [ask_for(seed=seed) for seed in range(4)]
    for request in requests:
        await app.bus.publish(request)
    await app.serve_thread(run_id, "engineer", {SimulationRequested: simulate})
    await asyncio.gather(*(app.bus.ask(request) for request in requests))
    assert log == [
        "0 begins", "0 ends", "1 begins", "1 fails", "1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"
    ]  # fmt: skip


async def test_only_the_thread_that_is_attended_is_answered(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    seeds: list[int] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        seeds.append(request.seed)
        return refuse(request)

    app = make_app("cad-worker")
    await app.start()
    await app.serve_thread(run_id, "engineer", {SimulationRequested: simulate})
    await app.bus.publish(ask_for(seed=1, role="critic"))
    await app.bus.publish(ask_for(seed=2).model_copy(update={"run_id": UUID(int=1)}))
    await app.bus.ask(ask_for(seed=3))
    assert seeds == [3]


async def test_requests_of_other_classes_are_passed_over(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    async def run_cell(request: CellRequested) -> SimulationFailed:
        return refuse(request)

    attending, answering = make_app("cad-worker"), make_app("sim-worker")

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    answering.answers(SimulationRequested, simulate)
    await attending.start()
    await attending.serve_thread(run_id, "engineer", {CellRequested: run_cell})
    await answering.start()
    assert (await attending.bus.ask(ask_for())).producer == "sim-worker"
    assert len(await attending.bus.history(run_id)) == 2


async def test_whoever_attends_next_goes_on_where_the_last_one_stopped(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    log: list[str] = []

    def simulate_at(place: str) -> Callable[[SimulationRequested], Awaitable[SimulationFailed]]:
        async def simulate(request: SimulationRequested) -> SimulationFailed:
            log.append(f"{request.seed} at {place}")
            return refuse(request)

        return simulate

    first, second = make_app("cad-worker"), make_app("cad-worker")
    await first.start()
    await second.start()
    attendance = await first.serve_thread(run_id, "engineer", {SimulationRequested: simulate_at("first")})
    await first.bus.ask(ask_for(seed=1))
    await attendance.stop()
    await attendance.stop()
    request = ask_for(seed=2)
    await first.bus.publish(request)
    await second.serve_thread(run_id, "engineer", {SimulationRequested: simulate_at("second")})
    await second.bus.ask(request)
    assert log == ["1 at first", "2 at second"]


async def test_an_attendance_can_be_stopped_by_its_own_handler(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    """As when a session closes because of what it has just been told."""
    stopping: list[asyncio.Task[None]] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        stopping.append(asyncio.create_task(attendance.stop()))
        return refuse(request)

    app = make_app("cad-worker")
    await app.start()
    attendance = await app.serve_thread(run_id, "engineer", {SimulationRequested: simulate})
    await app.bus.ask(ask_for())
    await asyncio.gather(*stopping)
    assert await app.health() == []

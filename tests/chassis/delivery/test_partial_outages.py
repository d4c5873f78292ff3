"""A dependency that only some runs need, such as a model's provider, holds up those runs and the workers of none."""

import asyncio
import time
from collections import Counter
from dataclasses import replace
from uuid import uuid4

from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from chassis.delivery.worker_slot import WorkerSlots
from chassis.errors import PartialOutageError
from chassis.retry import Outages
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.models.conversation import Message

from tests.chassis.fixture_types import Eventually, MakeApp, MakeRequest
from tests.chassis.outcomes import outcome_of
from tests.support.clusters.fake_provider import FakeProvider, completion

HEALTHY = 100
WORKERS = 4


class ProviderDownError(PartialOutageError):
    def __init__(self, key: str) -> None:
        super().__init__(f"{key} is unreachable")
        self.key = key


async def test_runs_of_a_dead_provider_hold_up_no_other_run(
    make_app: MakeApp, make_request: MakeRequest, eventually: Eventually
) -> None:
    is_up = False
    calls: Counter[int] = Counter()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        calls[request.seed] += 1
        if request.seed != HEALTHY and not is_up:
            raise ProviderDownError("dead")
        return outcome_of(request)

    app = make_app("sim-worker")
    app.retries_on(ProviderDownError)
    app.answers(SimulationRequested, simulate, workers=WORKERS)
    await app.start()
    stuck = [make_request(seed).model_copy(update={"run_id": uuid4()}) for seed in range(2 * WORKERS)]
    for request in stuck:
        await app.bus.publish(request)

    async def all_wait() -> bool:
        return len(calls) == len(stuck)

    await eventually(all_wait)
    started_s = time.monotonic()
    assert isinstance(await app.bus.ask(make_request(HEALTHY)), SimulationFailed)
    assert time.monotonic() - started_s < 5.0
    assert max(calls[seed] for seed in range(1, 2 * WORKERS)) <= 2  # the first one tries for all of them
    is_up = True
    for request in stuck:
        assert isinstance(await app.bus.ask(request), SimulationFailed)


async def test_slow_model_holds_no_worker(make_app: MakeApp, make_request: MakeRequest, eventually: Eventually) -> None:
    with FakeProvider(replace(completion("late"), after_s=60.0)) as provider:
        fields = {"openai_api_key": "a-key-of-no-value", "openai_base_url": provider.base_url}
        model = RoleModel.configured(ModelSettings.model_validate(fields))

        async def simulate(request: SimulationRequested) -> SimulationFailed:
            if request.seed != HEALTHY:
                await model.answer("openai:slow", [Message(author="user", text="hi")], ())
            return outcome_of(request)

        app = make_app("sim-worker", bus_drain_s=0.1)
        app.answers(SimulationRequested, simulate, workers=1)
        await app.start()
        for seed in range(3):
            await app.bus.publish(make_request(seed))

        async def all_wait() -> bool:
            return provider.calls == 3

        await eventually(all_wait)
        assert isinstance(await app.bus.ask(make_request(HEALTHY)), SimulationFailed)
        await app.stop()


async def test_first_success_wakes_those_that_wait_behind() -> None:
    is_up, served = False, list[int]()

    async def work(number: int) -> None:
        if not is_up:
            raise ProviderDownError("dead")
        served.append(number)

    outages = Outages(first_pause_s=0.05)
    outages.add_errors(ProviderDownError)
    waiting = [asyncio.create_task(outages.retry(f"{each}", lambda each=each: work(each))) for each in range(20)]
    await asyncio.sleep(0.2)
    is_up = True
    await asyncio.wait_for(asyncio.gather(*waiting), timeout=10)  # each alone would pause for 30 s
    assert sorted(served) == list(range(20))
    assert outages.problems() == []


async def test_waiting_behind_a_cancelled_one_goes_on() -> None:
    is_up = False

    async def work() -> bool:
        if not is_up:
            raise ProviderDownError("dead")
        return True

    outages = Outages(first_pause_s=0.05)
    outages.add_errors(ProviderDownError)
    first, second = (asyncio.create_task(outages.retry(each, work)) for each in ("first", "second"))
    await asyncio.sleep(0.1)
    first.cancel()
    is_up = True
    assert await asyncio.wait_for(second, timeout=5)


def test_only_so_many_wait_without_a_worker() -> None:
    slots = WorkerSlots(max_per_key=2)
    assert [slots.take("dead") for _ in range(3)] == [True, True, False]
    assert slots.take("alive")
    slots.give_back("dead")
    assert slots.take("dead")

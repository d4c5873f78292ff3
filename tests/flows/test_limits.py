"""A run that may not go on ends soon, with its reason, whatever is in flight; and what is in flight is stopped."""

import asyncio
from collections.abc import Generator
from typing import Any
from uuid import uuid4

import cad_worker.app
import cad_worker.settings
import pytest
import skill_learner.app
import skill_learner.settings
from artifacts.client import Artifacts
from benchmarks.loader import CODE_TYPE, load
from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from cli.runs.request import engineering_request as requested_by
from contracts.envelope import Event, Request
from contracts.events.conversation import ModelCalled
from contracts.events.run import CancelRequested, EngineeringRequested, RunFailed
from contracts.events.session import CellCompleted, CellRequested, SessionClosed
from contracts.events.simulation import SimulationRequested
from contracts.models.benchmark import Budget

from tests.agent.role_harness import engineering_requested
from tests.flows.full_run import Servers, order
from tests.flows.slow_roles import SOON_S, Provider, roles, started, world_of

SHORT_S = 2.0
PRICES = '{"openai:fake.x": {"usd_per_million_input_tokens": 1000, "usd_per_million_output_tokens": 1000}}'


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Generator[Provider]:
    with Provider() as one:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", one.base_url)
        monkeypatch.setenv("MODEL_PRICES", PRICES)
        yield one


def _run(**budget: Any) -> EngineeringRequested:
    return engineering_requested(model="openai:fake.x", budget=Budget(**budget))


@pytest.mark.parametrize("role", ["planner", "critic", "engineer"])
async def test_cancellation_ends_a_run_during_a_model_call(
    role: str, real_servers: Servers, provider: Provider
) -> None:
    provider.slow_role = role
    async with world_of(real_servers, provider) as world:
        run = _run()
        await world.bus.publish(run)
        assert await asyncio.to_thread(provider.thinks.wait, SOON_S)
        await world.cancel(run)
        end = await world.end_of(run)
        assert (end.reason, end.detail) == ("cancelled", "enough")
        await world.has_no_more_calls()
        calls = [event for event in await world.bus.history(run.run_id) if isinstance(event, ModelCalled)]
        assert role not in {call.role for call in calls}


async def test_deadline_ends_a_run_during_a_model_call(real_servers: Servers, provider: Provider) -> None:
    provider.slow_role = "planner"
    async with world_of(real_servers, provider) as world:
        run = _run(deadline_s=SHORT_S)
        await world.bus.publish(run)
        end = await world.end_of(run)
        assert end.reason == "deadline"
        assert provider.thinks.is_set()
        await world.has_no_more_calls()


async def test_deadline_ends_a_run_without_an_engineer(real_servers: Servers, provider: Provider) -> None:
    async with world_of(real_servers, provider, with_engineer=False) as world:
        run = _run(deadline_s=SHORT_S)
        await world.bus.publish(run)
        assert (await world.end_of(run)).reason == "deadline"


@pytest.mark.parametrize("held", [CellRequested, SimulationRequested])
async def test_end_of_run_stops_cell_and_simulation(
    held: type[Request], real_servers: Servers, provider: Provider
) -> None:
    async with world_of(real_servers, provider) as world:
        world.workers.keeps = held
        run = _run()
        await world.bus.publish(run)
        async with asyncio.timeout(SOON_S):
            await world.workers.has_it.wait()
        await world.cancel(run)
        assert (await world.end_of(run)).reason == "cancelled"
        async with asyncio.timeout(SOON_S):
            await world.workers.dropped.wait()


@pytest.mark.parametrize(
    ("budget", "reason", "figures"),
    [
        ({"max_tokens": 50}, "tokens_exhausted", "of 50 tokens"),
        ({"max_cost_usd": 0.05}, "money_exhausted", "of 0.05 USD"),
        ({"max_steps": 2}, "steps_exhausted", "2 model calls"),
    ],
)
async def test_exhausted_budget_ends_the_run_with_figures(
    budget: dict[str, Any], reason: str, figures: str, real_servers: Servers, provider: Provider
) -> None:
    async with world_of(real_servers, provider) as world:
        run = _run(**budget)
        await world.bus.publish(run)
        end = await world.end_of(run)
        assert end.reason == reason
        assert figures in end.detail
        await world.has_no_more_calls()


async def test_looping_cell_is_stopped_and_its_session_closed(
    real_servers: Servers, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real cad-worker and a real kernel."""
    provider.code = "while True:\n    pass"
    fields, loaded = real_servers.fields(), load("detour", 1)
    requested = requested_by(order("detour", 1), loaded).model_copy(update={"model": "openai:fake.x"})
    artifacts = Artifacts(real_servers.s3)
    worker = cad_worker.app.make_app(cad_worker.settings.Settings(**fields))
    asker = App("tests", BusSettings(nats_url=real_servers.nats_url))
    learner = skill_learner.app.make_app(skill_learner.settings.Settings(**fields))
    async with started([artifacts, worker, learner, *roles(fields, with_engineer=True), asker]):
        await artifacts.put(loaded.environment_code, CODE_TYPE)
        await asker.bus.publish(requested)
        await _until(asker.bus, requested, CellRequested)
        cancellation = CancelRequested(
            id=uuid4(), run_id=requested.run_id, role="planner", producer="cli", reason="enough"
        )
        await asker.bus.publish(cancellation)
        async with asyncio.timeout(SOON_S):
            end = await asker.bus.wait_for_end(requested.run_id)
        assert isinstance(end, RunFailed)
        await _until(asker.bus, requested, SessionClosed)
        kinds = [type(event) for event in await asker.bus.history(requested.run_id)]
        assert CellCompleted not in kinds
        assert kinds.count(ModelCalled) == 3


async def _until(bus: Bus, run: Event, event_class: type[Event]) -> None:
    async with asyncio.timeout(2 * SOON_S):
        while await bus.latest(event_class, run.run_id) is None:  # noqa: ASYNC110 - the log is on a server
            await asyncio.sleep(0.1)

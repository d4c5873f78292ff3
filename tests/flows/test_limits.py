"""Cancellation and limits end a run soon, with their reason, and interrupt the work in flight."""

import asyncio
from collections.abc import Generator
from typing import Any

import nats
import pytest
from benchmarks.loader import CODE_TYPE, load
from chassis.bus import Bus
from contracts.envelope import Event, Request, outcome_id
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringRequested, RunFailed
from contracts.events.session import CellCompleted, CellRequested, SessionClosed
from contracts.events.simulation import SimulationRequested
from contracts.models.benchmark import Budget
from run_requests.request import engineering_request

from tests.agent.role_harness import engineering_requested
from tests.flows.complete_runs import order
from tests.flows.interruptible_runs import SOON_S, SlowModel, cancellation_of, make_roles, run_roles
from tests.support.clusters.cluster import Client, Endpoints, make_service, started
from tests.support.clusters.fake_provider import FakeProvider

SHORT_S = 2.0
PRICES = '{"openai:fake.x": {"usd_per_million_input_tokens": 1000, "usd_per_million_output_tokens": 1000}}'


@pytest.fixture
def model() -> SlowModel:
    return SlowModel()


@pytest.fixture
def provider(model: SlowModel, monkeypatch: pytest.MonkeyPatch) -> Generator[FakeProvider]:
    with model.provider() as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        monkeypatch.setenv("MODEL_PRICES", PRICES)
        yield provider
        model.may_answer.set()


def _run(**budget: Any) -> EngineeringRequested:
    return engineering_requested(model="openai:fake.x", budget=Budget(**budget))


@pytest.mark.parametrize("role", ["planner", "critic", "engineer"])
async def test_cancellation_interrupts_a_model_call(
    role: str, real_servers: Endpoints, model: SlowModel, provider: FakeProvider
) -> None:
    model.slow_role = role
    async with run_roles(real_servers, provider) as roles:
        run = _run()
        await roles.bus.publish(run)
        assert await asyncio.to_thread(model.is_asked.wait, SOON_S)
        await roles.cancel(run)
        end = await roles.end_of(run)
        assert (end.reason, end.detail) == ("cancelled", "enough")
        await roles.assert_no_more_calls()
        calls = [event for event in await roles.bus.history(run.run_id) if isinstance(event, ModelCalled)]
        assert role not in {call.role for call in calls}


async def test_deadline_interrupts_a_model_call(
    real_servers: Endpoints, model: SlowModel, provider: FakeProvider
) -> None:
    model.slow_role = "planner"
    async with run_roles(real_servers, provider) as roles:
        run = _run(deadline_s=SHORT_S)
        await roles.bus.publish(run)
        end = await roles.end_of(run)
        assert end.reason == "deadline"
        assert model.is_asked.is_set()
        await roles.assert_no_more_calls()


async def test_deadline_ends_a_run_without_engineer(real_servers: Endpoints, provider: FakeProvider) -> None:
    async with run_roles(real_servers, provider, with_engineer=False) as roles:
        run = _run(deadline_s=SHORT_S)
        await roles.bus.publish(run)
        assert (await roles.end_of(run)).reason == "deadline"


@pytest.mark.parametrize("held", [CellRequested, SimulationRequested])
async def test_end_interrupts_a_cell_or_simulation(
    held: type[Request], real_servers: Endpoints, provider: FakeProvider
) -> None:
    async with run_roles(real_servers, provider) as roles:
        roles.workers.holds = held
        run = _run()
        await roles.bus.publish(run)
        async with asyncio.timeout(SOON_S):
            await roles.workers.is_holding.wait()
        await roles.cancel(run)
        assert (await roles.end_of(run)).reason == "cancelled"
        async with asyncio.timeout(SOON_S):
            await roles.workers.is_cancelled.wait()


@pytest.mark.parametrize(
    ("budget", "reason", "figures"),
    [
        ({"max_tokens": 50}, "tokens_exhausted", "of 50 tokens"),
        ({"max_cost_usd": 0.05}, "money_exhausted", "of 0.05 USD"),
        ({"max_steps": 2}, "steps_exhausted", "2 model calls"),
    ],
)
async def test_exhausted_budget_ends_the_run_with_figures(
    budget: dict[str, Any], reason: str, figures: str, real_servers: Endpoints, provider: FakeProvider
) -> None:
    async with run_roles(real_servers, provider) as roles:
        run = _run(**budget)
        await roles.bus.publish(run)
        end = await roles.end_of(run)
        assert end.reason == reason
        assert figures in end.detail
        await roles.assert_no_more_calls()


async def test_cancellation_interrupts_a_looping_cell(
    real_servers: Endpoints, model: SlowModel, provider: FakeProvider
) -> None:
    """With the real cad-worker and a real kernel."""
    model.code = "while True:\n    pass"
    settings, loaded = real_servers.settings(), load("detour", 1)
    requested = engineering_request(order("detour", 1), loaded).model_copy(update={"model": "openai:fake.x"})
    workers = [make_service(name, settings) for name in ("cad-worker", "sim-worker", "skill-learner")]
    async with started(*workers, *make_roles(settings)), Client(real_servers) as client:
        await client.artifacts.put(loaded.environment_code, CODE_TYPE)
        await client.bus.publish(requested)
        await _until(client.bus, requested, CellRequested)
        await client.bus.publish(cancellation_of(requested))
        async with asyncio.timeout(SOON_S):
            end = await client.bus.wait_for_end(requested.run_id)
        assert isinstance(end, RunFailed)
        await _until(client.bus, requested, SessionClosed)
        kinds = [type(event) for event in await client.bus.history(requested.run_id)]
        assert CellCompleted not in kinds
        assert kinds.count(ModelCalled) == 3


async def _until(bus: Bus, run: Event, event_class: type[Event]) -> None:
    async with asyncio.timeout(2 * SOON_S):
        while await bus.latest(event_class, run.run_id) is None:  # noqa: ASYNC110 - the log is on a server
            await asyncio.sleep(0.1)


async def test_request_with_an_infinite_duration_ends_its_run(real_servers: Endpoints, provider: FakeProvider) -> None:
    """Such a number is JSON's null, as a client of another version may send it."""
    run = _run()
    duration_s = run.assignment.variant.duration_s
    broken = run.model_dump_json().replace(f'"duration_s":{duration_s}', '"duration_s":null')
    assert '"duration_s":null' in broken
    async with run_roles(real_servers, provider) as roles:
        client = await nats.connect(real_servers.nats_url)  # pyright: ignore[reportUnknownMemberType]
        try:
            await client.jetstream().publish(run.full_subject, broken.encode())  # pyright: ignore[reportUnknownMemberType]
        finally:
            await client.close()
        end = await roles.end_of(run)
    assert (end.reason, end.id) == ("abandoned", outcome_id(run.id))
    assert "duration_s" in end.detail
    assert "bad_input" in end.detail

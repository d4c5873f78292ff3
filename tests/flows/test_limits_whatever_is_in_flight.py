"""A run that may not go on ends soon, with its reason, whatever is in flight; and what is in flight is stopped."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import cad_worker.app
import cad_worker.settings
import critic.app
import critic.settings
import engineer.app
import engineer.settings
import planner.app
import planner.settings
import pytest
from agent.offline.model import OfflineExpert
from artifacts.client import Artifacts
from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from cli.loading import CODE_TYPE, load
from cli.requesting import request as requested_by
from contracts.benchmark import Budget
from contracts.conversation import ModelCalled
from contracts.engineering import (
    CancelRequested,
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRequested,
    RunFailed,
)
from contracts.envelope import Event, Request
from contracts.session import (
    CellCompleted,
    CellRequested,
    Observation,
    SessionClosed,
    SessionOpened,
    SessionRequested,
)
from contracts.simulation import SimulationFailed, SimulationRequested
from langchain_core.messages import AIMessage, BaseMessage

from tests.agent.role_play import engineering_requested
from tests.contracts import example_values as values
from tests.engineer.walking import cell
from tests.fakes.openai_server import FakeOpenAI
from tests.flows.one_run import Servers, order

LONG_S = 60.0
"""What is in flight would take this long: had it to be waited for, the test would fail by its limit."""
SOON_S = 25.0
SHORT_S = 2.0
PRICES = '{"openai:fake.x": {"usd_per_million_input_tokens": 1000, "usd_per_million_output_tokens": 1000}}'


class Provider:
    """A paid model: the offline expert, but slow in one role, and with an engineer who looks about without end."""

    def __init__(self) -> None:
        self.slow_role = ""
        self.thinks = threading.Event()
        """Set when the slow role was asked."""
        self._release = threading.Event()
        self.code = "print(1)"
        self._server = FakeOpenAI({"fake": self._reply})
        self._expert = OfflineExpert()

    @property
    def calls(self) -> int:
        return self._server.calls

    @property
    def base_url(self) -> str:
        return self._server.base_url

    def __enter__(self) -> "Provider":
        self._server.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._release.set()
        self._server.__exit__(None, None, None)

    def _reply(self, messages: Sequence[BaseMessage], label: str) -> AIMessage:
        role = messages[0].text.splitlines()[0].removeprefix("# Role: ").strip()
        if role == self.slow_role:
            self.thinks.set()
            self._release.wait(LONG_S)
        return AIMessage(cell(self.code)) if role == "engineer" else self._expert.reply_to(messages)


@dataclass
class Workers:
    """Stands for cad-worker and sim-worker: each request is answered at once, or kept until somebody gives up."""

    bus: Bus
    keeps: type[Request] | None = None
    has_it: asyncio.Event = field(default_factory=asyncio.Event)
    dropped: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: Request) -> Event:
        if isinstance(request, self.keeps or ()):
            self.has_it.set()
            try:
                await asyncio.sleep(LONG_S)
            except asyncio.CancelledError:
                self.dropped.set()
                raise
        match request:
            case EnvironmentRequested():
                return EnvironmentBuilt.answering(request, "cad-worker", environment=values.ENVIRONMENT, build_s=0.1)
            case SessionRequested():
                return SessionOpened.answering(request, "cad-worker", ready_s=0.1, files=("script.py",))
            case CellRequested():
                if self.keeps is SimulationRequested:
                    await self.bus.ask(_simulation(request))
                seen = Observation(status="ok", output="1")
                return CellCompleted.answering(request, "cad-worker", observation=seen)
            case _:
                return SimulationFailed.answering(request, "sim-worker", reason="scene_invalid", detail="x")


@dataclass
class World:
    """The roles that live, on real servers."""

    bus: Bus
    workers: Workers
    provider: Provider

    async def end_of(self, run: EngineeringRequested) -> RunFailed:
        async with asyncio.timeout(SOON_S):
            end = await self.bus.until_ended(run.run_id)
        assert isinstance(end, RunFailed)
        return end

    async def cancel(self, run: Event) -> None:
        await self.bus.publish(
            CancelRequested(id=uuid4(), run_id=run.run_id, role="planner", producer="cli", reason="enough")
        )

    async def has_no_more_calls(self) -> None:
        """What was on its way when the run ended may still arrive."""
        await asyncio.sleep(0.6)
        calls = self.provider.calls
        await asyncio.sleep(0.6)
        assert self.provider.calls == calls


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Generator[Provider]:
    with Provider() as one:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", one.base_url)
        monkeypatch.setenv("MODEL_PRICES", PRICES)
        yield one


def _roles(fields: dict[str, Any], *, with_engineer: bool) -> list[App]:
    return [
        planner.app.make_app(planner.settings.Settings(**fields)),
        critic.app.make_app(critic.settings.Settings(**fields)),
        *([engineer.app.make_app(engineer.settings.Settings(**fields))] if with_engineer else []),
    ]


@asynccontextmanager
async def _started(apps: Sequence[Any]) -> AsyncGenerator[None]:
    started: list[Any] = []
    try:
        for app in apps:
            await app.start()
            started.append(app)
        yield
    finally:
        for app in reversed(started):
            await app.stop()


@asynccontextmanager
async def _world(servers: Servers, provider: Provider, *, with_engineer: bool = True) -> AsyncGenerator[World]:
    app = App("workers", BusSettings(nats_url=servers.nats_url))
    workers = Workers(app.bus)
    for request in (EnvironmentRequested, SessionRequested, CellRequested, SimulationRequested):
        app.answers(request, workers.answer)
    async with _started([app, *_roles(servers.fields(), with_engineer=with_engineer)]):
        yield World(app.bus, workers, provider)


def _run(**budget: Any) -> EngineeringRequested:
    return engineering_requested(model="openai:fake.x", budget=Budget(**budget))


@pytest.mark.parametrize("role", ["planner", "critic", "engineer"])
async def test_a_cancellation_ends_a_run_in_a_long_model_call(
    role: str, real_servers: Servers, provider: Provider
) -> None:
    provider.slow_role = role
    async with _world(real_servers, provider) as world:
        run = _run()
        await world.bus.publish(run)
        assert await asyncio.to_thread(provider.thinks.wait, SOON_S)
        await world.cancel(run)
        end = await world.end_of(run)
        assert (end.reason, end.detail) == ("cancelled", "enough")
        await world.has_no_more_calls()
        calls = [event for event in await world.bus.history(run.run_id) if isinstance(event, ModelCalled)]
        assert role not in {call.role for call in calls}


async def test_the_deadline_ends_a_run_in_a_long_model_call(real_servers: Servers, provider: Provider) -> None:
    provider.slow_role = "planner"
    async with _world(real_servers, provider) as world:
        run = _run(deadline_s=SHORT_S)
        await world.bus.publish(run)
        end = await world.end_of(run)
        assert end.reason == "deadline"
        assert provider.thinks.is_set()
        await world.has_no_more_calls()


async def test_the_deadline_ends_a_run_whose_engineer_is_dead(real_servers: Servers, provider: Provider) -> None:
    async with _world(real_servers, provider, with_engineer=False) as world:
        run = _run(deadline_s=SHORT_S)
        await world.bus.publish(run)
        assert (await world.end_of(run)).reason == "deadline"


@pytest.mark.parametrize("kept", [CellRequested, SimulationRequested])
async def test_a_cell_or_simulation_in_flight_is_stopped_by_the_end(
    kept: type[Request], real_servers: Servers, provider: Provider
) -> None:
    async with _world(real_servers, provider) as world:
        world.workers.keeps = kept
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
async def test_what_is_used_up_ends_the_run_with_figures(
    budget: dict[str, Any], reason: str, figures: str, real_servers: Servers, provider: Provider
) -> None:
    async with _world(real_servers, provider) as world:
        run = _run(**budget)
        await world.bus.publish(run)
        end = await world.end_of(run)
        assert end.reason == reason
        assert figures in end.detail
        await world.has_no_more_calls()


async def test_a_looping_cell_is_stopped_and_its_session_closed(
    real_servers: Servers, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real cad-worker and a real kernel."""
    provider.code = "while True:\n    pass"
    fields, loaded = real_servers.fields(), load("detour", 1)
    asked = requested_by(order("detour", 1), loaded).model_copy(update={"model": "openai:fake.x"})
    artifacts = Artifacts(real_servers.s3)
    worker = cad_worker.app.make_app(cad_worker.settings.Settings(**fields))
    asker = App("tests", BusSettings(nats_url=real_servers.nats_url))
    async with _started([artifacts, worker, *_roles(fields, with_engineer=True), asker]):
        await artifacts.put(loaded.environment_code, CODE_TYPE)
        await asker.bus.publish(asked)
        await _until(asker.bus, asked, CellRequested)
        wish = CancelRequested(id=uuid4(), run_id=asked.run_id, role="planner", producer="cli", reason="enough")
        await asker.bus.publish(wish)
        async with asyncio.timeout(SOON_S):
            end = await asker.bus.until_ended(asked.run_id)
        assert isinstance(end, RunFailed)
        await _until(asker.bus, asked, SessionClosed)
        kinds = [type(event) for event in await asker.bus.history(asked.run_id)]
        assert CellCompleted not in kinds
        assert kinds.count(ModelCalled) == 3


async def _until(bus: Bus, run: Event, event_class: type[Event]) -> None:
    async with asyncio.timeout(2 * SOON_S):
        while await bus.latest(event_class, run.run_id) is None:  # noqa: ASYNC110 - the log is on a server
            await asyncio.sleep(0.1)


def _simulation(cause: Event) -> SimulationRequested:
    return SimulationRequested.deciding(cause, "engineer", 500, scene=values.SCENE)

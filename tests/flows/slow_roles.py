"""The roles on real servers, with a slow model and workers that never finish."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import critic.app
import critic.settings
import engineer.app
import engineer.settings
import planner.app
import planner.settings
from agent.model.providers import offline_chat
from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from contracts.envelope import Event, Request
from contracts.events.run import (
    CancelRequested,
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRequested,
    RunFailed,
)
from contracts.events.session import CellCompleted, CellRequested, SessionOpened, SessionRequested
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.observation import Observation
from langchain_core.messages import AIMessage, BaseMessage

from perf.fakes.openai_server import FakeOpenAI
from tests.agent.example_artifacts import store_example_artifacts
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import cell_reply
from tests.flows.full_run import Servers

LONG_S = 60.0
"""What is in flight would take this long: had it to be waited for, the test would fail by its limit."""
SOON_S = 25.0


class Provider:
    """A paid model: the offline expert, but slow in one role, and with an engineer who looks about without end."""

    def __init__(self) -> None:
        self.slow_role = ""
        self.thinks = threading.Event()
        """Set when the slow role's model was called."""
        self._release = threading.Event()
        self.code = "print(1)"
        self._server = FakeOpenAI({"fake": self._reply})
        self._expert = offline_chat()

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
        return AIMessage(cell_reply(self.code)) if role == "engineer" else self._expert.reply_to(messages)


@dataclass
class Workers:
    """Replaces cad-worker and sim-worker: answers each request at once, or holds it until it is cancelled."""

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
            case SkillsRequested():
                return SkillsOffered.answering(request, "skill-learner", skills=())
            case SessionRequested():
                return SessionOpened.answering(request, "cad-worker", ready_s=0.1, files=("script.py",))
            case CellRequested():
                if self.keeps is SimulationRequested:
                    await self.bus.ask(simulation_for(request))
                seen = Observation(status="ok", output="1")
                return CellCompleted.answering(request, "cad-worker", observation=seen)
            case _:
                return SimulationFailed.answering(request, "sim-worker", reason="scene_invalid", detail="x")


@dataclass
class SlowRun:
    """The roles that live, on real servers."""

    bus: Bus
    workers: Workers
    provider: Provider

    async def end_of(self, run: EngineeringRequested) -> RunFailed:
        async with asyncio.timeout(SOON_S):
            end = await self.bus.wait_for_end(run.run_id)
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


def roles(fields: dict[str, Any], *, with_engineer: bool) -> list[App]:
    return [
        planner.app.make_app(planner.settings.Settings(**fields)),
        critic.app.make_app(critic.settings.Settings(**fields)),
        *([engineer.app.make_app(engineer.settings.Settings(**fields))] if with_engineer else []),
    ]


@asynccontextmanager
async def started(apps: Sequence[Any]) -> AsyncGenerator[None]:
    open_ones: list[Any] = []
    try:
        for app in apps:
            await app.start()
            open_ones.append(app)
        yield
    finally:
        for app in reversed(open_ones):
            await app.stop()


@asynccontextmanager
async def world_of(servers: Servers, provider: Provider, *, with_engineer: bool = True) -> AsyncGenerator[SlowRun]:
    app = App("workers", BusSettings(nats_url=servers.nats_url))
    workers = Workers(app.bus)
    for request in (EnvironmentRequested, SkillsRequested, SessionRequested, CellRequested, SimulationRequested):
        app.answers(request, workers.answer)
    async with started([app, *roles(servers.fields(), with_engineer=with_engineer)]):
        await asyncio.to_thread(store_example_artifacts, servers.s3)
        yield SlowRun(app.bus, workers, provider)


def simulation_for(cause: Event) -> SimulationRequested:
    return SimulationRequested.deciding(cause, "engineer", 500, scene=values.SCENE)

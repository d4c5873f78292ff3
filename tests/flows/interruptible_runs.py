"""Roles on real servers, with a slow model and workers that can hold a request: for limits that interrupt them."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from agent.model.providers import offline_chat
from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from contracts.envelope import Event, Request, answering, deciding
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

from tests.agent.example_artifacts import store_example_artifacts
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import cell_reply
from tests.support.clusters.cluster import Endpoints, make_service, started
from tests.support.clusters.fake_provider import FakeProvider, expert_provider

HELD_S = 60.0
"""Duration of work in flight: a test that had to wait for it would time out."""
SOON_S = 25.0


class SlowModel:
    """The offline expert, but slow in one role, and with an engineer who runs one cell again and again."""

    def __init__(self) -> None:
        self.slow_role = ""
        self.is_asked = threading.Event()
        """Set when the slow role's call has arrived."""
        self.may_answer = threading.Event()
        self.code = "print(1)"
        self._expert = offline_chat()

    def __call__(self, messages: Sequence[BaseMessage], label: str) -> AIMessage:
        """Return the next reply."""
        role = messages[0].text.splitlines()[0].removeprefix("# Role: ").strip()
        if role == self.slow_role:
            self.is_asked.set()
            self.may_answer.wait(HELD_S)
        return AIMessage(cell_reply(self.code)) if role == "engineer" else self._expert.reply_to(messages)

    def provider(self) -> FakeProvider:
        """Return a provider on which this model is called `fake.LABEL`."""
        return expert_provider({"fake": self})


@dataclass
class FakeWorkers:
    """Answers for cad-worker and sim-worker at once, or holds requests of one class."""

    bus: Bus
    holds: type[Request] | None = None
    is_holding: asyncio.Event = field(default_factory=asyncio.Event)
    is_cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: Request) -> Event:
        """Return the outcome of a request."""
        if isinstance(request, self.holds or ()):
            self.is_holding.set()
            try:
                await asyncio.sleep(HELD_S)
            except asyncio.CancelledError:
                self.is_cancelled.set()
                raise
        match request:
            case EnvironmentRequested():
                return EnvironmentBuilt(**answering(request, "cad-worker"), environment=values.ENVIRONMENT, build_s=0.1)
            case SkillsRequested():
                return SkillsOffered(**answering(request, "skill-learner"), skills=())
            case SessionRequested():
                return SessionOpened(**answering(request, "cad-worker"), ready_s=0.1, files=("script.py",))
            case CellRequested():
                if self.holds is SimulationRequested:
                    await self.bus.ask(SimulationRequested(**deciding(request, "engineer", 500), scene=values.SCENE))
                return CellCompleted(
                    **answering(request, "cad-worker"), observation=Observation(status="ok", output="1")
                )
            case _:
                return SimulationFailed(**answering(request, "sim-worker"), reason="scene_invalid", detail="x")


async def _check_world(built: EnvironmentBuilt) -> Event:
    return values.checked(built)


@dataclass
class Roles:
    """Running roles, the fake workers, and the provider."""

    bus: Bus
    workers: FakeWorkers
    provider: FakeProvider

    async def end_of(self, run: EngineeringRequested) -> RunFailed:
        """Wait for the end of a run."""
        async with asyncio.timeout(SOON_S):
            end = await self.bus.wait_for_end(run.run_id)
        assert isinstance(end, RunFailed)
        return end

    async def cancel(self, run: Event) -> None:
        """Cancel a run as a user does."""
        await self.bus.publish(cancellation_of(run))

    async def assert_no_more_calls(self) -> None:
        """Allow calls that were under way when the run ended, and no other."""
        await asyncio.sleep(0.6)
        calls = self.provider.calls
        await asyncio.sleep(0.6)
        assert self.provider.calls == calls


def cancellation_of(run: Event) -> CancelRequested:
    """Return a user's request to cancel a run."""
    return CancelRequested(id=uuid4(), run_id=run.run_id, role="planner", producer="cli", reason="enough")


def make_roles(settings: dict[str, Any], *, with_engineer: bool = True) -> list[App]:
    """Return planner, critic and engineer, unstarted."""
    names = ("planner", "critic", "engineer") if with_engineer else ("planner", "critic")
    return [make_service(name, settings) for name in names]


@asynccontextmanager
async def run_roles(
    endpoints: Endpoints, provider: FakeProvider, *, with_engineer: bool = True
) -> AsyncGenerator[Roles]:
    """Run the roles with fake workers."""
    app = App("workers", BusSettings(nats_url=endpoints.nats_url))
    workers = FakeWorkers(app.bus)
    app.answers(EnvironmentBuilt, _check_world)
    for request in (EnvironmentRequested, SkillsRequested, SessionRequested, CellRequested, SimulationRequested):
        app.answers(request, workers.answer)
    async with started(app, *make_roles(endpoints.settings(), with_engineer=with_engineer)):
        await asyncio.to_thread(store_example_artifacts, endpoints.s3)
        yield Roles(app.bus, workers, provider)

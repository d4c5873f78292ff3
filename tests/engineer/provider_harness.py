"""An engineer with the real `langchain-openai` client; outages are retried as the chassis does."""

import json
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from agent.model.failures import PROVIDER_UNAVAILABLE
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from chassis.retry import Outages
from chassis.testing import FakeBus
from contracts.envelope import Event, answering
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.session import CellCompleted, CellRequested, SessionOpened, SessionRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.observation import Observation
from engineer.policy import Engineer
from pydantic import SecretStr

from tests.agent.role_harness import threads_of
from tests.engineer.engineer_harness import plan_approved
from tests.support.clusters.fake_provider import FakeProvider, HttpReply

MODEL = "openai:fake"
KEY = "sk-planted-0123456789abcdef"


class ProviderHarness:
    """The engineer, its scripted provider, and the outcomes of its requests. A context manager."""

    def __init__(self, *wires: HttpReply, **settings: Any) -> None:
        self.provider = FakeProvider(*wires)
        self.bus = FakeBus()
        self._settings = settings
        self._outages = Outages(first_pause_s=0.01)
        self._outages.add_errors(*PROVIDER_UNAVAILABLE)

    def __enter__(self) -> Self:
        self.provider.__enter__()
        fields = {"openai_api_key": SecretStr(KEY), "openai_base_url": self.provider.base_url, "model_timeout_s": 5}
        models = RoleModel.configured(ModelSettings.model_validate(fields | self._settings), role="engineer")
        self._threads = threads_of(Engineer(), models, self.bus)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.provider.stop()

    async def consume(self, event: Event) -> list[Event]:
        """Handle an event as a service does."""
        await self.bus.publish(event)
        return await self._outages.retry("the engineer", lambda: self._threads.advance(event))

    async def start(self) -> list[Event]:
        """Approve a plan, open the session and return the engineer's first action."""
        (requested,) = await self.consume(plan_approved().model_copy(update={"model": MODEL}))
        assert isinstance(requested, SkillsRequested)
        (session,) = await self.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=()))
        assert isinstance(session, SessionRequested)
        opened = SessionOpened(**answering(session, "cad-worker"), ready_s=0.4, files=("script.py",))
        return await self._settled(opened)

    async def complete_cell(self, decided: Sequence[Event], output: str = "") -> list[Event]:
        """Complete the cell successfully and return the engineer's next action."""
        (cell,) = decided
        assert isinstance(cell, CellRequested)
        seen = Observation(status="ok", output=output, output_chars=len(output))
        return await self._settled(CellCompleted(**answering(cell, "cad-worker"), observation=seen))

    async def _settled(self, event: Event) -> list[Event]:
        decided = await self.consume(event)
        while decided and isinstance(decided[-1], ReplyRejected):
            decided = await self.consume(decided[-1])
        return decided

    async def calls(self) -> list[ModelCalled]:
        """Return the recorded calls of the model, with large fields restored."""
        found = [
            await self.bus.find(event.run_id, event.role, event.id)
            for event in self.bus.events
            if isinstance(event, ModelCalled)
        ]
        return [event for event in found if isinstance(event, ModelCalled)]

    def reply_events(self) -> list[str]:
        """Return the classes of the events that the model's replies led to, in order."""
        return [event.type for event in self.bus.events if event.type in _OF_REPLIES]

    def sent_chars(self) -> list[int]:
        """Return how long each prompt was that the provider got."""
        return [len(json.dumps(request["messages"])) for request in self.provider.requests]


_OF_REPLIES = ("ModelCalled", "ReplyLost", "ReplyRejected", "CellRequested", "WorkAbandoned", "FileWriteRequested")

"""Load for power cuts: publishers, a role with checkpoints and the recorder, and the audit of what was acknowledged."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, PostgresCheckpoints
from agent.loop.thread import RoleThreads
from agent.model.local_chat import LocalChat
from agent.model.role_model import RoleModel
from chassis.app import App
from chassis.background_tasks import cancel_and_wait
from chassis.settings import BusSettings
from contracts.envelope import Event, deciding
from contracts.events.run import CancelRequested, EngineeringRequested
from contracts.events.session import CellRequested, SessionOpened
from langchain_core.messages import AIMessage, BaseMessage
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.agent.echo_role import EchoRole
from tests.chaos.power_servers import PowerServers
from tests.store.example_runs import new_request
from tests.support.clusters.cluster import make_service, started

PUBLISHERS = 4
ASKING_EVERY = 10
"""Every so many events a publisher asks the role, whose step has a model call, a decision and a checkpoint."""
PAUSE_S = 0.02
"""Between two events of one publisher: without syncs a server would take more than the audit can look up."""
SETTLE_S = 60.0
LOOK_S = 0.5
RUN_EVENTS = 60
"""Then a publisher opens another run: the conversation of a long one would be what the role works on."""


class EchoChat(LocalChat):
    """A model that needs no script."""

    @property
    def _llm_type(self) -> str:
        return "echo"

    def reply_to(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Answer every prompt."""
        return AIMessage(f"after {len(messages)} messages")


@dataclass
class PowerLoad:
    """The load and what the servers have acknowledged of it."""

    client: App
    log: EventLog
    acknowledged: list[Event] = field(default_factory=list[Event])
    audited: int = 0
    lost: list[UUID] = field(default_factory=list[UUID])

    @asynccontextmanager
    async def publishing(self) -> AsyncGenerator[None]:
        """Publish from several tasks at once, through all cuts, until the block ends."""
        tasks = [asyncio.create_task(self._publish()) for _ in range(PUBLISHERS)]
        yield
        await cancel_and_wait(*tasks)

    async def audit(self) -> int:
        """Return how many events that were acknowledged since the last audit are not in the stream."""
        new, self.audited = self.acknowledged[self.audited :], len(self.acknowledged)
        missing = [each.id for each in new if await self.client.bus.find(each.run_id, each.role, each.id) is None]
        self.lost += missing
        return len(missing)

    async def unanswered(self) -> int:
        """Return on how many stored inputs the role has decided nothing when it decides nothing any more."""
        lost = set(self.lost)
        inputs = [each for each in self.acknowledged if isinstance(each, CancelRequested) and each.id not in lost]

        async def waiting() -> int:
            runs = {each.run_id for each in inputs}
            events = [each for run_id in runs for each in await self.client.bus.history(run_id)]
            decided = {each.causation_id for each in events if isinstance(each, CellRequested)}
            inputs[:] = [each for each in inputs if each.id not in decided]
            return len(inputs)

        return await _until_settled(waiting)

    async def unrecorded(self) -> int:
        """Return how many acknowledged events are not in Postgres when the recorder records no more."""
        runs = {each.run_id for each in self.acknowledged}

        async def missing() -> int:
            recorded = {each.id for run_id in runs for each in await self.log.events_of(run_id)}
            return sum(each.id not in recorded for each in self.acknowledged)

        return await _until_settled(missing)

    async def _publish(self) -> None:
        while True:
            request = new_request()
            for number in range(RUN_EVENTS):
                event = _event(request, number)
                if await self.client.bus.publish(event):
                    self.acknowledged.append(event)
                await asyncio.sleep(PAUSE_S)


async def _until_settled(count: Callable[[], Awaitable[int]]) -> int:
    """Return the count once it is 0, or does not fall for `SETTLE_S`."""
    lowest, since_s = await count(), time.monotonic()
    while lowest and time.monotonic() - since_s < SETTLE_S:
        await asyncio.sleep(LOOK_S)
        now = await count()
        if now < lowest:
            lowest, since_s = now, time.monotonic()
    return lowest


def _event(request: EngineeringRequested, number: int) -> Event:
    if number == 0:
        return request
    if number % ASKING_EVERY == 1:
        return CancelRequested(**deciding(request, "planner", 900, number), reason="ask again")
    return SessionOpened(**deciding(request, "engineer", 900 + number), ready_s=number, files=())


@asynccontextmanager
async def started_load(servers: PowerServers) -> AsyncGenerator[PowerLoad]:
    """Start the recorder, the role and a client; they live through all cuts, as services do."""
    fast: dict[str, Any] = {
        "bus_ack_wait_s": 2.0,
        "bus_retry_delay_s": 0.1,
        "bus_max_retry_delay_s": 1.0,
        "bus_drain_s": 1.0,
    }
    urls = {"nats_url": servers.nats.url, "database_url": servers.postgres.url}
    settings = BusSettings(nats_url=servers.nats.url, **fast)
    database = Database(DatabaseSettings(database_url=servers.postgres.url))
    client, recorder = App("cli", settings), make_service("recorder", {**urls, **fast})
    async with started(database, recorder, _role(settings, servers.postgres.url), client):
        yield PowerLoad(client, EventLog(database.engine))


def _role(settings: BusSettings, database_url: str) -> App:
    app, chat = App("engineer", settings), EchoChat()
    checkpoints = PostgresCheckpoints(database_url, "engineer")
    threads = RoleThreads(EchoRole(), RoleModel(lambda _: chat), app.bus, checkpoints)
    app.add_resource(checkpoints)
    app.retries_on(*CHECKPOINTS_UNAVAILABLE)
    app.subscribes(EngineeringRequested, threads.consume, workers=PUBLISHERS)
    app.subscribes(CancelRequested, threads.consume, workers=PUBLISHERS)
    return app

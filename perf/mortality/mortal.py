"""A service that dies when it is written: `python -m perf.mortality.mortal SERVICE FOLDER`.

The product knows nothing of this. What a service publishes, checkpoints and acknowledges is wrapped from outside; at
the point of an armed fate the process kills itself with -9, so that nothing of it can run any more.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from chassis.delivery.processor import MessageProcessor
from chassis.delivery.subscription import Subscription
from chassis.leases.lease import Fence
from chassis.process import run
from chassis.stream.jetstream_bus import JetStreamBus
from contracts.envelope import Event, Request
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.rendering import RenderRequested
from contracts.events.run import EnvironmentRequested
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationRequested
from contracts.registry import UnknownSubjectError, class_at
from faststream.nats import NatsMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from nats.aio.msg import Msg

from perf.mortality.fates import Fates, Point

_said: ContextVar[list[Event] | None] = ContextVar("said", default=None)
"""What was published because of the message in hand."""


class Mortality:
    """One process, as far as it can die."""

    def __init__(self, service: str, fates: Fates) -> None:
        self._service = service
        self._fates = fates

    def meet(self, run_id: UUID, events: Iterable[str], point: Point) -> None:
        """Die, if that is the fate of one of these events here."""
        met = self._fates.take(self._service, run_id, sorted(set(events)), point)
        if met:
            self._fates.sign(self._service, run_id, met, point)
            os.kill(os.getpid(), signal.SIGKILL)


def die_publishing(mortality: Mortality) -> None:
    """Make publishing deadly: before it, and once the broker has acknowledged."""
    publish = JetStreamBus.publish

    async def mortal(bus: JetStreamBus, event: Event, fence: Fence | None = None) -> bool:
        mortality.meet(event.run_id, [event.type], "before-publishing")
        stored = await publish(bus, event, fence)
        said = _said.get()
        if said is not None:
            said.append(event)
        mortality.meet(event.run_id, [event.type], "after-acknowledgement")
        return stored

    replace(JetStreamBus, "publish", mortal)


def die_working(mortality: Mortality) -> None:
    """Make messages deadly: when they are taken up, and before they are acknowledged."""
    work = MessageProcessor.process

    async def mortal(desk: MessageProcessor, duty: Subscription, delivered: NatsMessage) -> None:
        _said.set([])
        subject = delivered.raw_message.subject
        mortality.meet(UUID(subject.split(".")[3]), _owed(subject) if duty.has_outcome else _heard(subject), "taken-up")
        await work(desk, duty, delivered)

    replace(MessageProcessor, "process", mortal)
    for farewell in ("ack", "ack_sync", "term"):
        _die_before(farewell, mortality)


def _owed(subject: str) -> list[str]:
    """Return what the message at this subject may lead to."""
    try:
        request = class_at(subject)
    except UnknownSubjectError:
        return []
    outcomes = list(request.outcomes) if issubclass(request, Request) else []
    further: dict[type[Event], tuple[type[Event], ...]] = {
        CellRequested: (SimulationRequested, RenderRequested),
        EnvironmentRequested: (MessageAbandoned,),
    }
    return [each.__name__ for each in (*outcomes, *further.get(request, ()))]


def _heard(subject: str) -> list[str]:
    """Return what the message at this subject says."""
    try:
        return [class_at(subject).__name__]
    except UnknownSubjectError:
        return []


def _die_before(farewell: str, mortality: Mortality) -> None:
    take_leave = getattr(Msg, farewell)

    async def mortal(message: Msg, *arguments: Any, **named: Any) -> Any:
        said = _said.get()
        if said:
            mortality.meet(said[0].run_id, [event.type for event in said], "before-acking")
        return await take_leave(message, *arguments, **named)

    replace(Msg, farewell, mortal)


def die_remembering(mortality: Mortality) -> None:
    """Make checkpoints deadly: once they are stored."""
    put = AsyncPostgresSaver.aput

    async def mortal(
        saver: AsyncPostgresSaver,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        stored = await put(saver, config, checkpoint, metadata, new_versions)
        said = _said.get()
        if said:
            mortality.meet(said[0].run_id, [event.type for event in said], "after-checkpoint")
        return stored

    replace(AsyncPostgresSaver, "aput", mortal)


def replace(owner: type[object], method: str, by: Callable[..., Any]) -> None:
    """Put a mortal method in the place of an immortal one."""
    setattr(owner, method, by)


def make_mortal(service: str, folder: Path) -> None:
    """Let this process die by the fates in `folder`."""
    mortality = Mortality(service, Fates(folder))
    for make in (die_publishing, die_working, die_remembering):
        make(mortality)
    if service == "cad-worker":
        import_module("perf.mortality.kernels").lose_kernels()


def main(arguments: Sequence[str]) -> None:
    """Run the service as its own `__main__` does."""
    service, folder = arguments
    make_mortal(service, Path(folder))
    package = service.replace("-", "_")
    app = import_module(f"{package}.app").make_app(import_module(f"{package}.settings").Settings())
    run(app.name, lambda: app)


if __name__ == "__main__":
    main(sys.argv[1:])

"""A service with hooks from outside: `python -m tests.chaos.crashes.instrumented_service SERVICE [OPTIONS]`.

`--crash-plan FOLDER` lets it kill itself with -9 at armed crash points: publishing, checkpointing, and taking and
acknowledging messages are wrapped, and the product knows nothing of it. `--publish FILE` publishes one event as the
client `cli` does, and ends; the file is named by the event's subject. `--count-quotes FILE` appends a byte for each
quote of a cad-worker's workbenches.
"""

import argparse
import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import UUID

from chassis.app import App
from chassis.bus import Fence, RunQueue
from chassis.delivery.processor import MessageProcessor
from chassis.delivery.subscription import Subscription
from chassis.process import run
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus
from contracts.envelope import Event, Request
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.rendering import RenderRequested
from contracts.events.run import EngineeringStarted, EnvironmentRequested
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationRequested
from contracts.registry import UnknownSubjectError, class_at, parse
from faststream.nats import NatsMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from nats.aio.msg import Msg

from tests.chaos.crashes.crash_points import CrashPlan, Point
from tests.support.clusters.cluster import make_service

_published: ContextVar[list[Event] | None] = ContextVar("published", default=None)
"""Events published because of the message in hand."""


class Crasher:
    """Kills this process at armed crash points."""

    def __init__(self, service: str, plan: CrashPlan) -> None:
        self._service = service
        self._plan = plan

    def reach(self, run_id: UUID, events: Iterable[str], point: Point) -> None:
        """Crash if this point is armed for one of these events."""
        taken = self._plan.take(self._service, run_id, sorted(set(events)), point)
        if taken:
            self._plan.log(self._service, run_id, taken, point)
            os.kill(os.getpid(), signal.SIGKILL)

    def reach_after_publishing(self, point: Point) -> None:
        """Crash if this point is armed for an event that was published because of the message in hand."""
        events = _published.get()
        if events:
            self.reach(events[0].run_id, [event.type for event in events], point)


def replace(owner: type[object], method: Callable[..., Any], by: Callable[..., Any]) -> None:
    """Replace a method of a class."""
    assert getattr(owner, method.__name__) is method
    setattr(owner, method.__name__, by)


def crash_when_publishing(crasher: Crasher) -> None:
    """Add the crash points before publishing and after the broker's acknowledgement."""
    publish, start_run = JetStreamBus.publish, JetStreamBus.start_run

    async def stored_with_crashes(event: Event, store: Callable[[], Awaitable[bool]]) -> bool:
        crasher.reach(event.run_id, [event.type], "before-publishing")
        stored = await store()
        published = _published.get()
        if published is not None:
            published.append(event)
        crasher.reach(event.run_id, [event.type], "after-acknowledgement")
        return stored

    async def hooked(bus: JetStreamBus, event: Event, fence: Fence | None = None) -> bool:
        return await stored_with_crashes(event, partial(publish, bus, event, fence))

    async def hooked_start(bus: JetStreamBus, started: EngineeringStarted, queue: RunQueue) -> bool:
        return await stored_with_crashes(started, partial(start_run, bus, started, queue))

    replace(JetStreamBus, publish, hooked)
    replace(JetStreamBus, start_run, hooked_start)


def crash_when_processing(crasher: Crasher) -> None:
    """Add the crash points on delivery of a message and before its acknowledgement."""
    process = MessageProcessor.process

    async def hooked(processor: MessageProcessor, subscription: Subscription, delivered: NatsMessage) -> None:
        _published.set([])
        subject = delivered.raw_message.subject
        events = _possible_effects(subject) if subscription.has_outcome else _event_at(subject)
        crasher.reach(UUID(subject.split(".")[3]), events, "taken-up")
        await process(processor, subscription, delivered)

    replace(MessageProcessor, process, hooked)
    for method in (Msg.ack, Msg.ack_sync, Msg.term):
        replace(Msg, method, _crash_before(method, crasher))


def _possible_effects(subject: str) -> list[str]:
    """Return the events that a request can lead to."""
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


def _event_at(subject: str) -> list[str]:
    try:
        return [class_at(subject).__name__]
    except UnknownSubjectError:
        return []


def _crash_before(acknowledge: Callable[..., Awaitable[Any]], crasher: Crasher) -> Callable[..., Awaitable[Any]]:
    async def hooked(message: Msg, *arguments: Any, **named: Any) -> Any:
        crasher.reach_after_publishing("before-acking")
        return await acknowledge(message, *arguments, **named)

    return hooked


def crash_when_checkpointing(crasher: Crasher) -> None:
    """Add the crash point after a checkpoint is stored."""
    put = AsyncPostgresSaver.aput

    async def hooked(
        saver: AsyncPostgresSaver,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        stored = await put(saver, config, checkpoint, metadata, new_versions)
        crasher.reach_after_publishing("after-checkpoint")
        return stored

    replace(AsyncPostgresSaver, put, hooked)


def install_crash_points(service: str, folder: Path) -> None:
    """Let this process crash at the points that are armed in `folder`."""
    crasher = Crasher(service, CrashPlan(folder))
    for install in (crash_when_publishing, crash_when_processing, crash_when_checkpointing):
        install(crasher)
    if service == "cad-worker":
        import_module("tests.chaos.crashes.cad_worker_hooks").fail_kernel_starts()


async def publish(file: Path) -> None:
    """Publish one event as a client does."""
    app = App("cli", BusSettings())
    await app.start()
    await app.bus.publish(parse(file.stem, file.read_bytes()))  # noqa: ASYNC240 - one small file
    await app.stop()


def main() -> None:
    """Run the service as its own `__main__` does."""
    parser = argparse.ArgumentParser(description="A service with hooks.")
    parser.add_argument("service")
    parser.add_argument("--crash-plan", type=Path)
    parser.add_argument("--publish", type=Path)
    parser.add_argument("--count-quotes", type=Path)
    arguments = parser.parse_args()
    if arguments.crash_plan:
        install_crash_points(arguments.service, arguments.crash_plan)
    if arguments.count_quotes and arguments.service == "cad-worker":
        import_module("tests.chaos.crashes.cad_worker_hooks").count_quotes(arguments.count_quotes)
    if arguments.publish:
        asyncio.run(publish(arguments.publish))
    else:
        run(arguments.service, lambda: make_service(arguments.service, {}))


if __name__ == "__main__":
    main()

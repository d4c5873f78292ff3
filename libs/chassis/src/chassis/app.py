"""A service: which event reaches which handler, over a connection of its own."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar
from uuid import UUID

from contracts.envelope import Event, Request, Role
from nats.js.api import ConsumerConfig
from opentelemetry.trace import TracerProvider

from chassis.bus import Bus
from chassis.delivery.advisories import ADVISORY_STREAM, SAID_AT, Advisories
from chassis.delivery.consumer_registry import ConsumerRegistry
from chassis.delivery.in_flight import Progress
from chassis.delivery.keepalive import AckKeepalive
from chassis.delivery.processor import MessageProcessor
from chassis.delivery.raw_reader import RawHandler, RawReader
from chassis.delivery.reconciliation import ConsumerReconciler, PlannedConsumer
from chassis.delivery.run_cancellation import RunCancellation
from chassis.delivery.subscription import Handler, Subscription, answering, hearing, reminding, watching
from chassis.delivery.thread_subscription import ThreadSubscription
from chassis.errors import CannotStartError
from chassis.leases.bucket import LeaseBucket
from chassis.leases.lease import Fence, Leases
from chassis.observability.health import Check, Health
from chassis.observability.lag import Lag, lag_of, records_name
from chassis.observability.telemetry import make_tracer_provider
from chassis.observability.tracing import tracing_by
from chassis.recovery.outages import Outages
from chassis.recovery.purge import StreamPurge
from chassis.settings import BusSettings
from chassis.stream.connection import connect, disconnect, make_broker
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.large_fields import Blobs, LargeFields
from chassis.stream.subjects import SUBJECTS, attending_name, await_stream, requests_of

R = TypeVar("R", bound=Request)
E = TypeVar("E", bound=Event)

ADVISORIES_AT_ONCE = 10

_log = logging.getLogger(__name__)


class Resource(Protocol):
    """Something a service opens before it works and closes afterwards."""

    async def start(self) -> None:
        """Open it."""
        ...

    async def stop(self) -> None:
        """Close it."""
        ...


class App:
    """Wire handlers first, then `start`. Several apps live in one process; none touches signals or globals."""

    def __init__(self, name: str, settings: BusSettings, tracer_provider: TracerProvider | None = None) -> None:
        self.name = name
        self.purges = False
        """Whether it takes ended runs out of the stream: `chassis.stream.permissions` must let it."""
        self._settings = settings
        self._own_tracer_provider = make_tracer_provider(name, settings) if tracer_provider is None else None
        tracing = tracing_by(tracer_provider or self._own_tracer_provider)
        self._broker = make_broker(name, settings)
        self._large_fields = LargeFields()
        self._bus = JetStreamBus(self._broker, tracing, self._large_fields)
        self._heart = AckKeepalive(name, settings)
        self._outages = Outages(settings.bus_retry_delay_s)
        self._endings = RunCancellation(name, self._bus, settings.bus_watch_s)
        self._progress = Progress()
        self._desk = MessageProcessor(
            settings, self._bus, self._heart, tracing, self._outages, self._endings, self._progress, self._large_fields
        )
        self._consumers = ConsumerReconciler(name, settings, self._bus)
        self._reception = ConsumerRegistry(name, self._broker, self._desk, self._consumers)
        self._health = Health(name, settings, self._bus, self._consumers, self._outages, self._progress)
        self._resources: list[Resource] = []
        self._started_resources: list[Resource] = []
        self._refused_on: tuple[type[Exception], ...] = ()

    @property
    def bus(self) -> Bus:
        """The log of all runs; usable from `start` to `stop`, also by resources."""
        return self._bus

    def answers(
        self,
        request: type[R],
        handler: Callable[[R], Awaitable[Event | None]],
        workers: int = 1,
        *,
        after_end: bool = False,
    ) -> None:
        """Own a request: `handler` returns its outcome, or none once it has published the outcome itself.

        It is not called when an outcome is already stored.
        """
        self._reception.add(request, "answers", answering(handler), workers=workers, after_end=after_end)

    def subscribes(
        self,
        event: type[E],
        handler: Callable[[E], Awaitable[Sequence[Event]]],
        role: Role | None = None,
        workers: int = 1,
        *,
        after_end: bool = False,
    ) -> None:
        """Listen, to one role's threads or to all; what `handler` returns is published."""
        self._reception.add(event, "hears", hearing(handler), role, workers, after_end)

    def schedules(
        self,
        event: type[E],
        due: Callable[[E], datetime],
        handler: Callable[[E], Awaitable[Sequence[Event]]],
    ) -> None:
        """Call `handler` at the time that `due` reads from the event, unless the run has ended by then."""
        self._reception.add(event, "reminds", reminding(due, handler))

    def repeats(self, event: type[E], every_s: float, handler: Callable[[E], Awaitable[None]]) -> None:
        """Call `handler` again and again until the run has ended: each time in one process, whichever lives."""
        self._reception.add(event, "reminds", watching(every_s, handler))

    def records(self, handler: RawHandler, batch_size: int) -> None:
        """Hand every message of the stream to `handler`, raw, in batches of at most `batch_size`."""
        self._reception.read_batches(self._recording(records_name(self.name), handler), SUBJECTS, batch_size)

    def records_advisories(self) -> None:
        """Say by letters what the server tells of deliveries that it ended without us. One service does."""
        advisories = Advisories(self._bus)
        for ending, subject in SAID_AT.items():
            recording = self._recording(f"{records_name(self.name)}-{ending}", partial(advisories.tell, ending))
            self._reception.read_batches(recording, subject, ADVISORIES_AT_ONCE, ADVISORY_STREAM)

    @property
    def planned_consumers(self) -> list[ConsumerConfig]:
        """The durable consumers that this app reads by, as they are to be; known before it starts."""
        return self._consumers.planned

    @property
    def reads(self) -> list[PlannedConsumer]:
        """What this app reads, of whatever stream; known before it starts."""
        return self._consumers.everywhere

    @property
    def health_file(self) -> Path | None:
        """Where a process of its own tells its health, if anywhere."""
        return self._settings.health_file

    async def lag(self) -> Lag:
        """Return how far this app, which `records`, is behind the stream."""
        return await lag_of(self._bus.js, records_name(self.name))

    def add_purge(self) -> StreamPurge:
        """Return what takes ended runs out of the stream; for the one service that knows what is recorded."""
        self.purges = True
        return StreamPurge(lambda: self._bus.js, records_name(self.name))

    def add_health_check(self, check: Check) -> None:
        """Have `health` ask this, too."""
        self._health.include(check)

    def retries_on(self, *errors: type[Exception]) -> None:
        """Take these exceptions for the outage of something that comes back, such as a database.

        A handler that raises one is called again, with growing pauses and for as long as it takes: its message stays
        alive and uses up no try. Only the end of its run, or of this process, ends the waiting.
        """
        self._outages.include(*errors)

    def fails_fast_on(self, *errors: type[Exception]) -> None:
        """Take these exceptions of a resource that does not open for all there is to say: they name thing and mend."""
        self._refused_on = (*self._refused_on, *errors)

    def stores_large_fields_in(self, blobs: Blobs) -> None:
        """Let texts over 64 KiB travel as artifacts, unnoticed by handlers; see `chassis.stream.large_fields`.

        An event that names artifacts is published once they are uploaded.
        """
        self._large_fields.store_in(blobs)

    def add_leases(self) -> Leases:
        """Return what takes and renews leases; for a service that attends threads."""
        leases = Leases(self.name, LeaseBucket(self.name, self._settings), self._settings.bus_lease_ttl_s)
        self.add_resource(leases)
        return leases

    def add_resource(self, resource: Resource) -> None:
        """Start `resource` before the first message and stop it after the last one."""
        self._resources.append(resource)

    async def serve_thread(
        self,
        run_id: UUID,
        role: Role,
        handlers: Mapping[type[Request], Callable[[Any], Awaitable[Event]]],
        fence: Fence | None = None,
    ) -> ThreadSubscription:
        """Answer one thread's requests in order, one at a time. Classes without a handler are others' business.

        `fence`, such as a lease's, is passed before each request and before its answer is said.
        """
        durable = attending_name(self.name, run_id, role)
        deeds: dict[type[Event], Handler] = {request: answering(handler) for request, handler in handlers.items()}
        duty = Subscription(self.name, durable, requests_of(run_id, role), "attends", deeds, fence=fence)
        return await self._reception.serve_thread(duty)

    async def start(self) -> None:
        """Connect, open resources, declare consumers and begin to work; whatever fails, nothing stays open."""
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise
        _log.info("%s is ready", self.name)

    async def _start(self) -> None:
        self._bus.use(await connect(self._broker, self.name, self._settings))
        await await_stream(self._bus.js, self._settings.bus_connect_timeout_s)
        await self._heart.start()
        await self._endings.start()
        for resource in self._resources:
            self._started_resources.append(resource)
            try:
                with self._outages.refused():
                    await resource.start()
            except self._refused_on as error:
                raise CannotStartError(str(error)) from error
        await self._reception.start()

    async def stop(self) -> None:
        """Finish the work in hand (up to `bus_drain_s`), close resources, disconnect. Work left over is redelivered.

        What fails to close keeps nothing else from closing.
        """
        async with AsyncExitStack() as closing:
            if self._own_tracer_provider is not None:
                closing.push_async_callback(asyncio.to_thread, self._own_tracer_provider.shutdown)
            closing.push_async_callback(disconnect, self._broker)
            closing.push_async_callback(self._heart.stop)
            closing.push_async_callback(self._endings.stop)
            while self._started_resources:
                closing.push_async_callback(self._started_resources.pop(0).stop)
            closing.push_async_callback(self._reception.stop)
            closing.callback(self._outages.drain)

    async def health(self) -> list[str]:
        """Return what is wrong, in words; nothing is wrong with an empty list. See `chassis.observability.health`."""
        return await self._health.problems()

    def _recording(self, durable: str, handler: RawHandler) -> RawReader:
        return RawReader(durable, handler, self._settings, self._heart, self._outages, self._progress)

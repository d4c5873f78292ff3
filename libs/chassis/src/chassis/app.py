"""A service: which events reach which handlers, over a connection of its own."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar
from uuid import UUID

from contracts.envelope import Event, Request, Role
from opentelemetry.trace import TracerProvider

from chassis.background_tasks import PeriodicTask, first_result
from chassis.bus import Bus, Fence
from chassis.delivery.advisories import ADVISORY_STREAM, ADVISORY_SUBJECTS, Advisories
from chassis.delivery.attempt_stream import AttemptStream
from chassis.delivery.attempts import Attempts
from chassis.delivery.batch_reader import BatchReader, RawHandler
from chassis.delivery.consumer_registry import ConsumerRegistry, ThreadSubscription
from chassis.delivery.isolation import Isolation
from chassis.delivery.keepalive import AckKeepalive, InFlight
from chassis.delivery.processor import MessageProcessor
from chassis.delivery.reconciliation import ConsumerReconciler, PlannedConsumer
from chassis.delivery.run_cancellation import RunCancellation
from chassis.delivery.subscription import (
    Handler,
    Subscription,
    event_handler,
    repeating_handler,
    request_handler,
    scheduled_handler,
)
from chassis.errors import CannotStartError
from chassis.health import Health, HealthCheck, TaskCheck
from chassis.leases.bucket import LeaseBucket
from chassis.leases.lease import Leases
from chassis.observability.declarations import LEASE_TAKEOVERS
from chassis.observability.health_server import HealthServer
from chassis.observability.logs import exported_logs
from chassis.observability.metrics import Meters
from chassis.observability.telemetry import Telemetry
from chassis.observability.tracing import Tracing
from chassis.recovery.purge import StreamPurge
from chassis.recovery.reread import AcknowledgedMessages
from chassis.retry import Outages
from chassis.self_measurement import SelfMeasurement
from chassis.servers.look_up import AnnouncedServers
from chassis.servers.registry import ServerKind
from chassis.settings import BusSettings
from chassis.stream.connection import connect, disconnect, make_broker
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.lag import Lag, consumer_lag
from chassis.stream.large_fields import BlobStore, LargeFields
from chassis.stream.reads import await_stream
from chassis.stream.run_messages import RunMessages
from chassis.subjects import (
    STREAM,
    SUBJECTS,
    SubscriptionMode,
    recording_durable_name,
    thread_durable_name,
    thread_requests_filter,
)

R = TypeVar("R", bound=Request)
E = TypeVar("E", bound=Event)

ADVISORY_BATCH_SIZE = 10

_log = logging.getLogger(__name__)


class Resource(Protocol):
    """Something that a service opens before it works and closes afterwards."""

    async def start(self) -> None:
        """Open it."""
        ...

    async def stop(self) -> None:
        """Close it."""
        ...


VitalPart = Callable[[], Awaitable[str]]
"""Waits until a part of an app has failed for good, and returns why."""


class App:
    """Subscribe handlers first, then `start`. Several apps can share a process; none uses signals or globals."""

    def __init__(self, name: str, settings: BusSettings, tracer_provider: TracerProvider | None = None) -> None:
        self.name = name
        self.purges = False
        """Whether it purges the stream, for which `chassis.administration.permissions` gives it the right."""
        self._settings = settings
        self._telemetry = Telemetry(name, settings, tracer_provider)
        self._broker = make_broker(name, settings)
        self._large_fields = LargeFields()
        self._bus = JetStreamBus(self._broker, self._telemetry.tracing, self._large_fields)
        self._keepalive = AckKeepalive(name, settings)
        self._in_flight = InFlight(self._keepalive)
        self._outages = Outages(settings.bus_retry_delay_s, self._telemetry.note_outage)
        self._cancellation = RunCancellation(name, self._bus, settings.bus_watch_s)
        self._attempt_stream = AttemptStream(name, self._bus, settings.bus_connect_timeout_s)
        self._processor = MessageProcessor(
            settings,
            self._bus,
            self._telemetry,
            self._outages,
            self._cancellation,
            self._in_flight,
            self._large_fields,
            Attempts(self._attempt_stream, settings.bus_max_deliver),
        )
        self._reconciler = ConsumerReconciler(name, settings, self._bus)
        self._consumers = ConsumerRegistry(name, self._broker, self._processor, self._reconciler)
        self._health = Health(name, settings, self._bus, self._reconciler, self._outages, self._in_flight)
        for part in (self._keepalive, self._cancellation, self._consumers, self._processor):
            self._health.add_task_check(part.problem)
        self._resources: list[Resource] = []
        own = SelfMeasurement(self.meters, self._reconciler, self._outages, self._health)
        self._measurement = PeriodicTask(f"{name} measures itself", own.measure, settings.telemetry_every_s)
        self._health.add_task_check(self._measurement.problem)
        self._started_resources: list[Resource] = []
        self._fail_fast_errors: tuple[type[Exception], ...] = ()
        self._vital_parts: list[VitalPart] = []

    @property
    def meters(self) -> Meters:
        """Makes the measures of this app's metrics; see `chassis.observability.declarations`."""
        return self._telemetry.meters

    @property
    def tracing(self) -> Tracing:
        """Spans of this app."""
        return self._telemetry.tracing

    @property
    def metrics_url(self) -> str | None:
        """Where Prometheus can scrape this app, once it has started; None without METRICS_PORT."""
        return self._telemetry.metrics_url

    @property
    def bus(self) -> Bus:
        """The event log; usable from `start` to `stop`, also by resources."""
        return self._bus

    def answers(
        self,
        request: type[R],
        handler: Callable[[R], Awaitable[Event]],
        workers: int = 1,
        *,
        after_end: bool = False,
        publishes: bool = False,
    ) -> None:
        """Own a request: `handler` returns its outcome. It is not called when an outcome is already stored.

        `publishes`: the handler has published the outcome itself when it returns it.
        """
        adapted = request_handler(handler, publishes=publishes)
        self._consumers.add(request, SubscriptionMode.ANSWER, adapted, workers=workers, after_end=after_end)

    def subscribes(
        self,
        event: type[E],
        handler: Callable[[E], Awaitable[Sequence[Event]]],
        role: Role | None = None,
        workers: int = 1,
        *,
        after_end: bool = False,
    ) -> None:
        """Consume the events of one role's threads, or of all; the events that `handler` returns are published."""
        self._consumers.add(event, SubscriptionMode.SUBSCRIBE, event_handler(handler), role, workers, after_end)

    def schedules(
        self,
        event: type[E],
        time_of: Callable[[E], datetime],
        handler: Callable[[E], Awaitable[Sequence[Event]]],
    ) -> None:
        """Call `handler` at the time that `time_of` reads from the event, unless the run has ended by then."""
        self._consumers.add(event, SubscriptionMode.SCHEDULE, scheduled_handler(time_of, handler))

    def repeats(self, event: type[E], every_s: float, handler: Callable[[E], Awaitable[None]]) -> None:
        """Call `handler` every `every_s` until the run has ended, each time in one of the service's processes."""
        self._consumers.add(event, SubscriptionMode.SCHEDULE, repeating_handler(every_s, handler))

    def records(self, handler: RawHandler, batch_size: int) -> None:
        """Hand every message of the stream to `handler`, raw, in batches of at most `batch_size`."""
        self._add_reader(recording_durable_name(self.name), handler, batch_size, SUBJECTS)

    def records_advisories(self) -> None:
        """Publish dead letters for deliveries that the server ended. Exactly one service does this."""
        advisories = Advisories(self._bus)
        for ending, subject in ADVISORY_SUBJECTS.items():
            durable = f"{recording_durable_name(self.name)}-{ending}"
            handler = partial(advisories.process, ending)
            self._add_reader(durable, handler, ADVISORY_BATCH_SIZE, subject, ADVISORY_STREAM)

    @property
    def planned_consumers(self) -> list[PlannedConsumer]:
        """The durable consumers from which this app reads, in all streams; known before it starts."""
        return self._reconciler.planned

    @property
    def health_file(self) -> Path | None:
        """The file to which a process with this app alone writes its health, if any."""
        return self._settings.health_file

    def health_server(self) -> HealthServer | None:
        """Return the server of probes for a process with this app alone, if the settings name a port."""
        port = self._settings.health_port
        return None if port is None else HealthServer(self.health, self._health.fatal_problems, port)

    async def lag(self) -> Lag:
        """Return how far this app, which `records`, is behind the stream."""
        return await consumer_lag(self._bus.js, recording_durable_name(self.name))

    def add_purge(self) -> StreamPurge:
        """Return the purge of the stream; for the one service that records it."""
        self.purges = True
        return StreamPurge(lambda: self._bus.client, recording_durable_name(self.name))

    def acknowledged_messages(self) -> AcknowledgedMessages:
        """Return what this app, which `records`, has acknowledged, to be read again."""
        return AcknowledgedMessages(lambda: self._bus.js, recording_durable_name(self.name))

    def run_messages(self) -> RunMessages:
        """Return a reader of runs in the stream, which works from `start` on."""
        return RunMessages(lambda: self._bus.client)

    def announced_servers(self, kind: ServerKind) -> AnnouncedServers:
        """Return a reader of the registry of servers, which works from `start` on."""
        return AnnouncedServers(lambda: self._bus.js, kind)

    def add_health_check(self, check: HealthCheck) -> None:
        """Let `health` include the result of `check`."""
        self._health.add_check(check)

    def add_task_check(self, check: TaskCheck) -> None:
        """Let `health` include a background task, such as `SupervisedTask.problem`."""
        self._health.add_task_check(check)

    def requires_readable_events(self) -> None:
        """Leave a message whose handler would read an event of a newer version to a newer version of this app.

        For apps that decide by what other messages contain. In all others, reads leave such events out.
        """
        self._bus.requires_readable = True

    def retries_on(self, *errors: type[Exception]) -> None:
        """Treat these exceptions as the outage of a dependency, such as a database.

        A handler that raises one is called again, with growing pauses, until the outage is over: its message is kept
        alive and no attempt is counted. Only the end of its run, or of this process, ends the waiting.
        """
        self._outages.add_errors(*errors)

    def fails_fast_on(self, *errors: type[Exception]) -> None:
        """If a resource raises one of these at start, report only its message, which names cause and remedy."""
        self._fail_fast_errors = (*self._fail_fast_errors, *errors)

    def ends_on(self, part: VitalPart) -> None:
        """End the process of this app when a part fails without which it must not go on; `part` waits for that."""
        self._vital_parts.append(part)

    async def failure(self) -> str:
        """Wait until a vital part has failed, and return why; for ever if none does. Call it after `start`."""
        return await first_result(*(part() for part in self._vital_parts))

    def stores_large_fields_in(self, blobs: BlobStore) -> None:
        """Store texts over 64 KiB as artifacts, unnoticed by handlers; see `chassis.stream.large_fields`.

        An event that names artifacts is published once they are uploaded.
        """
        self._large_fields.use_store(blobs)

    def share_isolation(self, isolation: Isolation) -> None:
        """Take a message that may have killed its process alone in all apps of the process that share this."""
        self._processor.isolation = isolation

    def add_leases(self) -> Leases:
        """Return leases, which start and stop with the app; for a service that serves threads."""
        takeovers = self.meters.measure(LEASE_TAKEOVERS)
        leases = Leases(
            self.name,
            LeaseBucket(self.name, self._settings),
            self._settings.bus_lease_ttl_s,
            note_takeover=lambda: takeovers(1),
        )
        self.add_resource(leases)
        self.add_task_check(leases.problem)
        return leases

    def measures(self, subject: str, measure: Callable[[], Awaitable[None]]) -> None:
        """Call `measure` every `telemetry_every_s`, if anything reads this app's metrics."""
        if self.meters.is_enabled:
            name = f"{self.name} measures {subject}"
            self.add_resource(PeriodicTask(name, measure, self._settings.telemetry_every_s))

    def export_logs(self) -> AbstractContextManager[None]:
        """Send, inside the block, what the whole process logs to the collector, if the settings name one."""
        return exported_logs(self.name, self._settings)

    def add_resource(self, resource: Resource) -> None:
        """Start `resource` before the first message and stop it after the last one."""
        self._resources.append(resource)
        if isinstance(resource, PeriodicTask):
            self.add_task_check(resource.problem)

    async def serve_thread(
        self,
        run_id: UUID,
        role: Role,
        handlers: Mapping[type[Request], Callable[[Any], Awaitable[Event]]],
        fence: Fence | None = None,
    ) -> ThreadSubscription:
        """Answer one thread's requests in order, one at a time; classes without a handler are left to other services.

        `fence`, such as a lease's, is passed before each request and before its outcome is published.
        """
        by_class: dict[type[Event], Handler] = {each: request_handler(handler) for each, handler in handlers.items()}
        subscription = Subscription(
            self.name,
            thread_durable_name(self.name, run_id, role),
            thread_requests_filter(run_id, role),
            SubscriptionMode.SERVE_THREAD,
            by_class,
            fence=fence,
        )
        return await self._consumers.serve_thread(subscription)

    async def start(self) -> None:
        """Connect, open resources, declare consumers and begin to work; after a failure nothing stays open."""
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise
        _log.info("%s is ready", self.name)

    async def _start(self) -> None:
        self._telemetry.start(planned.durable for planned in self.planned_consumers)
        self._bus.use(await connect(self._broker, self.name, self._settings))
        await await_stream(self._bus.js, self._settings.bus_connect_timeout_s)
        await self._attempt_stream.start()
        await self._keepalive.start()
        await self._cancellation.start()
        for resource in self._resources:
            self._started_resources.append(resource)
            try:
                with self._outages.fail_fast():
                    await resource.start()
            except self._fail_fast_errors as error:
                raise CannotStartError(str(error)) from error
        await self._consumers.start()
        if self.meters.is_enabled:
            await self._measurement.start()

    async def stop(self) -> None:
        """Finish the work in flight (up to `bus_drain_s`), close resources, disconnect. The rest is delivered again.

        Every part is closed, even if another one fails to close.
        """
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self._telemetry.stop)
            closing.push_async_callback(disconnect, self._broker)
            closing.push_async_callback(self._keepalive.stop)
            closing.push_async_callback(self._cancellation.stop)
            while self._started_resources:
                closing.push_async_callback(self._started_resources.pop(0).stop)
            closing.push_async_callback(self._consumers.stop)
            closing.push_async_callback(self._measurement.stop)
            closing.callback(self._outages.drain)

    async def health(self) -> list[str]:
        """Return one line for each problem, none if the app is healthy. See `chassis.health`."""
        return await self._health.problems()

    def _add_reader(
        self, durable: str, handler: RawHandler, batch_size: int, filter_subject: str, stream: str = STREAM
    ) -> None:
        reader = BatchReader(
            durable,
            handler,
            batch_size,
            self._settings,
            self._outages,
            self._in_flight,
            self.tracing,
            stream,
        )
        self._consumers.add_reader(reader, filter_subject)

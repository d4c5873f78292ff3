"""A service: which event reaches which handler, over a connection of its own."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from contracts.envelope import Event, Request, Role
from faststream.nats import NatsMessage
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig
from opentelemetry.sdk.trace import TracerProvider as OwnTracerProvider
from opentelemetry.trace import TracerProvider

from chassis.attendance import Attendance
from chassis.bus import Bus
from chassis.connection import connect, make_broker
from chassis.consuming import Desk
from chassis.duties import Deed, Duty, answering, hearing, reminding
from chassis.heart import Heart
from chassis.jetstream import JetStreamBus
from chassis.recording import Record, Recording
from chassis.settings import BusSettings
from chassis.streams import (
    SUBJECTS,
    Manner,
    consumer,
    declare,
    durable_name,
    ensure_stream,
    every,
    missing_consumers,
    requests_of,
)
from chassis.subscribing import Work, subscribe, subscribe_batches
from chassis.telemetry import INSTRUMENTATION, make_tracer_provider

R = TypeVar("R", bound=Request)
E = TypeVar("E", bound=Event)

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
        self._settings = settings
        self._own_tracer_provider = None if tracer_provider else make_tracer_provider(name, settings)
        provider = tracer_provider or self._own_tracer_provider
        assert provider is not None
        self._broker = make_broker(name, settings, provider)
        self._bus = JetStreamBus(self._broker)
        self._heart = Heart(name, settings)
        self._desk = Desk(settings, self._bus, self._heart, provider.get_tracer(INSTRUMENTATION))
        self._consumers: dict[str, ConsumerConfig] = {}
        self._resources: list[Resource] = []
        self._started_resources: list[Resource] = []
        self._attendances: set[Attendance] = set()
        self._watch: asyncio.Task[None] | None = None

    @property
    def bus(self) -> Bus:
        """The log of all runs; usable from `start` to `stop`, also by resources."""
        return self._bus

    def answers(
        self,
        request: type[R],
        handler: Callable[[R], Awaitable[Event]],
        workers: int = 1,
        *,
        after_end: bool = False,
    ) -> None:
        """Own a request: `handler` returns its outcome. It is not called when an outcome is already stored."""
        self._take_on(request, "answers", answering(handler), workers=workers, after_end=after_end)

    def hears(
        self,
        event: type[E],
        handler: Callable[[E], Awaitable[Sequence[Event]]],
        role: Role | None = None,
        workers: int = 1,
        *,
        after_end: bool = False,
    ) -> None:
        """Listen, to one role's threads or to all; what `handler` returns is published."""
        self._take_on(event, "hears", hearing(handler), role, workers, after_end)

    def reminds(
        self,
        event: type[E],
        due: Callable[[E], datetime],
        handler: Callable[[E], Awaitable[Sequence[Event]]],
    ) -> None:
        """Call `handler` at the time that `due` reads from the event, unless the run has ended by then."""
        self._take_on(event, "reminds", reminding(due, handler))

    def records(self, handler: Record, batch_size: int) -> None:
        """Hand every message of the stream to `handler`, raw, in batches of at most `batch_size`."""
        config = self._consumer(f"{self.name}-records", SUBJECTS, "records")
        recording = Recording(f"{self.name}-records", handler, self._settings, self._heart)
        subscribe_batches(self._broker, config, recording.work, batch_size)

    def keeps(self, resource: Resource) -> None:
        """Start `resource` before the first message and stop it after the last one."""
        self._resources.append(resource)

    async def attend(
        self,
        run_id: UUID,
        role: Role,
        handlers: Mapping[type[Request], Callable[[Any], Awaitable[Event]]],
    ) -> Attendance:
        """Answer one thread's requests in order, one at a time. Classes without a handler are others' business."""
        durable = f"{self.name}-attends-{run_id}-{role}"
        deeds: dict[type[Event], Deed] = {request: answering(handler) for request, handler in handlers.items()}
        duty = Duty(self.name, durable, requests_of(run_id, role), "attends", deeds)
        config = consumer(durable, duty.filter_subject, "attends", self._settings.bus_ack_wait_s)
        await declare(self._bus.js, config)
        subscriber = subscribe(self._broker, config, self._work(duty), lasting=False)
        await subscriber.start()
        self._consumers[durable] = config

        def forget(attendance: Attendance) -> None:
            self._attendances.discard(attendance)
            self._consumers.pop(durable, None)

        attendance = Attendance(subscriber, forget)
        self._attendances.add(attendance)
        return attendance

    async def start(self) -> None:
        """Connect, open resources, declare consumers and begin to work; whatever fails, nothing stays open."""
        try:
            self._bus.use(await connect(self._broker, self._settings))
            await ensure_stream(self._bus.js)
            await self._heart.start()
            for resource in self._resources:
                self._started_resources.append(resource)
                await resource.start()
            for config in list(self._consumers.values()):
                await declare(self._bus.js, config)
            await self._broker.start()
        except BaseException:
            await self.stop()
            raise
        self._watch = asyncio.create_task(self._watch_consumers(), name=f"{self.name} watches its consumers")
        _log.info("%s is ready", self.name)

    async def stop(self) -> None:
        """Finish the work in hand (up to `bus_drain_s`), close resources, disconnect. Work left over is redelivered."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
            self._watch = None
        await asyncio.gather(*(subscriber.stop() for subscriber in self._broker.subscribers))
        while self._started_resources:
            await self._started_resources.pop().stop()
        await self._heart.stop()
        await self._broker.stop()
        if isinstance(self._own_tracer_provider, OwnTracerProvider):
            await asyncio.to_thread(self._own_tracer_provider.shutdown)

    async def health(self) -> list[str]:
        """Return what is wrong, in words; nothing is wrong with an empty list."""
        client = self._bus.client
        if not client.is_connected:
            return [f"{self.name} is not connected to NATS"]
        try:
            missing = await missing_consumers(self._bus.js, list(self._consumers))
        except NatsError as error:
            return [f"{self.name} gets no answer from JetStream: {error!r}"]
        return [f"consumer {durable} is missing" for durable in missing]

    def _take_on(  # noqa: PLR0913, PLR0917 - the union of what the three manners of wiring say
        self,
        event: type[Event],
        manner: Manner,
        deed: Deed,
        role: Role | None = None,
        workers: int = 1,
        after_end: bool = False,
    ) -> None:
        durable = durable_name(self.name, manner, event, role)
        duty = Duty(self.name, durable, every(event, role), manner, {event: deed}, after_end)
        config = self._consumer(duty.durable, duty.filter_subject, duty.manner)
        for _ in range(workers):
            subscribe(self._broker, config, self._work(duty))

    def _work(self, duty: Duty) -> Work:
        async def work(message: NatsMessage) -> None:
            await self._desk.work(duty, message)

        return work

    def _consumer(self, durable: str, filter_subject: str, manner: Manner) -> ConsumerConfig:
        if durable in self._consumers:
            raise ValueError(f"{self.name} has two handlers for consumer {durable}: give each its own role or service")
        config = consumer(durable, filter_subject, manner, self._settings.bus_ack_wait_s)
        self._consumers[durable] = config
        return config

    async def _watch_consumers(self) -> None:
        """Declare anew what has disappeared: FastStream would go on asking a consumer that is no more, in silence."""
        while True:
            await asyncio.sleep(self._settings.bus_watch_s)
            try:
                await self._redeclare_missing()
            except NatsError as error:
                _log.warning("%s cannot look after its consumers: %r", self.name, error)

    async def _redeclare_missing(self) -> None:
        await ensure_stream(self._bus.js)
        for durable in await missing_consumers(self._bus.js, list(self._consumers)):
            if durable in self._consumers:
                _log.warning("consumer %s was missing and is declared anew", durable)
                await declare(self._bus.js, self._consumers[durable])

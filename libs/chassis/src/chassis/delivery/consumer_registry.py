"""Where one app's messages come in: its durable consumers, and the workers and readers on them."""

import asyncio

from contracts.envelope import Event, Role
from faststream.nats import NatsBroker, NatsMessage

from chassis.cancellation import cancel_and_wait
from chassis.delivery.batch_reader import BatchReader
from chassis.delivery.processor import MessageProcessor
from chassis.delivery.raw_reader import RawReader
from chassis.delivery.reconciliation import ConsumerReconciler
from chassis.delivery.subscriber import Work, stop, subscribe
from chassis.delivery.subscription import Handler, Subscription
from chassis.delivery.thread_subscription import ThreadSubscription
from chassis.stream.connection import inbox_of
from chassis.stream.subjects import STREAM, Mode, class_filter, durable_name


class ConsumerRegistry:
    """Takes on duties before the app starts, and threads while it works."""

    def __init__(self, service: str, broker: NatsBroker, desk: MessageProcessor, consumers: ConsumerReconciler) -> None:
        self._service = service
        self._broker = broker
        self._desk = desk
        self._consumers = consumers
        self._readers: list[BatchReader] = []
        self._attendances: set[ThreadSubscription] = set()
        self._watching: asyncio.Task[None] | None = None

    def add(  # noqa: PLR0913, PLR0917 - the union of what the three manners of wiring say
        self,
        event: type[Event],
        manner: Mode,
        deed: Handler,
        role: Role | None = None,
        workers: int = 1,
        after_end: bool = False,
    ) -> None:
        """Put workers on the events of one class, of one role's threads or of all."""
        durable = durable_name(self._service, manner, event, role)
        duty = Subscription(self._service, durable, class_filter(event, role), manner, {event: deed}, after_end)
        config = self._consumers.add(duty.durable, duty.filter_subject, duty.mode)
        for _ in range(workers):
            subscribe(self._broker, config, self._work(duty), inbox_of(self._service))

    def read_batches(self, recording: RawReader, subject: str, batch_size: int, stream: str = STREAM) -> None:
        """Hand messages to `recording`, raw, in batches of at most `batch_size`."""
        self._consumers.add(recording.durable, subject, "records", stream)
        reader = BatchReader(recording.durable, recording.work, batch_size, lambda: self._consumers.js, stream)
        self._readers.append(reader)

    async def serve_thread(self, duty: Subscription) -> ThreadSubscription:
        """Begin to work through one thread."""
        config = await self._consumers.join(duty.durable, duty.filter_subject, "attends")

        def forget(attendance: ThreadSubscription) -> None:
            self._attendances.discard(attendance)
            self._consumers.leave(duty.durable)

        subscriber = subscribe(self._broker, config, self._work(duty), inbox_of(self._service), lasting=False)
        try:
            await subscriber.start()
            attendance = ThreadSubscription(subscriber, forget)
        except BaseException:  # such as a cancellation: nobody will ever stop what was begun
            await stop(subscriber)
            self._consumers.leave(duty.durable)
            raise
        self._attendances.add(attendance)
        return attendance

    async def start(self) -> None:
        """Declare the consumers and begin to work."""
        await self._consumers.declare()
        await self._broker.start()
        for reader in self._readers:
            await reader.start()
        self._watching = asyncio.create_task(self._consumers.watch(), name=f"{self._service} watches its consumers")

    async def stop(self) -> None:
        """Take nothing more, and finish what is in hand."""
        if self._watching is not None:
            await cancel_and_wait(self._watching)
            self._watching = None
        readers = (reader.stop() for reader in self._readers)
        await asyncio.gather(*readers, *(stop(subscriber) for subscriber in self._broker.subscribers))

    def _work(self, duty: Subscription) -> Work:
        async def work(message: NatsMessage) -> None:
            await self._desk.process(duty, message)

        return work

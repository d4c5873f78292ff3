"""The consumers of one app, and the FastStream subscribers and batch readers that read from them."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from contracts.envelope import Event, Role
from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, PullSub
from faststream.nats.subscriber.usecases import PullStreamSubscriber
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig

from chassis.background_tasks import SupervisedTask
from chassis.delivery.batch_reader import BatchReader
from chassis.delivery.processor import MessageProcessor
from chassis.delivery.reconciliation import ConsumerReconciler
from chassis.delivery.subscription import Handler, Subscription
from chassis.retry import retry
from chassis.stream.connection import inbox_of
from chassis.subjects import STREAM, SUBJECTS, SubscriptionMode, class_filter, durable_name

PULL_TIMEOUT_S = 2.0
"""A worker that has lost its connection asks for messages again within this time."""

_log = logging.getLogger(__name__)


class ThreadSubscription:
    """A subscription to one run's thread of one role. After `stop`, another process can serve the thread."""

    def __init__(self, subscriber: PullStreamSubscriber, forget: Callable[["ThreadSubscription"], None]) -> None:
        self._subscriber = subscriber
        self._forget = forget
        self._stopping: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Finish the request in flight and take no other. A second call waits for the first."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop())
        await asyncio.shield(self._stopping)

    async def _stop(self) -> None:
        await _stop(self._subscriber)
        self._forget(self)


class ConsumerRegistry:
    """Takes subscriptions before the app starts, and subscriptions to threads while it works."""

    def __init__(
        self, service: str, broker: NatsBroker, processor: MessageProcessor, consumers: ConsumerReconciler
    ) -> None:
        self._service = service
        self._broker = broker
        self._processor = processor
        self._consumers = consumers
        self._readers: list[BatchReader] = []
        self._threads: set[ThreadSubscription] = set()
        """FastStream itself holds subscribers that are not persistent by weak references only."""
        self._reconciling = SupervisedTask(f"{service} reconciles its consumers", consumers.reconcile_for_ever)

    def add(  # noqa: PLR0913, PLR0917 - the union of what the wiring methods of `App` take
        self,
        event_class: type[Event],
        mode: SubscriptionMode,
        handler: Handler,
        role: Role | None = None,
        workers: int = 1,
        after_end: bool = False,
    ) -> None:
        """Subscribe to the events of one class, of one role's threads or of all."""
        durable = durable_name(self._service, mode, event_class, role)
        filter_subject = class_filter(event_class, role)
        subscription = Subscription(self._service, durable, filter_subject, mode, {event_class: handler}, after_end)
        config = self._consumers.plan(durable, filter_subject, mode)
        for _ in range(workers):
            self._subscribe(config, subscription)

    def add_reader(self, reader: BatchReader, filter_subject: str) -> None:
        """Let `reader` read messages in batches."""
        self._consumers.plan(reader.durable, filter_subject, SubscriptionMode.RECORD, reader.stream)
        self._readers.append(reader)

    async def serve_thread(self, subscription: Subscription) -> ThreadSubscription:
        """Subscribe to the requests of one thread, and begin at once."""
        durable = subscription.durable
        config = await self._consumers.declare_now(durable, subscription.filter_subject, subscription.mode)
        subscriber = self._subscribe(config, subscription, persistent=False)
        try:
            await retry(subscriber.start, durable)
        except BaseException:  # such as a cancellation: the caller gets nothing that it could stop
            await _stop(subscriber)
            self._consumers.forget(durable)
            raise

        def forget(thread: ThreadSubscription) -> None:
            self._threads.discard(thread)
            self._consumers.forget(durable)

        thread = ThreadSubscription(subscriber, forget)
        self._threads.add(thread)
        return thread

    async def start(self) -> None:
        """Declare the consumers and begin to work; a subscriber that has started is left as it is."""
        await self._consumers.declare()
        await retry(self._broker.start, "the start of all subscribers")
        for reader in self._readers:
            await reader.start(self._consumers.js)
        self._reconciling.start()

    async def stop(self) -> None:
        """Finish the messages in flight and take no other."""
        await self._reconciling.stop()
        readers = (reader.stop() for reader in self._readers)
        subscribers = (each for each in self._broker.subscribers if isinstance(each, PullStreamSubscriber))
        await asyncio.gather(*readers, *(_stop(subscriber) for subscriber in subscribers), self._processor.stop())

    def problem(self) -> str | None:
        """Return what is wrong with a background task, if anything."""
        problems = (task.problem() for task in (self._reconciling, *self._readers))
        return next(filter(None, problems), None)

    def _subscribe(
        self, config: ConsumerConfig, subscription: Subscription, *, persistent: bool = True
    ) -> PullStreamSubscriber:
        """Add one worker, which processes one message at a time. `workers` of them are as many subscribers.

        FastStream's `max_workers` would fetch more messages than it works on. Its choice of an inbox ignores the
        connection's, and it would add the filter of every thread to its list of the stream's subjects, which therefore
        covers all of them from the start.
        """
        subscriber = self._broker.subscriber(
            config.filter_subject or "",
            stream=JStream(STREAM, subjects=[SUBJECTS], declare=False),
            durable=config.durable_name,
            config=config,
            pull_sub=PullSub(batch_size=1, timeout=PULL_TIMEOUT_S),
            inbox_prefix=f"{inbox_of(self._service)}.".encode(),
            decoder=_undecoded,
            ack_policy=AckPolicy.MANUAL,
            no_reply=True,
            persistent=persistent,
            include_in_schema=False,
        )
        subscriber(partial(self._processor.process, subscription))
        return subscriber


async def _undecoded(message: NatsMessage) -> NatsMessage:
    """Leave decoding to the processor, which has to see unreadable content, too."""
    return message


async def _stop(subscriber: PullStreamSubscriber) -> None:
    """Finish the message in flight and take no other."""
    try:
        await subscriber.stop()
    except NatsError as error:  # the server does not answer; the subscriber itself has stopped
        _log.warning("a subscriber could not unsubscribe: %r", error)

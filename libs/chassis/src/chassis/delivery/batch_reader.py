"""Reading a whole stream, raw and in batches.

Over raw nats-py: FastStream's batch subscriber keeps what it has fetched in a local list while it fetches more, and
drops that list when nats-py ends a fetch with asyncio's TimeoutError. The messages come back only after the ack wait.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from chassis.background_tasks import SupervisedTask
from chassis.delivery.keepalive import InFlight
from chassis.errors import DrainingError
from chassis.observability.tracing import Tracing
from chassis.retry import Outages, backoff_s
from chassis.settings import BusSettings
from chassis.subjects import STREAM

FETCH_TIMEOUT_S = 0.5
"""How long one fetch waits for messages; a stop waits for it, too."""

PAUSE_AFTER_ERROR_S = 0.5

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RawMessage:
    """One message of the stream as it is stored."""

    subject: str
    sequence: int
    """Its number in the stream; no number is used twice."""
    data: bytes
    time: datetime
    """When the server stored it."""
    headers: dict[str, str] = field(default_factory=dict[str, str])


RawHandler = Callable[[list[RawMessage]], Awaitable[None]]


class BatchReader:
    """Hands the messages of a durable consumer to a handler, one batch at a time, and acknowledges them afterwards.

    A batch whose handler fails is delivered again, without limit.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - half of it is the app's
        self,
        durable: str,
        handler: RawHandler,
        batch_size: int,
        settings: BusSettings,
        outages: Outages,
        in_flight: InFlight,
        tracing: Tracing,
        stream: str = STREAM,
    ) -> None:
        self.durable = durable
        self.stream = stream
        self._handler = handler
        self._batch_size = batch_size
        self._settings = settings
        self._outages = outages
        self._in_flight = in_flight
        self._tracing = tracing
        self._subscription: JetStreamContext.PullSubscription | None = None
        self._reading = SupervisedTask(f"{durable} reads", self._read)
        self._stopping = False

    async def start(self, js: JetStreamContext) -> None:
        """Begin to read; the consumer has been declared."""
        self._subscription = await js.pull_subscribe_bind(self.durable, self.stream)
        self._reading.start()

    async def stop(self) -> None:
        """Finish the batch in flight and fetch no other."""
        self._stopping = True
        await self._reading.finish()
        if self._subscription is not None:
            with contextlib.suppress(NatsError):  # without a server, a subscription cannot be ended
                await self._subscription.unsubscribe()
            self._subscription = None

    def problem(self) -> str | None:
        """Return why nothing is read, if so."""
        return self._reading.problem()

    async def _read(self) -> None:
        subscription = self._subscription
        assert subscription is not None
        while not self._stopping:
            try:
                messages = await subscription.fetch(self._batch_size, timeout=FETCH_TIMEOUT_S)
            except TimeoutError:
                continue
            except NatsError as error:
                _log.warning("%s cannot read: %r", self.durable, error)
                await asyncio.sleep(PAUSE_AFTER_ERROR_S)
                continue
            if messages:  # nats-py can return none, as after an idle heartbeat
                await self._process(messages)

    async def _process(self, messages: Sequence[Msg]) -> None:
        batch = [_raw(message) for message in messages]
        headers = [each.headers for each in batch]
        with self._in_flight.hold(self.durable, messages), self._tracing.reading(self.durable, headers):
            try:
                await self._outages.retry(self.durable, lambda: self._handler(batch))
            except DrainingError as error:
                _log.warning("%s leaves a batch of %d to the next process: %s", self.durable, len(messages), error)
                await self._deliver_again(messages)
            except Exception as error:  # noqa: BLE001 - an abandoned batch would be missing in the log
                _log.warning("%s: a batch of %d failed", self.durable, len(messages), exc_info=error)
                await self._deliver_again(messages)
            else:
                for message in messages:
                    await message.ack()

    async def _deliver_again(self, messages: Sequence[Msg]) -> None:
        settings = self._settings
        for message in messages:
            attempt = message.metadata.num_delivered
            await message.nak(delay=backoff_s(attempt, settings.bus_retry_delay_s, settings.bus_max_retry_delay_s))


def _raw(message: Msg) -> RawMessage:
    metadata = message.metadata
    return RawMessage(
        subject=message.subject,
        sequence=metadata.sequence.stream,
        data=message.data,
        time=metadata.timestamp,
        headers=dict(message.headers or {}),
    )

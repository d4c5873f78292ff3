"""Reading the log itself, raw and in batches."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from nats.aio.msg import Msg

from chassis.delivery.in_flight import InFlight
from chassis.delivery.keepalive import AckKeepalive
from chassis.errors import DrainingError
from chassis.recovery.backoff import backoff_s
from chassis.recovery.outages import Outages
from chassis.settings import BusSettings

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RawMessage:
    """One message of the stream as it is stored."""

    subject: str
    sequence: int
    """Its place in the stream; places are never used twice."""
    data: bytes
    time: datetime
    """When the server stored it."""
    headers: dict[str, str] = field(default_factory=dict[str, str])


RawHandler = Callable[[list[RawMessage]], Awaitable[None]]


class RawReader:
    """Hands batches to a handler and acknowledges them once it has returned. Never gives a message up."""

    def __init__(  # noqa: PLR0913, PLR0917 - what work needs
        self,
        durable: str,
        handler: RawHandler,
        settings: BusSettings,
        heart: AckKeepalive,
        outages: Outages,
        progress: InFlight,
    ) -> None:
        self.durable = durable
        self._handler = handler
        self._settings = settings
        self._heart = heart
        self._outages = outages
        self._progress = progress

    async def work(self, messages: Sequence[Msg]) -> None:
        """Record one batch."""
        batch = [recorded(message) for message in messages]
        replies = (message.reply for message in messages)
        with self._heart.keep(*replies), self._progress.in_hand(self.durable, batch[0].sequence):
            try:
                await self._outages.retry(self.durable, lambda: self._handler(batch))
            except DrainingError as error:
                _log.warning("%s leaves a batch of %d to the next process: %s", self.durable, len(messages), error)
                await self._hand_back(messages)
            except Exception as error:  # noqa: BLE001 - a recorder that gave up would lose history
                _log.warning("%s: a batch of %d failed", self.durable, len(messages), exc_info=error)
                await self._hand_back(messages)
            else:
                for message in messages:
                    await message.ack()

    async def _hand_back(self, messages: Sequence[Msg]) -> None:
        settings = self._settings
        for message in messages:
            tries = message.metadata.num_delivered
            await message.nak(delay=backoff_s(tries, settings.bus_retry_delay_s, settings.bus_max_retry_delay_s))


def recorded(message: Msg) -> RawMessage:
    """Return what is stored of a delivered message."""
    metadata = message.metadata
    return RawMessage(
        subject=message.subject,
        sequence=metadata.sequence.stream,
        data=message.data,
        time=metadata.timestamp,
        headers=dict(message.headers or {}),
    )

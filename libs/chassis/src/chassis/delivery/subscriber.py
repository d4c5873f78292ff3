"""FastStream subscribers for duties."""

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from faststream import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, PullSub
from nats.errors import Error as NatsError
from nats.js.api import ConsumerConfig

from chassis.stream.subjects import STREAM, SUBJECTS

PULL_TIMEOUT_S = 2.0
"""After a lost connection a worker asks again within this time."""

_log = logging.getLogger(__name__)

Work = Callable[[NatsMessage], Awaitable[None]]


class Subscriber(Protocol):
    """What we need of FastStream's."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


def subscribe(
    broker: NatsBroker, config: ConsumerConfig, work: Work, inbox: str, *, lasting: bool = True
) -> Subscriber:
    """Return one worker on a durable consumer. It takes one message at a time and acknowledges by itself.

    Messages are delivered below `inbox`: FastStream's own choice ignores the connection's.

    k workers are k subscribers: FastStream's `max_workers` fetches more than it works on.
    """
    subscriber = broker.subscriber(
        config.filter_subject or "",
        stream=_stream(),
        durable=config.durable_name,
        config=config,
        pull_sub=PullSub(batch_size=1, timeout=PULL_TIMEOUT_S),
        inbox_prefix=f"{inbox}.".encode(),
        decoder=_as_delivered,
        ack_policy=AckPolicy.MANUAL,
        no_reply=True,
        persistent=lasting,
        include_in_schema=False,
    )
    subscriber(work)
    return subscriber


async def stop(subscriber: Subscriber) -> None:
    """Finish what is in hand and take no more."""
    try:
        await subscriber.stop()
    except NatsError as error:
        # Only its farewell failed: a server that is gone has forgotten it anyway.
        _log.warning("a subscriber could not take leave of the server: %r", error)


def _stream() -> JStream:
    """All subjects from the start, so that FastStream's list of them does not grow with every thread attended."""
    return JStream(STREAM, subjects=[SUBJECTS], declare=False)


async def _as_delivered(message: NatsMessage) -> NatsMessage:
    """Leave reading to the desk: it must see unreadable content, too."""
    return message

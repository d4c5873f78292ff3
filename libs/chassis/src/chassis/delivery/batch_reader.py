"""Reading in batches, over raw nats-py.

FastStream's batch subscriber keeps what it has fetched in a local list while it fetches more, and drops that list when
nats-py ends a fetch with asyncio's TimeoutError: the messages come back only after the consumer's ack wait.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext

from chassis.stream.subjects import STREAM

BATCH_TIMEOUT_S = 0.5
"""How long an empty stream is waited for before it is asked again."""

PAUSE_S = 0.5
"""After an error, such as a lost connection."""

_log = logging.getLogger(__name__)


class BatchReader:
    """Hands whatever a durable consumer has, up to `batch_size` messages at once, to `work`, one batch at a time."""

    def __init__(
        self,
        durable: str,
        work: Callable[[Sequence[Msg]], Awaitable[None]],
        batch_size: int,
        jetstream: Callable[[], JetStreamContext],
        stream: str = STREAM,
    ) -> None:
        self._durable = durable
        self._work = work
        self._batch_size = batch_size
        self._jetstream = jetstream
        self._stream = stream
        self._reading: asyncio.Task[None] | None = None
        self._stopping = False

    async def start(self) -> None:
        """Begin to read; the consumer has been declared."""
        subscription = await self._jetstream().pull_subscribe_bind(self._durable, self._stream)
        self._reading = asyncio.create_task(self._read(subscription), name=f"{self._durable} reads")

    async def stop(self) -> None:
        """Finish the batch in hand and take no more."""
        self._stopping = True
        if self._reading is not None:
            await self._reading

    async def _read(self, subscription: JetStreamContext.PullSubscription) -> None:
        while not self._stopping:
            try:
                messages = await subscription.fetch(self._batch_size, timeout=BATCH_TIMEOUT_S)
            except TimeoutError:
                continue
            except NatsError as error:
                _log.warning("%s cannot read: %r", self._durable, error)
                await asyncio.sleep(PAUSE_S)
                continue
            if messages:  # nats-py may return none, as after a heartbeat alone
                await self._work(messages)
        with contextlib.suppress(NatsError):  # a server that is gone has forgotten us anyway
            await subscription.unsubscribe()

"""The gap that a backup leaves: messages that the recorder has acknowledged, and that Postgres has no longer."""

import logging
from collections.abc import Awaitable, Callable, Sequence

from chassis.delivery.batch_reader import RawMessage
from chassis.recovery.reread import AcknowledgedMessages
from store.log import EventLog

BATCH = 100

_log = logging.getLogger(__name__)

Record = Callable[[Sequence[RawMessage]], Awaitable[None]]


class GapRecorder:
    """Records batches, and before each whatever Postgres has lost of what was recorded already.

    A backup cannot be restored unnoticed: the newest sequence in Postgres never decreases otherwise. It is asked for
    before each batch, since the next batch would hide the gap.
    """

    def __init__(self, log: EventLog, acknowledged: AcknowledgedMessages, record: Record) -> None:
        self._event_log = log
        self._acknowledged = acknowledged
        self._record = record
        self._newest: int | None = None
        """The newest sequence in Postgres after the last batch of this process."""

    async def start(self) -> None:
        """Fill a gap that was made while no recorder worked."""
        await self._fill(await self._event_log.newest_sequence())

    async def stop(self) -> None:
        """Do nothing."""

    async def record(self, batch: Sequence[RawMessage]) -> None:
        """Record a batch; when it returns, the database has committed it."""
        newest = await self._event_log.newest_sequence()
        if self._newest is None or newest < self._newest:
            await self._fill(newest)
        await self._record(batch)
        self._newest = await self._event_log.newest_sequence()

    async def _fill(self, newest: int) -> None:
        last, count = await self._acknowledged.last(), 0
        if newest >= last:
            return
        pending: list[RawMessage] = []
        async for message in self._acknowledged.between(newest + 1, last):
            pending.append(message)
            if len(pending) == BATCH:
                await self._record(pending)
                count, pending = count + len(pending), []
        await self._record(pending)
        _log.warning(
            "Postgres had recorded up to %d of %d: %d messages were still in the stream and are recorded again",
            newest, last, count + len(pending),
        )  # fmt: skip

"""Reading a part of the stream again, which its recorder has acknowledged: Postgres was restored from a backup."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# nats-py leaves some of its options untyped.

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg

from chassis.delivery.batch_reader import RawMessage
from chassis.retry import retry
from chassis.stream.lag import consumer_lag
from chassis.stream.reads import find_message
from chassis.subjects import STREAM, SUBJECTS


class AcknowledgedMessages:
    """The messages of the stream that one durable consumer has acknowledged."""

    def __init__(self, jetstream: Callable[[], JetStreamContext], durable: str) -> None:
        self._jetstream = jetstream
        self._durable = durable

    async def last(self) -> int:
        """Return the sequence up to which all are acknowledged; 0 without a consumer."""
        return (await retry(lambda: consumer_lag(self._jetstream(), self._durable), self._durable)).recorded_up_to

    async def between(self, first: int, last: int) -> AsyncIterator[RawMessage]:
        """Yield the messages from one sequence to another, except those that were purged meanwhile."""
        sequence = first
        while (message := await self._next(sequence)) is not None and (message.seq or 0) <= last:
            yield _raw(message)
            sequence = (message.seq or 0) + 1

    async def _next(self, sequence: int) -> RawStreamMsg | None:
        return await find_message(
            lambda: self._jetstream().get_msg(STREAM, seq=sequence, subject=SUBJECTS, next=True),
            f"reading from {sequence}",
        )


def _raw(message: RawStreamMsg) -> RawMessage:
    return RawMessage(
        subject=message.subject or "",
        sequence=message.seq or 0,
        data=message.data or b"",
        time=message.time or datetime.now(UTC),
        headers=dict(message.headers or {}),
    )

"""The lag of the recorder: messages that are stored in the stream but not yet in Postgres."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError

from chassis.errors import BusUnavailableError
from chassis.settings import BusSettings
from chassis.stream.connection import connected
from chassis.stream.reads import STREAM_LOST
from chassis.subjects import STREAM, SUBJECTS, recording_durable_name

RECORDER = "recorder"
COMMAND = "cli"
"""The user that measures from outside; see `chassis.administration.permissions`."""


@dataclass(frozen=True)
class Lag:
    """A measurement of the stream at one moment."""

    unrecorded: int
    """How many messages are not recorded."""
    stored: int
    """How many messages the stream holds."""
    recorded_up_to: int
    """Every message up to this sequence is recorded."""
    oldest: datetime | None
    """When the oldest unrecorded message was stored; None when all are recorded."""
    stored_bytes: int = 0
    """What the stream takes on disk."""

    def __str__(self) -> str:
        """Return the lag in one line."""
        line = f"recorder lag: {self.unrecorded} of {self.stored}"
        return line if self.oldest is None else f"{line}, the oldest for {self.age_s:.1f} s"

    @property
    def age_s(self) -> float:
        """How long the oldest unrecorded message has waited, in seconds; 0 when all are recorded."""
        return 0.0 if self.oldest is None else max(0.0, (datetime.now(UTC) - self.oldest).total_seconds())


MeasureLag = Callable[[], Awaitable[Lag]]


async def measure_lag(settings: BusSettings) -> Lag:
    """Measure the recorder's lag over a new connection; raise `BusUnavailableError` without a server or a stream."""
    async with connected(COMMAND, settings) as client:
        try:
            return await consumer_lag(client.jetstream(), recording_durable_name(RECORDER))
        except NotFoundError as error:
            raise BusUnavailableError(STREAM_LOST) from error


async def consumer_lag(js: JetStreamContext, durable: str) -> Lag:
    """Return the lag of a consumer of the whole stream; if it does not exist, every message is unrecorded.

    Raw nats-py: FastStream does not offer the state of a consumer.
    """
    state = (await js.stream_info(STREAM)).state
    stored, stored_bytes = state.messages, state.bytes
    try:
        info = await js.consumer_info(STREAM, durable)
    except NotFoundError:
        return Lag(stored, stored, 0, await _time_of_first_after(js, 0), stored_bytes)
    floor = info.ack_floor.stream_seq if info.ack_floor else 0
    unrecorded = (info.num_pending or 0) + (info.num_ack_pending or 0)
    oldest = await _time_of_first_after(js, floor) if unrecorded else None
    return Lag(unrecorded, stored, floor, oldest, stored_bytes)


async def _time_of_first_after(js: JetStreamContext, sequence: int) -> datetime | None:
    try:
        message = await js.get_msg(STREAM, seq=sequence + 1, subject=SUBJECTS, next=True)
    except NotFoundError:
        return None
    return message.time

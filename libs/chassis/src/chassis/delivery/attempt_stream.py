"""The attempt store on JetStream: a stream that keeps the newest record of each message."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio

from contracts.settings import COMMAND
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from chassis.errors import BusUnavailableError
from chassis.retry import STREAM_NOT_FOUND, retry
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.reads import MESSAGE_NOT_FOUND
from chassis.subjects import STREAM

ATTEMPT_STREAM = f"{STREAM}_ATTEMPTS"
ATTEMPT_SUBJECTS = "attempts.>"
MAX_AGE_S = 7 * 24 * 3600.0
"""After so long without another delivery a record is dropped."""


def attempt_stream_config() -> StreamConfig:
    """Return the configuration of the stream: the newest record per message, read from the leader alone."""
    return StreamConfig(
        name=ATTEMPT_STREAM,
        description="How often each message failed or killed its process; only of messages that were delivered again.",
        subjects=[ATTEMPT_SUBJECTS],
        storage=StorageType.FILE,
        discard=DiscardPolicy.OLD,
        max_msgs_per_subject=1,
        max_age=MAX_AGE_S,
        allow_direct=False,
    )


def attempt_subject(service: str, key: str) -> str:
    """Return the subject of one record; a service may write only its own."""
    return f"attempts.{service}.{key}"


class AttemptStream:
    """`chassis.delivery.attempts.AttemptStore` of one service, over the connection of its app."""

    def __init__(self, service: str, bus: JetStreamBus, timeout_s: float) -> None:
        self._service = service
        self._bus = bus
        self._timeout_s = timeout_s

    async def start(self) -> None:
        """Return once the stream exists; raise `BusUnavailableError` when it does not appear in time."""
        try:
            async with asyncio.timeout(self._timeout_s):
                await retry(lambda: self._bus.js.stream_info(ATTEMPT_STREAM), f"stream {ATTEMPT_STREAM}")
        except TimeoutError as error:
            raise BusUnavailableError(
                f"the NATS server has no stream {ATTEMPT_STREAM}: create it with `{COMMAND} migrate`"
            ) from error

    async def read(self, key: str) -> bytes | None:
        """See `AttemptStore.read`."""
        subject = attempt_subject(self._service, key)
        try:
            message = await retry(lambda: self._bus.js.get_last_msg(ATTEMPT_STREAM, subject), f"looking up {subject}")
        except NotFoundError as error:
            if error.err_code not in {MESSAGE_NOT_FOUND, STREAM_NOT_FOUND}:
                raise
            return None
        return message.data

    async def write(self, key: str, data: bytes) -> None:
        """See `AttemptStore.write`."""
        subject = attempt_subject(self._service, key)
        await retry(lambda: self._bus.js.publish(subject, data, stream=ATTEMPT_STREAM), f"publishing {subject}")

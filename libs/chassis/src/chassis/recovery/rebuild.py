"""The stream, lost with its server's disk, made anew from what was recorded of it."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from nats.js import JetStreamContext
from nats.js.api import StreamConfig, StreamInfo, SubjectTransform
from nats.js.errors import APIError, NotFoundError

from chassis.delivery.advisories import ensure_advisory_stream
from chassis.errors import ChassisError
from chassis.leases.bucket import ensure_lease_bucket
from chassis.recovery.retry import STREAM_NOT_FOUND, retry
from chassis.stream.provisioning import STAGED, STAGING, stream_config
from chassis.stream.publisher import WRONG_LAST_SEQUENCE
from chassis.stream.subjects import STREAM, Address, id_filter


class StreamInUseError(ChassisError):
    """There is a stream, and it is not empty."""

    def __init__(self, messages: int) -> None:
        super().__init__(
            f"stream {STREAM} is there and holds {messages} messages, so it is not lost and nothing is rebuilt; "
            f"if it is damaged all the same, delete it first: `nats stream rm {STREAM}`"
        )


@dataclass(frozen=True)
class StoredMessage:
    """One message as it lay in the stream."""

    subject: str
    data: bytes
    traceparent: str | None


Restored = Callable[[int], None]
"""Told after each message how many there are by now."""


@dataclass(frozen=True)
class Extent:
    """How much of a stream there is."""

    messages: int
    last_sequence: int
    """0 when there never was a message."""
    half_rebuilt: bool = False


async def extent(js: JetStreamContext) -> Extent:
    """Return how much there is; a stream that is missing is empty."""
    info = await _look(js)
    if info is None:
        return Extent(0, 0)
    return Extent(info.state.messages, info.state.last_seq, info.config.subjects == [STAGED])


async def rebuild(
    js: JetStreamContext, first_sequence: int, messages: AsyncIterator[StoredMessage], restored: Restored
) -> int:
    """Create the stream from `first_sequence` on and store `messages` in their order; return how many there were.

    Until all are stored the stream listens to other subjects, under which alone we store, so nobody can say anything
    in between, and services take it for missing. Raises `StreamInUseError` when there is something in the stream.
    """
    await _clear(js)
    await retry(lambda: js.add_stream(_staged(first_sequence)), f"stream {STREAM}")
    count = 0
    async for message in messages:
        await _store(js, message)
        count += 1
        restored(count)
    await retry(lambda: js.update_stream(stream_config(first_sequence=0)), f"stream {STREAM}")
    await ensure_advisory_stream(js)
    await ensure_lease_bucket(js)
    return count


async def _clear(js: JetStreamContext) -> None:
    """Remove an empty stream, or half of a rebuilt one. It is closed to others before it is looked into."""
    info = await _look(js)
    if info is None:
        return
    if info.config.subjects != [STAGED]:
        if info.state.messages:
            raise StreamInUseError(info.state.messages)
        closed = await js.update_stream(_staged(first_sequence=0))
        if closed.state.messages:
            await js.update_stream(stream_config(first_sequence=0))
            raise StreamInUseError(closed.state.messages)
    await js.delete_stream(STREAM)


async def _look(js: JetStreamContext) -> StreamInfo | None:
    try:
        return await retry(lambda: _info(js), f"stream {STREAM}")
    except LookupError:
        return None


async def _info(js: JetStreamContext) -> StreamInfo:
    try:
        return await js.stream_info(STREAM)
    except NotFoundError as missing:
        if missing.err_code != STREAM_NOT_FOUND:
            raise
        raise LookupError(STREAM) from missing  # not what is insisted on


def _staged(first_sequence: int) -> StreamConfig:
    return replace(
        stream_config(first_sequence),
        subjects=[STAGED],
        subject_transform=SubjectTransform(src=f"{STAGING}.>", dest=">"),
    )


async def _store(js: JetStreamContext, message: StoredMessage) -> None:
    """Store one message; when only its acknowledgement was lost, its id keeps it from being stored twice."""

    async def send() -> None:
        try:
            await js.publish(f"{STAGING}.{message.subject}", message.data, headers=_headers(message))
        except APIError as error:
            if error.err_code != WRONG_LAST_SEQUENCE:
                raise

    await retry(send, f"restoring {message.subject}")


def _headers(message: StoredMessage) -> dict[str, str]:
    address = Address.of(message.subject)
    headers = {
        "Nats-Msg-Id": str(address.id),
        "Nats-Expected-Last-Subject-Sequence": "0",
        "Nats-Expected-Last-Subject-Sequence-Subject": id_filter(address.run_id, address.role, address.id),
    }
    return headers if message.traceparent is None else headers | {"traceparent": message.traceparent}

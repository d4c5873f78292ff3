"""Rebuilding a stream that was lost with its server's disk, from the messages that were recorded."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from contracts.settings import COMMAND
from nats.js import JetStreamContext
from nats.js.api import StreamConfig, StreamInfo, SubjectTransform
from nats.js.errors import APIError

from chassis.administration.provisioning import REPAIR, STAGED, STAGING, declare, ensure_auxiliary, kept, stream_config
from chassis.errors import ChassisError
from chassis.retry import retry
from chassis.stream.publisher import WRONG_LAST_SEQUENCE, deduplication_headers
from chassis.stream.reads import find_stream
from chassis.subjects import STREAM, Address


class StreamInUseError(ChassisError):
    """The stream exists and is not empty."""

    def __init__(self, messages: int) -> None:
        super().__init__(
            f"stream {STREAM} exists and holds {messages} messages, so it is not lost and nothing is rebuilt; "
            f"`{COMMAND} migrate` accepts it unless it is of another history than Postgres, and "
            f"`{COMMAND} rebuild-stream --replace` deletes its messages first"
        )


@dataclass(frozen=True)
class StoredMessage:
    """One message as the stream had it."""

    subject: str
    data: bytes
    traceparent: str | None


Restored = Callable[[int], None]
"""Called after each message with the count so far."""


@dataclass(frozen=True)
class Extent:
    """How much the stream holds."""

    messages: int
    last_sequence: int
    """0 if there never was a message."""
    half_rebuilt: bool = False
    half_repaired: bool = False


async def extent(js: JetStreamContext) -> Extent:
    """Return how much the stream holds; one that does not exist is empty."""
    info = await _find(js)
    if info is None:
        return Extent(0, 0)
    subjects = info.config.subjects
    return Extent(info.state.messages, info.state.last_seq, subjects == [STAGED], subjects == [f"{REPAIR}.>"])


async def rebuild(
    js: JetStreamContext,
    first_sequence: int,
    messages: AsyncIterator[StoredMessage],
    restored: Restored,
    *,
    replaces: bool = False,
) -> int:
    """Create the stream from `first_sequence` on, store `messages` in their order and return their count.

    Until all are stored, the stream has staging subjects, which services do not use: none can publish in between, and
    for all of them the stream is missing. Raises `StreamInUseError` when the stream is not empty, unless the messages
    `replaces` what it holds.
    """
    cleared = await _clear(js, replaces=replaces)
    staged = _staged(first_sequence) if cleared is None else kept(cleared, _staged(first_sequence))
    await retry(lambda: js.add_stream(staged), f"stream {STREAM}")
    count = 0
    async for message in messages:
        await store_once(js, STAGING, message)
        count += 1
        restored(count)
    await retry(lambda: declare(js, stream_config(first_sequence=0)), f"stream {STREAM}")
    await ensure_auxiliary(js)
    return count


async def _clear(js: JetStreamContext, *, replaces: bool) -> StreamConfig | None:
    """Delete an empty or half rebuilt stream, or any that is replaced, and return its configuration; None without one.

    It is staged before its messages are counted, so that none is added.
    """
    info = await _find(js)
    if info is None:
        return None
    if info.config.subjects != [STAGED] and not replaces:
        if info.state.messages:
            raise StreamInUseError(info.state.messages)
        staged = await js.update_stream(kept(info.config, _staged(first_sequence=0)))
        if staged.state.messages:
            await declare(js, stream_config(first_sequence=0))
            raise StreamInUseError(staged.state.messages)
    await js.delete_stream(STREAM)
    return info.config


async def _find(js: JetStreamContext) -> StreamInfo | None:
    return await retry(lambda: find_stream(js), f"stream {STREAM}")


def _staged(first_sequence: int) -> StreamConfig:
    return replace(
        stream_config(first_sequence),
        subjects=[STAGED],
        subject_transform=SubjectTransform(src=f"{STAGING}.>", dest=">"),
    )


async def store_once(js: JetStreamContext, prefix: str, message: StoredMessage) -> bool:
    """Store one message under its subject with a prefix, unless its id is taken; return whether it was stored.

    If only its acknowledgement was lost, its id prevents a second copy.
    """
    headers = deduplication_headers(Address.of(message.subject))
    if message.traceparent is not None:
        headers["traceparent"] = message.traceparent

    async def send() -> bool:
        try:
            return not (await js.publish(f"{prefix}.{message.subject}", message.data, headers=headers)).duplicate
        except APIError as error:
            if error.err_code != WRONG_LAST_SEQUENCE:
                raise
            return False

    return await retry(send, f"restoring {message.subject}")

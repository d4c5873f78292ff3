"""Repairing a stream that lost its end, from the messages that were recorded: its disk was restored from a backup."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from uuid import UUID

from nats.js import JetStreamContext
from nats.js.api import StreamConfig, SubjectTransform
from nats.js.errors import NotFoundError

from chassis.administration.provisioning import REPAIR, declare, stream_config
from chassis.administration.rebuild import StoredMessage, extent, store_once
from chassis.retry import retry
from chassis.subjects import STREAM, Address

PADDING = "padding"
"""Subject of the messages that take up lost sequence numbers, and are purged again."""
PADDING_BATCH = 500
EVERY_EVENT = "mw.*.*.*.*.*"


@dataclass(frozen=True)
class StreamedEvent:
    """An event in the stream."""

    id: UUID
    sequence: int


async def first_event(js: JetStreamContext) -> StreamedEvent | None:
    """Return the oldest event in the stream; None if it holds none."""
    try:
        message = await js.get_msg(STREAM, seq=1, subject=EVERY_EVENT, next=True)
        return StreamedEvent(Address.of(message.subject or "").id, message.seq or 0)
    except (NotFoundError, ValueError):
        return None


async def repair(js: JetStreamContext, next_sequence: int, messages: AsyncIterator[StoredMessage]) -> int:
    """Store the messages that the stream lacks, from `next_sequence` on, in their order; return their count.

    No sequence number that Postgres knows is used again. Until all are stored, the stream has other subjects, and for
    services it is missing: none answers a request whose outcome is about to be restored. An interrupted repair is
    repeated.
    """
    await retry(lambda: declare(js, _staged()), f"stream {STREAM}")
    await _pad(js, next_sequence - 1)
    count = 0
    async for message in messages:
        count += await store_once(js, REPAIR, message)
    await retry(lambda: declare(js, stream_config(first_sequence=0)), f"stream {STREAM}")
    return count


async def _pad(js: JetStreamContext, last_sequence: int) -> None:
    while (missing := last_sequence - (await extent(js)).last_sequence) > 0:
        publishing = (js.publish(f"{REPAIR}.{PADDING}", b"") for _ in range(min(missing, PADDING_BATCH)))
        await asyncio.gather(*publishing)
    await js.purge_stream(STREAM, subject=PADDING)


def _staged() -> StreamConfig:
    return replace(
        stream_config(first_sequence=0),
        subjects=[f"{REPAIR}.>"],
        subject_transform=SubjectTransform(src=f"{REPAIR}.>", dest=">"),
    )

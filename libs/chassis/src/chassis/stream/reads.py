"""Single messages of the log, read raw from the stream."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

from collections.abc import Awaitable, Callable
from uuid import UUID

from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from chassis.recovery.retry import retry
from chassis.stream.subjects import STREAM, run_filter

LOOK_UP_TIMEOUT_S = 2.0
NO_MESSAGE_FOUND = 10037


def jetstream_of(client: Client) -> JetStreamContext:
    """Return raw JetStream over this connection, for what FastStream cannot do."""
    return client.jetstream(timeout=LOOK_UP_TIMEOUT_S)


async def last_message(client: Client, subject: str) -> RawStreamMsg | None:
    """Return the newest message of a subject, which may hold wildcards.

    Raw nats-py: FastStream has no look-up by subject.
    """
    return await _found(lambda: jetstream_of(client).get_last_msg(STREAM, subject), f"looking up {subject}")


async def next_message(client: Client, run_id: UUID, after_sequence: int) -> RawStreamMsg | None:
    """Return the run's first message after a place in the stream.

    Raw nats-py: unlike an ordered consumer, a cursor of our own survives the server's restart.
    """
    subject = run_filter(run_id)
    return await _found(
        lambda: jetstream_of(client).get_msg(STREAM, seq=after_sequence + 1, subject=subject, next=True),
        f"reading {subject} from {after_sequence + 1}",
    )


async def _found(call: Callable[[], Awaitable[RawStreamMsg]], what: str) -> RawStreamMsg | None:
    try:
        return await retry(call, what)
    except NotFoundError as error:
        if error.err_code != NO_MESSAGE_FOUND:
            raise
        return None

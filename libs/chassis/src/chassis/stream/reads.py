"""Reading the stream: its state, its consumers and its messages, and waiting for a message to appear.

Raw nats-py, since FastStream offers none of this. `find_stream` and `list_consumers` ask once; everything that reads
messages is repeated until the server answers.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar
from uuid import UUID

from contracts.settings import COMMAND
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo, RawStreamMsg, StreamInfo
from nats.js.errors import NotFoundError

from chassis.errors import BusUnavailableError
from chassis.retry import STREAM_NOT_FOUND, retry
from chassis.subjects import STREAM, SUBJECTS, run_filter

T = TypeVar("T")

READ_TIMEOUT_S = 2.0
FIRST_POLL_S = 0.01
LAST_POLL_S = 1.0
CONSUMERS_PER_PAGE = 256
"""How many consumers the server lists in one answer."""
MESSAGE_NOT_FOUND = 10037
"""JetStream's error code."""

NO_JETSTREAM = "the NATS server answers, but its JetStream does not within {timeout_s:g} s: start the server with -js"
NO_STREAM = (
    f"the NATS server has no stream {STREAM}, and none appeared within {{timeout_s:g}} s: create it with "
    f"`{COMMAND} migrate`, or, if it was there and is lost, restore it from Postgres with `{COMMAND} rebuild-stream`"
)
STREAM_LOST = f"stream {STREAM} is lost: restore it from Postgres with `{COMMAND} rebuild-stream`"
"""The problem of a service whose stream disappears while it works; the service waits until the stream is back."""


def jetstream_of(client: Client) -> JetStreamContext:
    """Return JetStream over this connection, with the timeout of one read."""
    return client.jetstream(timeout=READ_TIMEOUT_S)


async def find_stream(js: JetStreamContext) -> StreamInfo | None:
    """Return the state of the stream; None if it does not exist."""
    try:
        return await js.stream_info(STREAM)
    except NotFoundError as error:
        if error.err_code != STREAM_NOT_FOUND:
            raise
        return None


async def has_stream(js: JetStreamContext) -> bool:
    """Return whether the stream is in use.

    While it is being rebuilt it has other subjects and counts as missing: a service that read it then would find
    requests whose outcomes are not stored again yet.
    """
    info = await find_stream(js)
    return info is not None and info.config.subjects == [SUBJECTS]


async def await_stream(js: JetStreamContext, timeout_s: float) -> None:
    """Return when the stream is in use; raise `BusUnavailableError` when it does not appear in time.

    A service never creates it: an empty stream in place of a lost one would be taken for the event log.
    """
    problem = NO_JETSTREAM

    async def require_stream() -> None:
        nonlocal problem
        if not await has_stream(js):
            problem = NO_STREAM
            raise NotFoundError(err_code=STREAM_NOT_FOUND)

    try:
        async with asyncio.timeout(timeout_s):
            await retry(require_stream, f"stream {STREAM}")
    except TimeoutError as error:
        raise BusUnavailableError(problem.format(timeout_s=timeout_s)) from error


async def list_consumers(js: JetStreamContext) -> list[ConsumerInfo]:
    """Return the state of every consumer of the stream."""
    found: list[ConsumerInfo] = []
    while page := await js.consumers_info(STREAM, offset=len(found)):
        found += page
        if len(page) < CONSUMERS_PER_PAGE:
            break
    return found


async def last_message(client: Client, subject: str) -> RawStreamMsg | None:
    """Return the newest message of a subject, which may contain wildcards."""
    return await find_message(lambda: jetstream_of(client).get_last_msg(STREAM, subject), f"looking up {subject}")


async def message_at(client: Client, sequence: int) -> RawStreamMsg | None:
    """Return the message with this sequence number; None if it was purged."""
    return await find_message(lambda: jetstream_of(client).get_msg(STREAM, seq=sequence), f"reading message {sequence}")


async def next_message(client: Client, run_id: UUID, after_sequence: int) -> RawStreamMsg | None:
    """Return a run's first message after a sequence number.

    A cursor of our own survives a restart of the server, unlike an ordered consumer.
    """
    subject = run_filter(run_id)
    return await find_message(
        lambda: jetstream_of(client).get_msg(STREAM, seq=after_sequence + 1, subject=subject, next=True),
        f"reading {subject} from {after_sequence + 1}",
    )


async def find_message(call: Callable[[], Awaitable[RawStreamMsg]], name: str) -> RawStreamMsg | None:
    """Return the message that `call` reads, repeated until the server answers; None if there is no such message."""
    try:
        return await retry(call, name)
    except NotFoundError as error:
        if error.err_code != MESSAGE_NOT_FOUND:
            raise
        return None


@asynccontextmanager
async def published_on(client: Client, subject: str) -> AsyncGenerator[asyncio.Event]:
    """Yield an event that is set whenever a message is published on the subject, before it is stored.

    Raw nats-py, since FastStream's subscribers live as long as their broker.
    """
    published = asyncio.Event()

    async def notify(_: Msg) -> None:
        published.set()

    subscription = await client.subscribe(subject, cb=notify)
    try:
        yield published
    finally:
        if not client.is_closed:
            await subscription.unsubscribe()


async def wait_until_found(find: Callable[[], Awaitable[T | None]], client: Client, subject: str) -> T:
    """Poll `find`, at once whenever a message is published on the subject, until it returns something."""
    async with published_on(client, subject) as published:
        return await poll_until_found(find, published)


async def poll_until_found(find: Callable[[], Awaitable[T | None]], published: asyncio.Event) -> T:
    """Call `find`, at growing intervals and at once whenever `published` is set, until it returns something.

    The polling finds what a lost connection hides from `published`. nats-py waits by `asyncio.wait_for`, which before
    Python 3.12 swallows a cancellation that arrives together with its result; the task still counts it.
    """
    task = asyncio.current_task()
    assert task is not None
    cancellations = task.cancelling()
    pause_s = FIRST_POLL_S
    while True:
        published.clear()
        found = await find()
        if task.cancelling() > cancellations:
            raise asyncio.CancelledError
        if found is not None:
            return found
        try:
            async with asyncio.timeout(pause_s):
                await published.wait()
        except TimeoutError:
            pause_s = min(2 * pause_s, LAST_POLL_S)
        else:
            pause_s = FIRST_POLL_S  # the message is delivered a moment before it is stored

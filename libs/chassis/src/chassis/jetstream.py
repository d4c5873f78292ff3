"""The bus on JetStream."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar
from uuid import UUID

from contracts.envelope import Event, Request, Role, outcome_id
from contracts.language import UnknownSubjectError, parse
from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import APIError, NotFoundError
from pydantic import ValidationError

from chassis.bus import ENDINGS
from chassis.errors import EventTooLargeError
from chassis.insisting import insist
from chassis.streams import STREAM, place_of, whole_run

T = TypeVar("T")

PUBLISH_TIMEOUT_S = 2.0
LOOK_UP_TIMEOUT_S = 2.0
HEADER_ROOM_BYTES = 4096
"""Headers count towards the server's limit, and a client that crosses it is thrown out."""

WRONG_LAST_SEQUENCE = 10071
MESSAGE_TOO_LARGE = 10054
NO_MESSAGE_FOUND = 10037

FIRST_LOOK_S = 0.01
LAST_LOOK_S = 1.0
"""Waiting means to look, ever more rarely, and at once when the subject stirs. Looking makes it safe against lost
connections, stirring makes it fast."""

_log = logging.getLogger(__name__)


class JetStreamBus:
    """`chassis.bus.Bus` on a real server. Usable once its app has connected it."""

    def __init__(self, broker: NatsBroker) -> None:
        self._broker = broker
        self._connection: Client | None = None

    def use(self, client: Client) -> None:
        """Work over this connection, which is the broker's."""
        self._connection = client

    @property
    def client(self) -> Client:
        """The connection; an error if there is none yet."""
        if self._connection is None:
            raise RuntimeError("the bus is not connected: `await app.start()` comes first")
        return self._connection

    @property
    def js(self) -> JetStreamContext:
        """Raw JetStream, for what FastStream cannot do."""
        return self.client.jetstream(timeout=LOOK_UP_TIMEOUT_S)

    async def publish(self, event: Event) -> bool:
        """Store `event` unless its id is taken. See `Bus.publish`."""
        data = event.model_dump_json().encode()
        self._refuse_too_large(event, data)
        tries = 0

        async def store() -> bool:
            nonlocal tries
            tries += 1
            acknowledgement = await self._broker.publish(
                data,
                event.full_subject,
                headers=_headers(event),
                correlation_id=str(event.run_id),
                stream=STREAM,
                timeout=PUBLISH_TIMEOUT_S,
            )
            return not acknowledgement.duplicate

        try:
            stored = await insist(store, f"publishing {event.full_subject}")
        except APIError as error:
            if error.err_code == MESSAGE_TOO_LARGE:
                raise _too_large(event, len(data), "the stream's max_msg_size") from error
            if error.err_code != WRONG_LAST_SEQUENCE:
                raise
            stored = False
        return stored or (tries > 1 and await self._stands(event.full_subject, data))

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the envelope's word
        """Return what is stored under this id. See `Bus.find`."""
        return await self._last(place_of(run_id, role, id))

    async def ask(self, request: Request) -> Event:
        """Publish and wait for the outcome. See `Bus.ask`."""
        await self.publish(request)
        answer_id = outcome_id(request.id)

        async def outcome_or_end() -> Event | None:
            outcome = await self.find(request.run_id, request.role, answer_id)
            return outcome or await self.ended(request.run_id)

        return await self._until(outcome_or_end, place_of(request.run_id, request.role, answer_id))

    async def ended(self, run_id: UUID) -> Event | None:
        """Return the event that ended the run. See `Bus.ended`."""
        for ending in ENDINGS:
            event = await self._last(f"{ending.subject}.{run_id}.>")
            if event is not None:
                return event
        return None

    async def until_ended(self, run_id: UUID) -> Event:
        """Wait for the end of a run. See `Bus.until_ended`."""
        return await self._until(lambda: self.ended(run_id), f"mw.run.*.{run_id}.>")

    async def history(self, run_id: UUID) -> list[Event]:
        """Return the run so far. See `Bus.history`."""
        events: list[Event] = []
        sequence = 0
        while (message := await self._next(run_id, sequence)) is not None:
            sequence = message.seq or 0
            if (event := _read(message)) is not None:
                events.append(event)
        return events

    async def follow(self, run_id: UUID, linger_s: float = 0.0) -> AsyncIterator[Event]:
        """Yield the run as it happens. See `Bus.follow`."""
        sequence = 0
        deadline: float | None = None
        async with self._stirring(whole_run(run_id)) as stirred:
            while True:
                try:
                    async with asyncio.timeout_at(deadline):
                        message = await _look(partial(self._next, run_id, sequence), stirred)
                except TimeoutError:
                    return
                sequence = message.seq or 0
                event = _read(message)
                if event is None:
                    continue
                yield event
                if isinstance(event, ENDINGS):
                    deadline = asyncio.get_running_loop().time() + linger_s

    def _refuse_too_large(self, event: Event, data: bytes) -> None:
        limit_bytes = self.client.max_payload
        if len(data) + HEADER_ROOM_BYTES > limit_bytes:
            raise _too_large(event, len(data), f"the server's max_payload of {limit_bytes} bytes")

    async def _stands(self, subject: str, data: bytes) -> bool:
        """Tell whether an earlier try of ours was stored although its acknowledgement was lost."""
        message = await self._last_raw(subject)
        return message is not None and message.data == data

    async def _last(self, subject: str) -> Event | None:
        message = await self._last_raw(subject)
        return None if message is None else _read(message)

    async def _last_raw(self, subject: str) -> RawStreamMsg | None:
        """Raw nats-py: FastStream has no look-up by subject."""
        return await _found(lambda: self.js.get_last_msg(STREAM, subject), f"looking up {subject}")

    async def _next(self, run_id: UUID, after_sequence: int) -> RawStreamMsg | None:
        """Raw nats-py: unlike an ordered consumer, a cursor of our own survives the server's restart."""
        subject = whole_run(run_id)
        return await _found(
            lambda: self.js.get_msg(STREAM, seq=after_sequence + 1, subject=subject, next=True),
            f"reading {subject} from {after_sequence + 1}",
        )

    async def _until(self, look: Callable[[], Awaitable[T | None]], subject: str) -> T:
        async with self._stirring(subject) as stirred:
            return await _look(look, stirred)

    @asynccontextmanager
    async def _stirring(self, subject: str) -> AsyncGenerator[asyncio.Event]:
        """Set an event whenever somebody publishes on the subject, stored or not.

        Raw nats-py: FastStream's subscribers are made for handlers, not for the length of one wait.
        """
        stirred = asyncio.Event()

        async def stir(_: Msg) -> None:
            stirred.set()

        subscription = await self.client.subscribe(subject, cb=stir)
        try:
            yield stirred
        finally:
            if not self.client.is_closed:
                await subscription.unsubscribe()


async def _look(look: Callable[[], Awaitable[T | None]], stirred: asyncio.Event) -> T:
    """Look whenever something stirs, and now and then, until something is found.

    nats-py waits by `asyncio.wait_for`, which before Python 3.12 swallows a cancellation that meets an answer; the task
    still counts it.
    """
    task = asyncio.current_task()
    assert task is not None
    cancellations = task.cancelling()
    pause_s = FIRST_LOOK_S
    while True:
        stirred.clear()
        found = await look()
        if task.cancelling() > cancellations:
            raise asyncio.CancelledError
        if found is not None:
            return found
        try:
            async with asyncio.timeout(pause_s):
                await stirred.wait()
        except TimeoutError:
            pause_s = min(2 * pause_s, LAST_LOOK_S)
        else:
            # It is delivered a moment before it is stored.
            pause_s = FIRST_LOOK_S


async def _found(call: Callable[[], Awaitable[RawStreamMsg]], what: str) -> RawStreamMsg | None:
    try:
        return await insist(call, what)
    except NotFoundError as error:
        if error.err_code != NO_MESSAGE_FOUND:
            raise
        return None


def _headers(event: Event) -> dict[str, str]:
    return {
        "Nats-Msg-Id": str(event.id),
        "Nats-Expected-Last-Subject-Sequence": "0",
        "Nats-Expected-Last-Subject-Sequence-Subject": place_of(event.run_id, event.role, event.id),
    }


def _read(message: RawStreamMsg) -> Event | None:
    """Return the event, or None for what nobody can read: its consumers have abandoned it by name."""
    try:
        return parse(message.subject or "", message.data or b"")
    except (UnknownSubjectError, ValidationError) as error:
        _log.warning("message %s on %s is unreadable and left out: %s", message.seq, message.subject, error)
        return None


def _too_large(event: Event, size_bytes: int, limit: str) -> EventTooLargeError:
    return EventTooLargeError(
        f"{type(event).__name__} {event.id} has {size_bytes} bytes and does not fit into {limit}: "
        "store its large fields as artifacts and send their ArtifactRef"
    )

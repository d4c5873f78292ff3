"""Storing one event in the stream, exactly once."""

from collections.abc import Awaitable, Callable, Mapping

from contracts.envelope import Event
from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.js.errors import APIError

from chassis.bus import Fence
from chassis.errors import EventTooLargeError
from chassis.retry import retry
from chassis.stream.parser import MAX_EVENT_BYTES
from chassis.stream.reads import last_message
from chassis.subjects import STREAM, Address, id_filter

PUBLISH_TIMEOUT_S = 2.0
MAX_HEADER_BYTES = 4096
"""Headers count towards the server's limit, and the server disconnects a client that exceeds it."""

WRONG_LAST_SEQUENCE = 10071
MESSAGE_TOO_LARGE = 10054


async def store(  # noqa: PLR0913, PLR0917 - broker and client are two halves of one connection
    broker: NatsBroker,
    client: Client,
    event: Event,
    data: bytes,
    trace_headers: Mapping[str, str],
    fence: Fence | None = None,
    expectation: Mapping[str, str] | None = None,
) -> bool:
    """Store `event` as `data` unless its id is taken; return whether it was stored. See `chassis.bus.Bus.publish`.

    `expectation`: headers of another condition, in place of the one on the id.
    """
    _require_size(event, data, client.max_payload)
    address = Address(event.run_id, event.role, event.id)
    attempts = 0

    async def send() -> bool:
        nonlocal attempts
        if fence is not None:
            await fence()
        attempts += 1
        acknowledgement = await broker.publish(
            data,
            event.full_subject,
            headers={**deduplication_headers(address), **(expectation or {}), **trace_headers},
            correlation_id=str(event.run_id),
            stream=STREAM,
            timeout=PUBLISH_TIMEOUT_S,
        )
        return not acknowledgement.duplicate

    stored = await _send_until_answered(send, event, len(data))
    return stored or (attempts > 1 and await _is_stored(client, event.full_subject, data))


async def _send_until_answered(send: Callable[[], Awaitable[bool]], event: Event, size_bytes: int) -> bool:
    """Return whether the server stored the event now; False if its id is taken."""
    try:
        return await retry(send, f"publishing {event.full_subject}")
    except APIError as error:
        if error.err_code == MESSAGE_TOO_LARGE:
            raise _too_large(event, size_bytes, "the stream's max_msg_size") from error
        if error.err_code != WRONG_LAST_SEQUENCE:
            raise
        return False


def deduplication_headers(address: Address) -> dict[str, str]:
    """Return the headers by which the server refuses a second message under an id, at any age and of any class."""
    return {
        "Nats-Msg-Id": str(address.id),
        "Nats-Expected-Last-Subject-Sequence": "0",
        "Nats-Expected-Last-Subject-Sequence-Subject": id_filter(address.run_id, address.role, address.id),
    }


async def _is_stored(client: Client, subject: str, data: bytes) -> bool:
    """Return whether an earlier attempt of ours was stored although its acknowledgement was lost."""
    message = await last_message(client, subject)
    return message is not None and message.data == data


def _require_size(event: Event, data: bytes, limit_bytes: int) -> None:
    if len(data) > MAX_EVENT_BYTES:
        raise _too_large(event, len(data), f"the {MAX_EVENT_BYTES} bytes of an event")
    if len(data) + MAX_HEADER_BYTES > limit_bytes:
        raise _too_large(event, len(data), f"the server's max_payload of {limit_bytes} bytes")


def _too_large(event: Event, size_bytes: int, limit: str) -> EventTooLargeError:
    return EventTooLargeError(
        f"{type(event).__name__} {event.id} has {size_bytes} bytes and does not fit into {limit}: "
        "store its large fields as artifacts and send their ArtifactRef"
    )

"""Storing one event in the log, once."""

from collections.abc import Mapping

from contracts.envelope import Event
from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.js.errors import APIError

from chassis.errors import EventTooLargeError
from chassis.leases.lease import Fence
from chassis.recovery.retry import retry
from chassis.stream.parser import MAX_EVENT_BYTES
from chassis.stream.reads import last_message
from chassis.stream.subjects import STREAM, id_filter

PUBLISH_TIMEOUT_S = 2.0
HEADER_ROOM_BYTES = 4096
"""Headers count towards the server's limit, and a client that crosses it is thrown out."""

WRONG_LAST_SEQUENCE = 10071
MESSAGE_TOO_LARGE = 10054


async def store(  # noqa: PLR0913, PLR0917 - what sending needs
    broker: NatsBroker,
    client: Client,
    event: Event,
    data: bytes,
    trace_headers: Mapping[str, str],
    fence: Fence | None = None,
) -> bool:
    """Store `event` as `data` unless its id is taken; return whether it stands there. See `chassis.bus.Bus.publish`."""
    _refuse_too_large(event, data, client.max_payload)
    tries = 0

    async def send() -> bool:
        nonlocal tries
        if fence is not None:
            await fence()
        tries += 1
        acknowledgement = await broker.publish(
            data,
            event.full_subject,
            headers={**_headers(event), **trace_headers},
            correlation_id=str(event.run_id),
            stream=STREAM,
            timeout=PUBLISH_TIMEOUT_S,
        )
        return not acknowledgement.duplicate

    try:
        stored = await retry(send, f"publishing {event.full_subject}")
    except APIError as error:
        if error.err_code == MESSAGE_TOO_LARGE:
            raise _too_large(event, len(data), "the stream's max_msg_size") from error
        if error.err_code != WRONG_LAST_SEQUENCE:
            raise
        stored = False
    return stored or (tries > 1 and await _stands(client, event.full_subject, data))


async def _stands(client: Client, subject: str, data: bytes) -> bool:
    """Tell whether an earlier try of ours was stored although its acknowledgement was lost."""
    message = await last_message(client, subject)
    return message is not None and message.data == data


def _headers(event: Event) -> dict[str, str]:
    return {
        "Nats-Msg-Id": str(event.id),
        "Nats-Expected-Last-Subject-Sequence": "0",
        "Nats-Expected-Last-Subject-Sequence-Subject": id_filter(event.run_id, event.role, event.id),
    }


def _refuse_too_large(event: Event, data: bytes, limit_bytes: int) -> None:
    if len(data) > MAX_EVENT_BYTES:
        raise _too_large(event, len(data), f"the {MAX_EVENT_BYTES} bytes of an event")
    if len(data) + HEADER_ROOM_BYTES > limit_bytes:
        raise _too_large(event, len(data), f"the server's max_payload of {limit_bytes} bytes")


def _too_large(event: Event, size_bytes: int, limit: str) -> EventTooLargeError:
    return EventTooLargeError(
        f"{type(event).__name__} {event.id} has {size_bytes} bytes and does not fit into {limit}: "
        "store its large fields as artifacts and send their ArtifactRef"
    )

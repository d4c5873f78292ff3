"""From a message of the stream to what is recorded of it. Nothing that a message contains makes this raise."""

import re
from dataclasses import dataclass

from chassis.delivery.dead_letter import Cause
from chassis.delivery.raw_reader import RawMessage
from chassis.errors import UnreadableError
from chassis.stream.parser import parse_message as read_event
from store.log import LogEntry, UnreadableMessage

TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


@dataclass(frozen=True)
class Misread:
    """A message that is no event, or none that we know."""

    kept: UnreadableMessage
    cause: Cause


def read(message: RawMessage) -> LogEntry | Misread:
    """Return the event with its bytes as received, or the bytes and why they are no event."""
    try:
        event = read_event(message.subject, message.data)
    except UnreadableError as error:
        kept = UnreadableMessage(
            subject=message.subject,
            stream_sequence=message.sequence,
            data=message.data,
            reason=f"{error.reason}: {error}",
        )
        return Misread(kept, Cause(error.reason, str(error)))
    return LogEntry(
        event=event,
        body=message.data,
        stream_sequence=message.sequence,
        traceparent=_traceparent(message.headers),
    )


def read_again(kept: UnreadableMessage) -> LogEntry | UnreadableMessage:
    """Return the event that an unreadable message has turned out to be, or the message as it was."""
    try:
        event = read_event(kept.subject, kept.data)
    except UnreadableError:
        return kept
    return LogEntry(event=event, body=kept.data, stream_sequence=kept.stream_sequence)


def _traceparent(headers: dict[str, str]) -> str | None:
    """Return the trace that the message belongs to; anything but W3C's form tells nothing."""
    given = headers.get("traceparent", "")
    return given if TRACEPARENT.fullmatch(given) else None

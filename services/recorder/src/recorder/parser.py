"""Parses messages of the stream into log entries. No message makes it raise."""

import logging
import re
from dataclasses import dataclass

from chassis.delivery.batch_reader import RawMessage
from chassis.delivery.dead_letter import Cause
from chassis.errors import UnreadableError
from chassis.stream.large_fields import artifacts_in
from chassis.stream.parser import parse_message
from store.log import EventLog, LogEntry, UnreadableMessage

TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ParseFailure:
    """A message that is not a known event."""

    message: UnreadableMessage
    cause: Cause


def parse(message: RawMessage) -> LogEntry | ParseFailure:
    """Return the event with its bytes as received, or the bytes and why they are not an event."""
    try:
        event = parse_message(message.subject, message.data)
    except UnreadableError as error:
        unreadable = UnreadableMessage(
            subject=message.subject,
            stream_sequence=message.sequence,
            data=message.data,
            reason=f"{error.reason}: {error}",
        )
        return ParseFailure(unreadable, Cause(error.reason, str(error)))
    return LogEntry(
        event=event,
        body=message.data,
        stream_sequence=message.sequence,
        traceparent=_traceparent(message.headers),
        artifacts=tuple(artifacts_in(event)),
    )


def reparse(message: UnreadableMessage) -> LogEntry | None:
    """Return the event in a message that was unreadable when it was recorded; None if it still is."""
    try:
        event = parse_message(message.subject, message.data)
    except UnreadableError:
        return None
    return LogEntry(
        event=event,
        body=message.data,
        stream_sequence=message.stream_sequence,
        artifacts=tuple(artifacts_in(event)),
    )


class UnreadableReparser:
    """A resource: at its start, messages that became readable by an update move into the log."""

    def __init__(self, log: EventLog) -> None:
        self._event_log = log

    async def start(self) -> None:
        """Reparse all unreadable messages."""
        moved = await self._event_log.reparse_unreadable(reparse)
        if moved:
            _log.warning("%d messages that were unreadable when they were recorded are events now", moved)

    async def stop(self) -> None:
        """Do nothing."""


def _traceparent(headers: dict[str, str]) -> str | None:
    """Return the trace context in W3C format, or None if it is missing or invalid."""
    header = headers.get("traceparent", "")
    return header if TRACEPARENT.fullmatch(header) else None

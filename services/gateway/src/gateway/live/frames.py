"""Frames of server-sent events (WHATWG HTML, section 9.2)."""

from typing import NamedTuple

from contracts.envelope import Event
from contracts.registry import ENDINGS
from store.log import LogPosition

from gateway.http.cursors import event_cursor

HEARTBEAT = b": heartbeat\n\n"
"""A comment, which clients ignore: it keeps the connection open, and shows that it is."""
END = b"event: end\ndata: {}\n\n"
"""The last frame: the run has ended, and so does the stream."""


class EventFrame(NamedTuple):
    """One event as it is sent."""

    sequence: int
    """In the stream."""
    data: bytes
    ends_run: bool


def frame_of(position: LogPosition, event: Event) -> EventFrame:
    """Return the frame of an event. JSON has no line break outside of its texts, and escapes those in them."""
    body = event.model_dump_json()
    text = f"id: {event_cursor(position)}\nevent: {event.type}\ndata: {body}\n\n"
    return EventFrame(position.sequence, text.encode(), isinstance(event, ENDINGS))

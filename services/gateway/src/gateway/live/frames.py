"""Frames of server-sent events (WHATWG HTML, section 9.2)."""

from collections.abc import Callable
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
    """One event as the API sends it."""

    position: LogPosition
    event: Event
    data: bytes

    @property
    def sequence(self) -> int:
        """In the stream."""
        return self.position.sequence

    @property
    def ends_run(self) -> bool:
        """Whether nothing decides about the run any more."""
        return isinstance(self.event, ENDINGS)


FrameForm = Callable[[EventFrame], bytes]
"""What is sent of a frame; nothing: the frame is left out."""


def frame_of(position: LogPosition, event: Event) -> EventFrame:
    """Return the frame of an event. JSON has no line break outside of its texts, and escapes those in them."""
    body = event.model_dump_json()
    text = f"id: {event_cursor(position)}\nevent: {event.type}\ndata: {body}\n\n"
    return EventFrame(position, event, text.encode())


def json_form(frame: EventFrame) -> bytes:
    """Return the frame with the event as JSON."""
    return frame.data

"""From a message of the stream to what is recorded of it. Nothing that a message contains makes this raise."""

import re

from chassis.recording import Recorded
from contracts.envelope import Event
from contracts.language import UnknownSubjectError, parse
from pydantic import ValidationError
from store.log import Entry, Unreadable

TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
FAULTS_TOLD = 3


class MisplacedError(ValueError):
    """An event does not lie at the subject that it names; what else it says is not to be believed."""


def read(message: Recorded) -> Entry | Unreadable:
    """Return the event with its text as received, or the bytes and why they are no event."""
    try:
        body = message.data.decode()
        event = _event_at_its_place(message)
    except (UnicodeDecodeError, UnknownSubjectError, MisplacedError) as error:
        return _unreadable(message, str(error))
    except ValidationError as error:
        return _unreadable(message, _faults(error))
    return Entry(event=event, body=body, stream_sequence=message.sequence, traceparent=_traceparent(message.headers))


def _event_at_its_place(message: Recorded) -> Event:
    event = parse(message.subject, message.data)
    if event.full_subject != message.subject:
        raise MisplacedError(f"the event says that it belongs at {event.full_subject}")
    return event


def _unreadable(message: Recorded, reason: str) -> Unreadable:
    return Unreadable(subject=message.subject, stream_sequence=message.sequence, data=message.data, reason=reason)


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)[:FAULTS_TOLD]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'message'}: {fault['msg']}" for fault in faults)


def _traceparent(headers: dict[str, str]) -> str | None:
    """Return the trace that the message belongs to; anything but W3C's form tells nothing."""
    given = headers.get("traceparent", "")
    return given if TRACEPARENT.fullmatch(given) else None

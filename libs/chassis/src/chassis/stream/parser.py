"""From the bytes of a message to an event, or to the reason why they are not one.

No content of a message makes this module raise anything but `UnreadableError`.
"""

from typing import get_args

from contracts.envelope import Event
from contracts.registry import UnknownSubjectError, class_at
from pydantic import BaseModel, ConfigDict, ValidationError

from chassis.errors import FutureVersionError, UnreadableError

MAX_EVENT_BYTES = 768 * 1024
"""The most that one event may measure as JSON. The server's own limit, 1 MiB by default, includes headers."""

MAX_ERRORS_NAMED = 3


class _Version(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    schema_version: int


def parse_message(subject: str, data: bytes) -> Event:
    """Return the event that is stored under a subject; raise `UnreadableError`, which has the reason."""
    try:
        event_class = class_at(subject)
    except UnknownSubjectError as error:
        raise UnreadableError("unknown_type", str(error)) from error
    if len(data) > MAX_EVENT_BYTES:
        raise UnreadableError("too_large", f"{len(data)} bytes are more than the {MAX_EVENT_BYTES} of an event")
    try:
        event = event_class.model_validate_json(data)
    except (ValueError, RecursionError, OverflowError) as error:
        raise _unreadable(event_class, data, error) from error
    if event.full_subject != subject:
        raise UnreadableError("bad_input", f"the content belongs to {event.full_subject}, the subject is {subject}")
    return event


def newest_version(event_class: type[Event]) -> int:
    """Return the newest schema version of an event class that this service can read."""
    return max(get_args(event_class.model_fields["schema_version"].annotation))


def _unreadable(event_class: type[Event], data: bytes, error: Exception) -> UnreadableError:
    """Return the error for data that is not an event of a known version: a newer version may differ in any field."""
    newest = newest_version(event_class)
    try:
        version = _Version.model_validate_json(data).schema_version
    except (ValueError, RecursionError, OverflowError):
        version = newest
    if version > newest:
        return FutureVersionError(
            "future_version",
            f"schema version {version} of {event_class.__name__} is newer than {newest}, the newest known here: "
            "update this program",
        )
    return UnreadableError("bad_input", describe_error(error))


def describe_error(error: Exception) -> str:
    """Return the first few validation errors in one line, without the input, which may be of any size and content."""
    if not isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error}"
    details = error.errors(include_url=False, include_input=False, include_context=False)
    named = (f"{'.'.join(map(str, each['loc'])) or 'message'}: {each['msg']}" for each in details[:MAX_ERRORS_NAMED])
    rest = len(details) - MAX_ERRORS_NAMED
    return "; ".join(named) + (f"; and {rest} more" if rest > 0 else "")

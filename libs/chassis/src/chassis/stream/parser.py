"""From bytes to an event, or to the reason why they are none. Nothing that a message contains makes this raise more."""

from typing import get_args

from contracts.envelope import Event
from contracts.registry import UnknownSubjectError, class_at
from pydantic import BaseModel, ConfigDict, ValidationError

from chassis.errors import UnreadableError

MAX_EVENT_BYTES = 768 * 1024
"""What one event may measure as JSON. The server's own limit, 1 MiB by default, has to hold headers, too."""

FAULTS_TOLD = 3

NEWEST_VERSION: int = max(get_args(Event.model_fields["schema_version"].annotation))


class _Version(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    schema_version: int


def parse_message(subject: str, data: bytes) -> Event:
    """Return the event that lies at a full subject; raise `UnreadableError`, which names the reason."""
    try:
        event_class = class_at(subject)
    except UnknownSubjectError as error:
        raise UnreadableError("unknown_type", str(error)) from error
    if len(data) > MAX_EVENT_BYTES:
        raise UnreadableError("too_large", f"{len(data)} bytes are more than the {MAX_EVENT_BYTES} of an event")
    try:
        event = event_class.model_validate_json(data)
    except (ValueError, RecursionError, OverflowError) as error:
        raise _unfit(data, error) from error
    if event.full_subject != subject:
        raise UnreadableError("bad_input", f"the content says {event.full_subject}, the subject {subject}")
    return event


def _unfit(data: bytes, error: Exception) -> UnreadableError:
    """A newer version may differ in anything, so that is asked first."""
    try:
        version = _Version.model_validate_json(data).schema_version
    except (ValueError, RecursionError, OverflowError):
        version = NEWEST_VERSION
    if version > NEWEST_VERSION:
        return UnreadableError(
            "future_version",
            f"schema version {version} is newer than {NEWEST_VERSION}, the newest known here: update this service",
        )
    return UnreadableError("bad_input", faults(error))


def faults(error: Exception) -> str:
    """Return the first few things that are wrong, without the input, which may be anything."""
    if not isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error}"
    told = error.errors(include_url=False, include_input=False, include_context=False)
    first = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'message'}: {each['msg']}" for each in told[:FAULTS_TOLD])
    return first if len(told) <= FAULTS_TOLD else f"{first}; and {len(told) - FAULTS_TOLD} more"

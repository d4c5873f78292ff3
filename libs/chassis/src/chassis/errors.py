"""Errors of the bus, and of code that uses it wrongly."""

from typing import Literal

AbandonReason = Literal["bad_input", "unknown_type", "future_version", "too_large", "exhausted", "terminated"]
"""Why a message is given up; see `contracts.events.dead_letters.MessageAbandoned`."""


class ChassisError(Exception):
    """Any error of the chassis; the message names the cause and the remedy."""


class BusUnavailableError(ChassisError):
    """No server answers, or it refuses the connection, or it has no JetStream or no stream."""


class ResourceUnavailableError(ChassisError):
    """A resource of an app, such as its database, is unavailable when the app starts."""


class CannotStartError(ChassisError):
    """A resource of an app cannot be opened; the message is the resource's own."""


class DiskSpaceError(ChassisError):
    """A disk of the servers has too little space for a new run, which waits."""


class VitalPartFailedError(ChassisError):
    """A part without which an app must not go on has failed; the message is the part's own."""


class SettingsUnreadableError(ChassisError):
    """A variable of the environment is missing or invalid."""


class EventTooLargeError(ChassisError):
    """An event does not fit into a message."""

    reason: AbandonReason = "too_large"


class LargeFieldsError(ChassisError):
    """An app without a store reads large fields, or a handler sets them itself."""


class UnreadableError(ChassisError):
    """A message is not an event, or not one of a known class and version."""

    def __init__(self, reason: AbandonReason, detail: str) -> None:
        super().__init__(detail)
        self.reason: AbandonReason = reason


class FutureVersionError(UnreadableError):
    """A message is of a schema version that this service does not know yet: it is left to a newer process."""


class AttemptsExhaustedError(ChassisError):
    """A message was delivered too often without being acknowledged."""

    reason: AbandonReason = "exhausted"


class WrongAnswerError(ChassisError):
    """A handler returned an event that is not an outcome of its request."""


class PartialOutageError(ChassisError):
    """A dependency that only some messages need is unavailable: those wait for it without a worker."""

    key: str = ""
    """Names the dependency; messages that wait for the same one learn from each other when it is back."""


class HandedBackError(ChassisError):
    """A message cannot wait in hand: it is delivered again later, and no attempt is counted."""


class DrainingError(ChassisError):
    """The app stops while a handler waits for the end of an outage."""


class RunEndedError(ChassisError):
    """A handler was cancelled because its run has ended."""


class LeaseLostError(ChassisError):
    """Another process holds the lease under which this work was done: its result must not be published."""


class HandlerCancelledError(ChassisError):
    """A handler ended in a cancellation that came neither from its run nor from its app."""

"""What can be wrong with the bus or with the way it is used."""

from typing import Literal

Reason = Literal["bad_input", "unknown_type", "future_version", "too_large", "exhausted", "terminated"]
"""Why a message is given up; see `contracts.events.dead_letters.MessageAbandoned`."""


class ChassisError(Exception):
    """Any error of the chassis; its text names the thing and the mend."""


class BusUnavailableError(ChassisError):
    """No server answers, or it has no JetStream."""


class ResourceUnavailableError(ChassisError):
    """What an app works with is away when it starts."""


class CannotStartError(ChassisError):
    """What an app works with does not open, for a reason that its text tells."""


class SettingsUnreadableError(ChassisError):
    """A variable of the environment is missing or says what cannot be."""


class EventTooLargeError(ChassisError):
    """An event does not fit into a message."""


class LargeFieldsError(ChassisError):
    """Texts that travel as artifacts cannot be handled here, or were not made by the chassis."""


class UnreadableError(ChassisError):
    """A message is no event, or none that we know; `reason` says in one word why."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason


class WrongAnswerError(ChassisError):
    """A handler answered with something that is no outcome of its request."""


class DrainingError(ChassisError):
    """What work waits for is not back, and the app stops."""


class RunEndedError(ChassisError):
    """The run of this work has ended, and the work was stopped."""


class LeaseLostError(ChassisError):
    """Somebody else holds what this work was done for: it must not be told."""


class HandlerCancelledError(ChassisError):
    """A handler ended in a cancellation that was not meant for it."""

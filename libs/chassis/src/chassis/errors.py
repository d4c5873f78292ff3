"""What can be wrong with the bus or with the way it is used."""


class ChassisError(Exception):
    """Any error of the chassis; its text names the thing and the mend."""


class BusUnavailableError(ChassisError):
    """No server answers, or it has no JetStream."""


class EventTooLargeError(ChassisError):
    """An event does not fit into a message."""


class WrongAnswerError(ChassisError):
    """A handler answered with something that is no outcome of its request."""

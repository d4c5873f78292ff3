"""Names on the NATS server: the stream, subjects, subject filters and durable consumers."""

from dataclasses import dataclass
from enum import Enum
from typing import Self
from uuid import UUID

from contracts.envelope import Event, Role
from contracts.registry import ENDINGS

STREAM = "MILLWRIGHT"
SUBJECTS = "mw.>"


class SubscriptionMode(Enum):
    """How a service treats the messages of a consumer.

    The value is part of durable names, so that one service can read the same events in several modes. It must never
    change: a consumer under a new name would read the whole stream again.
    """

    ANSWER = "answers"
    SUBSCRIBE = "hears"
    SCHEDULE = "reminds"
    RECORD = "records"
    SERVE_THREAD = "attends"


@dataclass(frozen=True)
class Address:
    """The last three tokens of an event's subject."""

    run_id: UUID
    role: str
    id: UUID

    @classmethod
    def of(cls, subject: str) -> Self:
        """Parse the subject of an event; raise `ValueError` if it has another form."""
        tokens = subject.split(".")
        if len(tokens) != 6:
            raise ValueError(f"{subject} does not have the form mw.<thing>.<participle>.<run_id>.<role>.<id>")
        return cls(run_id=UUID(tokens[3]), role=tokens[4], id=UUID(tokens[5]))


def class_filter(event_class: type[Event], role: Role | None = None) -> str:
    """Return the filter of all events of a class, of one role's threads or of all."""
    return f"{event_class.subject}.*.{role or '*'}.*"


def run_filter(run_id: UUID) -> str:
    """Return the filter of all events of a run."""
    return f"mw.*.*.{run_id}.>"


def end_filters(run_id: UUID) -> tuple[str, ...]:
    """Return the filters of the events that can end a run: one for all of a run of engineering, which are many."""
    others = [ending for ending in ENDINGS if not ending.subject.startswith("mw.run.")]
    return (f"mw.run.*.{run_id}.>", *(f"{ending.subject}.{run_id}.>" for ending in others))


def id_filter(run_id: UUID, role: str, id: UUID) -> str:  # noqa: A002 - the envelope's name for it
    """Return the filter of one event id in every class: the stream stores at most one message under it."""
    return f"mw.*.*.{run_id}.{role}.{id}"


def thread_requests_filter(run_id: UUID, role: Role) -> str:
    """Return the filter of all requests of one thread."""
    return f"mw.*.requested.{run_id}.{role}.*"


def durable_name(service: str, mode: SubscriptionMode, event_class: type[Event], role: Role | None = None) -> str:
    """Return `<service>-<mode>-<thing>-<participle>-<role>`, without the mode of a service that answers requests."""
    _, thing, participle = event_class.subject.split(".")
    tokens = [
        service,
        *([] if mode is SubscriptionMode.ANSWER else [mode.value]),
        thing,
        participle,
        *([role] if role else []),
    ]
    return "-".join(tokens)


def thread_durable_name(service: str, run_id: UUID, role: Role) -> str:
    """Return the durable name of the consumer of one thread's requests."""
    return f"{service}-{SubscriptionMode.SERVE_THREAD.value}-{run_id}-{role}"


def recording_durable_name(service: str) -> str:
    """Return the durable name of the consumer by which a service reads the whole stream."""
    return f"{service}-{SubscriptionMode.RECORD.value}"

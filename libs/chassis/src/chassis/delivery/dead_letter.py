"""The dead letter: what is given up is said aloud."""

import logging
from dataclasses import dataclass
from uuid import UUID, uuid5

from contracts.envelope import Event, Role, RunKind, outcome_id
from contracts.events.dead_letters import MessageAbandoned
from nats.aio.msg import Msg
from pydantic import TypeAdapter

from chassis.bus import Bus
from chassis.delivery.subscription import Subscription
from chassis.errors import Reason
from chassis.stream.subjects import Address

OPERATIONS_RUN = UUID(int=0)
"""Where letters lie about messages that name no run."""

DETAIL_CHARS = 4000

_ROLES: TypeAdapter[Role] = TypeAdapter(Role)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Cause:
    """Why a message is given up."""

    reason: Reason
    detail: str


@dataclass(frozen=True)
class FailedMessage:
    """A message of the stream that nobody works on any more."""

    subject: str
    sequence: int
    consumer: str
    """The durable that gave it up."""
    owes_outcome: bool = False
    """Whether the consumer's service owed an outcome: then the letter takes its place."""
    kind: RunKind = "engineering"


async def abandon(message: Msg, duty: Subscription, cause: Cause, event: Event | None, bus: Bus) -> None:
    """Publish `MessageAbandoned` in place of what the message should have led to, and end its delivery."""
    _log.error("%s abandons %s (%s): %s", duty.durable, message.subject, cause.reason, cause.detail)
    given_up = FailedMessage(
        subject=message.subject,
        sequence=message.metadata.sequence.stream,
        consumer=duty.durable,
        owes_outcome=duty.has_outcome,
        kind=event.kind if event else "engineering",
    )
    letter = dead_letter(given_up, cause, duty.service)
    if letter is not None:
        await bus.publish(letter)
    await message.term()


def dead_letter(given_up: FailedMessage, cause: Cause, service: str) -> MessageAbandoned | None:
    """Return the letter by which `service` says that a message was given up, and why.

    Its run is read from the subject, since the content may be unreadable; a subject that names none gets its letter in
    the operations run. None for a message that is a letter itself, because letters about letters would have no end.
    """
    if given_up.subject.startswith(f"{MessageAbandoned.subject}."):
        return None
    return MessageAbandoned.model_validate(
        {
            **_place(given_up),
            "producer": service,
            "consumer": given_up.consumer,
            "abandoned_subject": _storable(given_up.subject),
            "stream_sequence": given_up.sequence,
            "reason": cause.reason,
            "detail": _storable(cause.detail[:DETAIL_CHARS]),
        }
    )


def _place(given_up: FailedMessage) -> dict[str, object]:
    """Return where the letter lies: under the outcome's id, if one was owed, so that whoever asked has an answer."""
    by = f"abandoned by {given_up.consumer}"
    try:
        address = Address.of(given_up.subject)
        role = _ROLES.validate_python(address.role)
    except ValueError:
        id_ = uuid5(OPERATIONS_RUN, f"{given_up.sequence} {_storable(given_up.subject)} {by}")
        return {"id": id_, "run_id": OPERATIONS_RUN, "kind": "operations", "role": "planner"}
    return {
        "id": outcome_id(address.id) if given_up.owes_outcome else uuid5(address.id, by),
        "run_id": address.run_id,
        "kind": given_up.kind,
        "role": role,
        "causation_id": address.id,
    }


def _storable(text: str) -> str:
    """Return the text without what no JSON or database can hold: it may quote anything."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")

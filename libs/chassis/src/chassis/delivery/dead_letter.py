"""Dead letters: the events that report abandoned messages."""

import logging
from dataclasses import dataclass
from uuid import UUID, uuid5

from contracts.envelope import Event, Role, RunKind, outcome_id
from contracts.events.dead_letters import MessageAbandoned
from nats.aio.msg import Msg
from pydantic import TypeAdapter

from chassis.bus import Bus
from chassis.delivery.subscription import Subscription
from chassis.errors import AbandonReason
from chassis.subjects import Address

OPERATIONS_RUN = UUID(int=0)
"""The run of dead letters for messages whose subject names no run."""

MAX_DETAIL_CHARS = 4000

_ROLES: TypeAdapter[Role] = TypeAdapter(Role)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Cause:
    """Why a message is abandoned."""

    reason: AbandonReason
    detail: str


@dataclass(frozen=True)
class FailedMessage:
    """A message of the stream that no handler will process any more."""

    subject: str
    sequence: int
    consumer: str
    """The durable consumer that had to deliver it."""
    owes_outcome: bool = False
    """Whether the consumer's service owed an outcome: the dead letter replaces it."""
    kind: RunKind = "engineering"


async def abandon(message: Msg, subscription: Subscription, cause: Cause, event: Event | None, bus: Bus) -> None:
    """Publish the dead letter of a message and end its delivery."""
    _log.error("%s abandons %s (%s): %s", subscription.durable, message.subject, cause.reason, cause.detail)
    failed = FailedMessage(
        subject=message.subject,
        sequence=message.metadata.sequence.stream,
        consumer=subscription.durable,
        owes_outcome=subscription.has_outcome,
        kind=event.kind if event else "engineering",
    )
    letter = dead_letter(failed, cause, subscription.service)
    if letter is not None:
        await bus.publish(letter)
    await message.term()


def dead_letter(failed: FailedMessage, cause: Cause, service: str) -> MessageAbandoned | None:
    """Return the dead letter that `service` publishes; None for a message that is a dead letter itself.

    Its run comes from the subject, since the content may be unreadable. A subject that names none gets a dead letter in
    the operations run.
    """
    if failed.subject.startswith(f"{MessageAbandoned.subject}."):
        return None
    return MessageAbandoned.model_validate(
        {
            **_identity(failed),
            "producer": service,
            "consumer": failed.consumer,
            "abandoned_subject": _storable(failed.subject),
            "stream_sequence": failed.sequence,
            "reason": cause.reason,
            "detail": _storable(cause.detail[:MAX_DETAIL_CHARS]),
        }
    )


def _identity(failed: FailedMessage) -> dict[str, object]:
    """Return id, run and role. An owed outcome's id is taken, so that the asking service receives the dead letter."""
    name = f"abandoned by {failed.consumer}"
    try:
        address = Address.of(failed.subject)
        role = _ROLES.validate_python(address.role)
    except ValueError:
        id_ = uuid5(OPERATIONS_RUN, f"{failed.sequence} {_storable(failed.subject)} {name}")
        return {"id": id_, "run_id": OPERATIONS_RUN, "kind": "operations", "role": "planner"}
    return {
        "id": outcome_id(address.id) if failed.owes_outcome else uuid5(address.id, name),
        "run_id": address.run_id,
        "kind": failed.kind,
        "role": role,
        "causation_id": address.id,
    }


def _storable(text: str) -> str:
    """Replace what JSON or a database cannot store: a subject or an error message can contain any character."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")

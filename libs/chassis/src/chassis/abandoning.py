"""The dead letter: what is given up is said aloud."""

import logging
from dataclasses import dataclass
from typing import Literal
from uuid import UUID, uuid5

from contracts.abandoned import MessageAbandoned
from contracts.envelope import Event, outcome_id
from nats.aio.msg import Msg
from pydantic import ValidationError

from chassis.bus import Bus
from chassis.duties import Duty
from chassis.streams import Address


@dataclass(frozen=True)
class Cause:
    """Why a message is given up."""

    reason: Literal["bad_input", "unknown_type", "exhausted", "too_large"]
    detail: str


DETAIL_CHARS = 4000

_log = logging.getLogger(__name__)


async def abandon(message: Msg, duty: Duty, cause: Cause, event: Event | None, bus: Bus) -> None:
    """Publish `MessageAbandoned` in place of what the message should have led to, and end its delivery.

    Whose run it belongs to is read from the subject, since the content may be unreadable.
    """
    _log.error("%s abandons %s (%s): %s", duty.durable, message.subject, cause.reason, cause.detail)
    letter = _letter(message, duty, cause, event)
    if letter is not None:
        await bus.publish(letter)
    await message.term()


def _letter(message: Msg, duty: Duty, cause: Cause, event: Event | None) -> MessageAbandoned | None:
    if isinstance(event, MessageAbandoned):
        # A letter about a letter about a letter would have no end.
        return None
    try:
        address = Address.of(message.subject)
        return MessageAbandoned.model_validate(
            {
                "id": letter_id(address.id, duty),
                "run_id": address.run_id,
                "kind": event.kind if event else "engineering",
                "role": address.role,
                "causation_id": address.id,
                "producer": duty.service,
                "consumer": duty.durable,
                "abandoned_subject": message.subject,
                "stream_sequence": message.metadata.sequence.stream,
                "reason": cause.reason,
                "detail": cause.detail[:DETAIL_CHARS],
            }
        )
    except (ValueError, ValidationError) as error:
        _log.error("%s belongs to no run, so nobody can be told: %s", message.subject, error)
        return None


def letter_id(abandoned: UUID, duty: Duty) -> UUID:
    """Return the id of the letter: the outcome's, if an outcome was owed, so that whoever asked has an answer."""
    return outcome_id(abandoned) if duty.answers else uuid5(abandoned, f"abandoned by {duty.durable}")

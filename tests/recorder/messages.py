"""Messages as the stream holds them."""

from datetime import UTC, datetime

from chassis.delivery.batch_reader import RawMessage


def recorded_as(subject: str, data: bytes, sequence: int = 41) -> RawMessage:
    """Return a message of these bytes at this subject."""
    return RawMessage(subject=subject, sequence=sequence, data=data, time=datetime.now(UTC))

"""Raw messages of the stream."""

from datetime import UTC, datetime

from chassis.delivery.batch_reader import RawMessage


def raw_message(subject: str, data: bytes, sequence: int = 41) -> RawMessage:
    """Return a message with these bytes at a subject."""
    return RawMessage(subject=subject, sequence=sequence, data=data, time=datetime.now(UTC))

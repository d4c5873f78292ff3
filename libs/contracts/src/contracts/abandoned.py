"""The dead letter."""

from typing import Literal

from pydantic import NonNegativeInt

from contracts.envelope import Event


class MessageAbandoned(Event):
    """A message was given up: bad input at once, exhausted input at the end."""

    consumer: str
    abandoned_subject: str
    stream_sequence: NonNegativeInt
    reason: Literal["bad_input", "unknown_type", "exhausted", "too_large"]
    detail: str

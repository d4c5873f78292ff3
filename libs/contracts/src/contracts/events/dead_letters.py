"""What was given up: a message, or a role's part of a run."""

from typing import Literal

from pydantic import NonNegativeInt

from contracts.envelope import Event


class MessageAbandoned(Event):
    """A message was given up: bad input at once, exhausted input at the end."""

    consumer: str
    """Which durable consumer gave it up."""
    abandoned_subject: str
    stream_sequence: NonNegativeInt
    reason: Literal["bad_input", "unknown_type", "future_version", "too_large", "exhausted", "terminated"]
    """`bad_input`: it cannot be read as what its subject says. `unknown_type`: nobody in this language says that.
    `future_version`: a schema version newer than ours. `too_large`: its outcome, or itself, exceeds the limit.
    `exhausted`: tried too often. `terminated`: the server ended its delivery without us."""
    detail: str


class WorkAbandoned(Event):
    """A role cannot go on with its part of the run. Heard by the planner, which alone ends runs."""

    reason: Literal[
        "steps_exhausted", "design_rejected", "refused", "model_failed", "session_failed", "single_pass_failed"
    ]
    """`session_failed`: it got no kernel. `single_pass_failed`: the one script that a run of a single pass has was not
    accepted."""
    detail: str

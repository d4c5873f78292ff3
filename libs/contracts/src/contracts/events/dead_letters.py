"""Events about abandoned work: a message, or a role's part of a run."""

from typing import ClassVar, Literal

from pydantic import NonNegativeInt

from contracts.envelope import Event
from contracts.event_line import EventLine
from contracts.outcomes import FailureOutcome
from contracts.text import spaced


class MessageAbandoned(Event):
    """A message was abandoned: at once if it is invalid, after the last attempt otherwise. The dead letter."""

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: also on the thread of a spatial-agent; 2: of a benchmark-generator; 1: of the other roles."""
    consumer: str
    """The durable consumer that abandoned it."""
    abandoned_subject: str
    stream_sequence: NonNegativeInt
    reason: Literal["bad_input", "unknown_type", "future_version", "too_large", "exhausted", "terminated"]
    """`bad_input`: it cannot be parsed as the event that its subject names. `unknown_type`: no event class has its
    subject. `future_version`: its schema version is newer than the service. `too_large`: the message or its outcome
    exceeds the size limit. `exhausted`: all attempts failed. `terminated`: the server ended its delivery."""
    detail: str

    def line(self) -> EventLine:
        return EventLine(f"{self.consumer} abandoned a message ({spaced(self.reason)}): {self.detail}", "failure")


AbandonedWorkReason = Literal[
    "steps_exhausted", "design_rejected", "refused", "model_failed", "session_failed", "single_pass_failed"
]


class WorkAbandoned(FailureOutcome[AbandonedWorkReason]):
    """A role cannot continue its part of the run. The planner consumes it, since only the planner ends runs."""

    publishers: ClassVar = ("engineer",)
    summary: ClassVar = "work abandoned"

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: also on the thread of a spatial-agent; 2: of a benchmark-generator; 1: of the other roles."""
    reason: AbandonedWorkReason
    """`session_failed`: no kernel could be started. `single_pass_failed`: the only script of a single-pass run was not
    accepted."""

"""Base classes of the outcomes that mean the same in several requests: failed work, and the critic's verdict."""

from typing import ClassVar, Generic, TypeVar

from contracts.envelope import Event
from contracts.event_line import EventLine, EventText, Severity
from contracts.text import headline, spaced

Reason = TypeVar("Reason", bound=str)


class FailureOutcome(Event, Generic[Reason]):
    """Something failed, or was refused, for one of a few reasons."""

    summary: ClassVar[str]
    """What failed: the line for people begins with it."""

    reason: Reason
    detail: str

    def line(self) -> EventLine:
        return EventLine(f"{self.summary} ({spaced(self.reason)}): {self.detail}", "failure")


class ReviewOutcome(Event):
    """The critic's verdict."""

    summary: ClassVar[str]
    """What the critic decided: the line for people begins with it."""
    severity: ClassVar[Severity]

    review_md: str

    def line(self) -> EventLine:
        return EventLine(f"{self.summary}: {headline(self.review_md)}", self.severity)

    def texts(self) -> list[EventText]:
        return [EventText("Review", self.review_md)]

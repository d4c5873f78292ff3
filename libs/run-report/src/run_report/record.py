"""What a report is made of, read from the events of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.design import DesignSimulated, DesignValidated
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import FileWritten
from contracts.models.assessment import Assessment
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.simulation import SimulationResult
from viewer.data import moment_text

SCRIPT = "script.py"
Found = TypeVar("Found", bound=Event)


class NotReportableError(Exception):
    """There is nothing to report; the message says why and what helps."""


@dataclass(frozen=True)
class ReportedRun:
    """The events of one run of engineering, in order."""

    events: Sequence[Event]
    request: EngineeringRequested
    end: RunSucceeded | RunFailed | None
    """None: the run is in work."""

    @classmethod
    def of(cls, events: Sequence[Event]) -> "ReportedRun":
        """Return the record; raise `NotReportableError` if the events are not those of a run of engineering."""
        opening = events[0] if events else None
        if not isinstance(opening, EngineeringRequested):
            kind = "no events" if opening is None else f"events that begin with {opening.type}"
            raise NotReportableError(
                f"the run has {kind}; only runs that solve or generate a benchmark, and questions, have a report"
            )
        end = next((event for event in events if isinstance(event, RunSucceeded | RunFailed)), None)
        return cls(events, opening, end)

    @property
    def bill(self) -> BillOfMaterials | None:
        """That of the delivered design, else of the last valid one."""
        if isinstance(self.end, RunSucceeded):
            return self.end.bill
        last = self._last(DesignValidated)
        return None if last is None else last.bill

    @property
    def delivery(self) -> Delivery | None:
        """The delivered design, else the last valid one."""
        if isinstance(self.end, RunSucceeded):
            return self.end.delivery
        last = self._last(DesignValidated)
        return None if last is None else last.delivery

    @property
    def result(self) -> SimulationResult | None:
        """That of the delivered design, else of the last one that was simulated."""
        if isinstance(self.end, RunSucceeded):
            return self.end.result
        last = self._last(DesignSimulated)
        return None if last is None else last.result

    @property
    def assessment(self) -> Assessment | None:
        """The reruns on which the design was approved."""
        return self.end.assessment if isinstance(self.end, RunSucceeded) else None

    @property
    def script(self) -> str:
        """The last script.py that the engineer wrote; empty without any."""
        written = [event for event in self.events if isinstance(event, FileWritten) and event.path == SCRIPT]
        return (written[-1].text or "") if written else ""

    @property
    def duration_s(self) -> float:
        """From the request to the end, or to the last event."""
        last = self.end or self.events[-1]
        return (last.occurred_at - self.request.occurred_at).total_seconds()

    def _last(self, kind: type[Found]) -> Found | None:
        found = [event for event in self.events if isinstance(event, kind)]
        return found[-1] if found else None


def cost_usd_of(events: Sequence[Event]) -> float | None:
    """Return the list price of all model calls, lost ones included; None if the price of one is unknown."""
    calls = [event.usage for event in events if isinstance(event, ModelCalled | ReplyLost)]
    costs = [usage.cost_usd for usage in calls if usage.cost_usd is not None]
    return sum(costs) if len(costs) == len(calls) else None


def tokens_of(events: Sequence[Event]) -> tuple[int, int]:
    """Return the input and output of all model calls."""
    calls = [event.usage for event in events if isinstance(event, ModelCalled | ReplyLost)]
    return sum(usage.input_tokens for usage in calls), sum(usage.output_tokens for usage in calls)


def recorded_moments(result: SimulationResult) -> str:
    """Return when each physical event of a simulation was, a line for each, in seconds of its film and its replay."""
    return "\n".join(f"{event.time_s:.2f} s: {moment_text(event)}" for event in result.events)

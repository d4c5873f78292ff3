"""What a report is made of, read from the events of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from contracts.envelope import Event
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated, DesignValidated
from contracts.events.plan import PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import FileWritten
from contracts.events.simulation import FilmCompleted, FilmRequested
from contracts.models.assessment import Assessment
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.simulation import Media, SimulationResult
from viewer.data import moment_text

SCRIPT = "script.py"
Review = DesignRejected | PlanRejected | RefusalUpheld | RefusalDenied
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
    def last_verdict(self) -> DesignInvalidated | DesignSimulated | None:
        """What validation or simulation found of the design that was submitted last."""
        found = [event for event in self.events if isinstance(event, DesignInvalidated | DesignSimulated)]
        return found[-1] if found else None

    @property
    def last_review(self) -> Review | None:
        """The critic's last words that a run did not get over."""
        found = [event for event in self.events if isinstance(event, Review)]
        return found[-1] if found else None

    @property
    def film(self) -> Media | None:
        """That of the last valid design of a run without a delivery, whole."""
        last = self._last(DesignValidated)
        if last is None or isinstance(self.end, RunSucceeded):
            return None
        requests = [event for event in self.events if isinstance(event, FilmRequested) and event.scene == last.scene]
        whole = {event.id for event in requests if event.window_s is None}
        films = [event for event in self.events if isinstance(event, FilmCompleted) and event.causation_id in whole]
        return films[-1].media if films else None

    def _last(self, kind: type[Found]) -> Found | None:
        found = [event for event in self.events if isinstance(event, kind)]
        return found[-1] if found else None


def recorded_moments(result: SimulationResult) -> str:
    """Return when each physical event of a simulation was, a line for each, in seconds of its film and its replay."""
    return "\n".join(f"{event.time_s:.2f} s: {moment_text(event)}" for event in result.events)

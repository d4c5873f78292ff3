"""Events about the plan: its proposal, its review, and its refusal by the engineer."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import PositiveInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine, EventText
from contracts.events.dead_letters import WorkAbandoned
from contracts.model import Model
from contracts.models.benchmark import Assignment, Environment
from contracts.models.run_fields import PlannedRunFields
from contracts.outcomes import ReviewOutcome
from contracts.text import counted, headline


class PlanApproved(PlannedRunFields, Event):  # no ReviewOutcome, which would change the order of its fields
    """The critic approved the plan; the engineer starts."""

    schema_version: Literal[1, 2, 3, 4] = 4  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """4: labels of parts in any script; 3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    review_md: str

    def line(self) -> EventLine:
        return EventLine(f"plan approved: {headline(self.review_md)}", "success")

    def texts(self) -> list[EventText]:
        return [EventText("Review", self.review_md)]


class PlanRejected(ReviewOutcome):
    """The critic rejected the plan; the planner writes another one."""

    summary: ClassVar = "plan rejected"
    severity: ClassVar = "failure"


class PlanProposed(PlannedRunFields, Request):
    """The planner proposes a plan and a TODO list."""

    publishers: ClassVar = ("planner",)

    schema_version: Literal[1, 2, 3, 4] = 4  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """4: labels of parts in any script; 3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "critic"
    outcomes: ClassVar = (PlanApproved, PlanRejected, WorkAbandoned)

    def line(self) -> EventLine:
        return EventLine(f"plan with {counted(self.todo_md.count('- ['), 'task')}: {headline(self.plan_md)}")

    def texts(self) -> list[EventText]:
        return [EventText("Plan", self.plan_md), EventText("TODO list", self.todo_md)]


class Citation(Model):
    """A piece of evidence from this run that a proof cites: `[cell 3]` or `[simulation 1]`."""

    kind: Literal["cell", "simulation"]
    number: PositiveInt
    """Counts all cells, or all simulations, of the engineer in this run, from 1 in the order of the log."""
    event_id: UUID
    """The CellCompleted that contains it."""
    told: str
    """Its result as the engineer saw it, shortened."""


class RefusalUpheld(ReviewOutcome):
    """The critic agrees that the plan cannot work; the planner writes another one, or ends the run with the proof."""

    summary: ClassVar = "refusal upheld, planning again"
    severity: ClassVar = "success"

    proof_md: str = ""
    """The engineer's proof; empty in events of versions that did not pass it on."""


class RefusalDenied(ReviewOutcome):
    """The critic does not accept the proof; the engineer continues."""

    summary: ClassVar = "refusal denied, work continues"
    severity: ClassVar = "failure"


class PlanRefused(Request):
    """The engineer claims that the plan cannot work, and cites evidence from this run."""

    publishers: ClassVar = ("engineer",)

    schema_version: Literal[1, 2, 3, 4] = 4  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """4: labels of parts in any script; 3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "critic"
    outcomes: ClassVar = (RefusalUpheld, RefusalDenied, WorkAbandoned)

    assignment: Assignment
    environment: Environment
    model: str
    plan_md: str
    todo_md: str
    proof_md: str
    evidence: tuple[Citation, ...]

    def line(self) -> EventLine:
        evidence = ", ".join(f"{each.kind} {each.number}" for each in self.evidence)
        return EventLine(f"plan refused, evidence {evidence or 'none'}: {headline(self.proof_md)}", "failure")

    def texts(self) -> list[EventText]:
        return [EventText("Proof", self.proof_md)]

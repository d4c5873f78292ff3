"""The plan and its review."""

from typing import ClassVar, Literal
from uuid import UUID

from pydantic import PositiveInt

from contracts.envelope import Event, Request
from contracts.events.dead_letters import WorkAbandoned
from contracts.model import Model
from contracts.models.benchmark import Assignment, Budget, Environment, Executor
from contracts.models.continuation import Continuation


class PlanApproved(Event):
    """The critic agrees; the engineer begins."""

    assignment: Assignment
    budget: Budget
    model: str
    environment: Environment
    plan_md: str
    todo_md: str
    executor: Executor = "code"
    continues: Continuation | None = None
    review_md: str


class PlanRejected(Event):
    """The critic wants another plan."""

    review_md: str


class PlanProposed(Request):
    """The planner's plan and TODO list."""

    owner: ClassVar = "critic"
    outcomes: ClassVar = (PlanApproved, PlanRejected, WorkAbandoned)

    assignment: Assignment
    budget: Budget
    model: str
    environment: Environment
    plan_md: str
    todo_md: str
    executor: Executor = "code"
    continues: Continuation | None = None


class Citation(Model):
    """Something of this run that a proof points at: `[cell 3]` or `[simulation 1]`."""

    kind: Literal["cell", "simulation"]
    number: PositiveInt
    """Of all the engineer's cells, or simulations, of the run, from 1 in the order of the log."""
    event_id: UUID
    """The CellCompleted in which it stands."""
    told: str
    """What came of it, shortened, as the engineer saw it."""


class RefusalUpheld(Event):
    """The critic agrees that the plan cannot be carried out: planner plans again."""

    review_md: str


class RefusalDenied(Event):
    """The critic does not see the proof: engineer goes on."""

    review_md: str


class PlanRefused(Request):
    """The engineer says that the plan is impossible, and proves it by what happened in this run."""

    owner: ClassVar = "critic"
    outcomes: ClassVar = (RefusalUpheld, RefusalDenied, WorkAbandoned)

    assignment: Assignment
    environment: Environment
    model: str
    plan_md: str
    todo_md: str
    proof_md: str
    evidence: tuple[Citation, ...]

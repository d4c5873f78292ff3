"""The plan and its review."""

from typing import ClassVar

from contracts.abandoned import WorkAbandoned
from contracts.benchmark import Assignment, Budget, Environment
from contracts.envelope import Event, Request


class PlanApproved(Event):
    """The critic agrees; the engineer begins."""

    assignment: Assignment
    budget: Budget
    model: str
    environment: Environment
    plan_md: str
    todo_md: str
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

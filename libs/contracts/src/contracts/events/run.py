"""A run of engineering work, from request to end. Opened by the user, ended by the planner alone."""

from typing import ClassVar, Literal

from pydantic import NonNegativeFloat

from contracts.envelope import Event, Request
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.models.benchmark import Assignment, Budget, Environment, Executor
from contracts.models.continuation import Continuation
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.simulation import SimulationResult


class RunSucceeded(Request):
    """The design was approved. Carries all a user gets, and asks to be learned from."""

    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (SkillLearned, SkillRejected)

    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult


class RunFailed(Event):
    """The run ended without an approved design."""

    reason: Literal[
        "benchmark_invalid",
        "plan_rejected",
        "design_rejected",
        "refused",
        "steps_exhausted",
        "tokens_exhausted",
        "money_exhausted",
        "deadline",
        "cancelled",
        "session_failed",
        "model_failed",
        "single_pass_failed",
        "abandoned",
    ]
    detail: str


class EngineeringRequested(Request):
    """A user wants a benchmark solved. Opens the run."""

    owner: ClassVar = "planner"
    outcomes: ClassVar = (RunSucceeded, RunFailed)

    assignment: Assignment
    budget: Budget = Budget()
    model: str
    """`offline`, or `provider:name` as LangChain knows it."""
    executor: Executor = "code"
    continues: Continuation | None = None


class CancelRequested(Event):
    """A user no longer wants the run."""

    reason: str = "cancelled by the user"


class EnvironmentBuilt(Event):
    """The environment's geometry stands and the payload starts in free space."""

    environment: Environment
    build_s: NonNegativeFloat


class EnvironmentRefused(Event):
    """The benchmark cannot be worked on."""

    reason: Literal[
        "code_failed", "not_build123d", "payload_in_wall", "outside_bounds", "zone_conflict", "faulty_mechanism"
    ]
    detail: str


class EnvironmentRequested(Request):
    """The planner wants the world built and checked before anyone thinks about it."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (EnvironmentBuilt, EnvironmentRefused)

    assignment: Assignment

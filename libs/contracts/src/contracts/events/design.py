"""A submitted design on its way to the verdict."""

from typing import ClassVar

from pydantic import PositiveInt

from contracts.envelope import Event, Request
from contracts.events.dead_letters import WorkAbandoned
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Environment, Limits
from contracts.models.design import BillOfMaterials, Delivery, Evidence, Finding
from contracts.models.simulation import SimulationResult
from contracts.models.submission import Submission


class DesignApproved(Event):
    """The critic believes that it would work again tomorrow."""

    review_md: str
    evidence: tuple[Evidence, ...] = ()
    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult


class DesignRejected(Event):
    """The critic does not."""

    review_md: str
    evidence: tuple[Evidence, ...] = ()


class DesignSimulated(Request):
    """The verdict of physics on a valid design; asks the critic for its own."""

    owner: ClassVar = "critic"
    outcomes: ClassVar = (DesignApproved, DesignRejected, WorkAbandoned)

    assignment: Assignment
    model: str
    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult


class DesignInvalidated(Event):
    """The design is not acceptable. Back to the engineer."""

    findings: tuple[Finding, ...]
    bill: BillOfMaterials | None = None
    limits: Limits


class DesignValidated(Request):
    """The design is what it claims, makeable and within its limits; asks physics for the verdict."""

    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (DesignSimulated, DesignInvalidated)

    assignment: Assignment
    model: str
    scene: ArtifactRef
    """JSON of a `Scene`."""
    delivery: Delivery
    bill: BillOfMaterials
    replicas: PositiveInt = 32


class DesignSubmitted(Request):
    """The engineer hands in script.py."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (DesignValidated, DesignInvalidated)

    assignment: Assignment
    model: str
    environment: Environment
    submission: Submission

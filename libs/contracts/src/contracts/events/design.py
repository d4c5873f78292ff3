"""Events about a submitted design, from submission to review."""

from typing import ClassVar, Literal

from pydantic import NonNegativeInt, PositiveInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine, bill_text, result_severity, result_text
from contracts.events.dead_letters import WorkAbandoned
from contracts.models.artifact import ArtifactRef
from contracts.models.assessment import Assessment
from contracts.models.benchmark import Assignment, Environment, Executor, Limits
from contracts.models.design import BillOfMaterials, Delivery, Evidence, Finding
from contracts.models.run_fields import JournalFields
from contracts.models.simulation import SimulationResult
from contracts.models.submission import Submission
from contracts.outcomes import ReviewOutcome
from contracts.text import spaced


class DesignApproved(ReviewOutcome):
    """The critic approved the design as reliable."""

    summary: ClassVar = "design approved"
    severity: ClassVar = "success"

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: labels of parts in any script; 1: plain names."""
    evidence: tuple[Evidence, ...] = ()
    assessment: Assessment | None = None
    """The reruns of its review, as the host counted them; None only in logs older than this field."""
    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult


class DesignRejected(ReviewOutcome):
    """The critic rejected the design."""

    summary: ClassVar = "design rejected"
    severity: ClassVar = "failure"

    evidence: tuple[Evidence, ...] = ()


class DesignSimulated(Request):
    """A valid design was simulated; requests the critic's review."""

    schema_version: Literal[1, 2, 3, 4] = 4  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """4: labels of parts in any script; 3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "critic"
    outcomes: ClassVar = (DesignApproved, DesignRejected, WorkAbandoned)

    assignment: Assignment
    model: str
    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult

    def line(self) -> EventLine:
        return EventLine(f"physics verdict: {result_text(self.result)}", result_severity(self.result))


class DesignInvalidated(Event):
    """The design violates rules; the engineer continues."""

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: labels of parts in any script; 1: plain names."""

    findings: tuple[Finding, ...]
    bill: BillOfMaterials | None = None
    limits: Limits
    scene: ArtifactRef | None = None
    """JSON of a `Scene` in which the findings have their places, to be looked at, not simulated. None: the design has
    no geometry, or the log is older than this field."""

    def line(self) -> EventLine:
        findings = [f"{finding.label} {spaced(finding.rule)}: {finding.detail}" for finding in self.findings]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        return EventLine(f"design is invalid: {'; '.join(findings[:1])}{more}", "failure")


class DesignValidated(Request):
    """The design matches its claims, can be made and is within its limits; requests its simulation."""

    schema_version: Literal[1, 2, 3, 4] = 4  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """4: labels of parts in any script; 3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (DesignSimulated, DesignInvalidated)

    assignment: Assignment
    model: str
    scene: ArtifactRef
    """JSON of a `Scene`."""
    delivery: Delivery
    bill: BillOfMaterials
    replicas: PositiveInt = 32

    def line(self) -> EventLine:
        return EventLine(f"design is valid: {bill_text(self.bill)}", "success")


class DesignSubmitted(JournalFields, Request):
    """The engineer submits script.py."""

    publishers: ClassVar = ("engineer",)

    schema_version: Literal[1, 2, 3, 4] = 4  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """4: labels of parts in any script; 3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (DesignValidated, DesignInvalidated)

    assignment: Assignment
    model: str
    environment: Environment
    submission: Submission
    executor: Executor | None = None
    """How the engineer acts. None only in logs older than this field: nothing is asked of its TODO list and journal."""
    plan_md: str = ""
    """The plan, for the delivery; empty only in logs older than this field."""
    simulations: NonNegativeInt = 0
    """How many simulations the engineer has seen in this run."""

    def line(self) -> EventLine:
        return EventLine(f"design submitted, digest {self.submission.digest[:12]}")

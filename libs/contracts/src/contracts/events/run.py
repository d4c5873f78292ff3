"""Events that open and end a run of engineering work. A user opens it; only the planner ends it."""

from typing import ClassVar, Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine, EventText, bill_text, limits_text, result_text
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.models.artifact import ArtifactRef
from contracts.models.assessment import Assessment
from contracts.models.benchmark import Assignment, Budget, Environment
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.run_fields import RunFields
from contracts.models.simulation import SimulationResult
from contracts.outcomes import FailureOutcome
from contracts.skills import PinnedSkill, TrialMember
from contracts.text import counted


class RunSucceeded(Request):
    """The design was approved. Contains everything the user receives, and requests that a skill is learned from it."""

    ends: ClassVar = "engineering"

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: labels of parts in any script; 1: plain names."""

    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (SkillLearned, SkillRejected)

    delivery: Delivery
    bill: BillOfMaterials
    result: SimulationResult
    assessment: Assessment | None = None
    """The reruns on which the design was approved; None only in logs older than this field."""

    def line(self) -> EventLine:
        word, severity = ("SOLVED", "success") if self.result.is_proven else ("NOT PROVEN", "failure")
        return EventLine(f"{word}: {bill_text(self.bill)}; {result_text(self.result)}", severity)


RunFailureReason = Literal[
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


class RunFailed(FailureOutcome[RunFailureReason]):
    """The run ended without an approved design."""

    ends: ClassVar = "engineering"
    summary: ClassVar = "FAILED"


class EngineeringRequested(RunFields, Request):
    """A user requests the solution of a benchmark. Opens the run."""

    publishers: ClassVar = ("cli", "skill-learner", "gateway")
    opens_run: ClassVar = True

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "planner"
    outcomes: ClassVar = (RunSucceeded, RunFailed)

    budget: Budget = Budget()
    skills: tuple[PinnedSkill, ...] | None = None
    """Exactly the learned skills that its roles are offered; None: those that are adopted when a role asks."""
    trial: TrialMember | None = None
    """The trial that the run belongs to: nothing is learned from it."""
    is_filmed: bool = True
    """Whether an approved design is filmed before the run ends; an evaluation needs no films."""

    def line(self) -> EventLine:
        assignment, variant = self.assignment, self.assignment.variant
        parts = [
            f"{variant.benchmark}, seed {variant.seed}, level {variant.level}",
            f"{counted(assignment.quantity, 'piece')}, {limits_text(assignment.limits)}",
            f"model {self.model}" + ("" if self.executor == "code" else f", executor {self.executor}"),
        ]
        if self.continues:
            parts.append(f"continues {self.continues.attempts[-1]}: {self.continues.says}")
        return EventLine("; ".join(parts))

    def texts(self) -> list[EventText]:
        task = EventText("Task", self.assignment.variant.description)
        return [task] if self.continues is None else [task, EventText("Instruction", self.continues.says)]


class EngineeringQueued(Event):
    """The run waits: as many runs as there are slots are in work."""

    publishers: ClassVar = ("planner",)
    unconsumed: ClassVar = "shows the user that the run waits for a slot"

    ahead: NonNegativeInt
    """How many runs waited before it at that time; the oldest starts first."""
    slots: PositiveInt

    def line(self) -> EventLine:
        return EventLine(f"waits for one of {counted(self.slots, 'slot')}: {counted(self.ahead, 'run')} before it")


class EngineeringStarted(Event):
    """The run has a slot, which it holds until its end. Its work begins, and its deadline counts from now."""

    publishers: ClassVar = ("planner",)

    deadline_s: PositiveFloat
    slots: PositiveInt

    def line(self) -> EventLine:
        return EventLine("work begins", "detail")


class CancelRequested(Event):
    """A user cancelled the run."""

    publishers: ClassVar = ("cli", "gateway")

    reason: str = "cancelled by the user"

    def line(self) -> EventLine:
        return EventLine(f"cancellation requested: {self.reason}", "failure")


class WorldChecked(Event):
    """The environment was simulated without a machine: it is sound, and the payload alone does not reach the goal."""

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: labels of parts in any script; 2: several payloads that are solids; 1: one."""
    environment: Environment
    without_machine: str
    """What happens to the payload when nothing is built, and how far parts of the environment move, in one sentence."""
    check_s: NonNegativeFloat

    def line(self) -> EventLine:
        return EventLine(f"world checked: {self.without_machine}", "success")


WorldRefusalReason = Literal[
    "scene_invalid",
    "initial_penetration",
    "model_does_not_compile",
    "unstable",
    "parts_lost",
    "solves_itself",
]


class WorldRefused(FailureOutcome[WorldRefusalReason]):
    """The environment cannot be simulated, or needs no machine, so that no run makes sense in it."""

    summary: ClassVar = "world cannot be used"

    reason: WorldRefusalReason
    """`unstable`: the simulation did not stay finite. `parts_lost`: a moving part of the environment left the bounds.
    `solves_itself`: the payload reached the goal without a machine."""


class EnvironmentBuilt(Request):
    """The environment's geometry was built, and the payload starts in free space. Requests that physics checks it."""

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: labels of parts in any script; 2: several payloads in the scene; 1: one."""
    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (WorldChecked, WorldRefused)

    environment: Environment
    """With what of it moves: joints, motors and their programs."""
    scene: ArtifactRef | None = None
    """The `Scene` of the environment and the payload alone, as JSON. None: built before worlds were checked."""
    build_s: NonNegativeFloat

    def line(self) -> EventLine:
        solids = counted(len(self.environment.solids), "solid")
        return EventLine(f"environment built: {solids}, {self.build_s:.1f} s", "success")


EnvironmentFaultReason = Literal[
    "code_failed",
    "not_build123d",
    "payload_in_wall",
    "outside_bounds",
    "zone_conflict",
    "solids_overlap",
    "faulty_mechanism",
]


class EnvironmentRefused(FailureOutcome[EnvironmentFaultReason]):
    """The environment is invalid, so that the benchmark cannot be solved."""

    summary: ClassVar = "environment cannot be used"


class EnvironmentRequested(Request):
    """The planner requests that the environment is built and checked before the plan is written."""

    publishers: ClassVar = ("planner",)

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: several payloads; 2: payloads of any shape; 1: balls and cubes."""
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (EnvironmentBuilt, EnvironmentRefused)

    assignment: Assignment

    def line(self) -> EventLine:
        return EventLine("building environment", "detail")

"""Events about a generated benchmark, from its brief to its publication. Only benchmark-generator ends such a run."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, FiniteFloat, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine, EventText
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import SessionFailed, SessionOpened
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.benchmark import BenchmarkFiles, Limits, Variant
from contracts.models.design import PartSteps
from contracts.models.label import Label
from contracts.outcomes import FailureOutcome, ReviewOutcome
from contracts.text import counted, headline

MOVING_FACTOR = 4
"""Worlds in which something of the environment moves are certified under so many times the seeds: they fail more
easily."""


MAX_TESTED = 4
"""Worlds of one test of an author: each is built, and simulated with all replicas."""


class BenchmarkBrief(Model):
    """What a user asks of the benchmark-generator."""

    task: str
    """What the benchmark is to be about, in the user's words."""
    level: Literal[1, 2, 3]
    seed: NonNegativeInt = 0
    """Decides what an author that draws at random invents; a language model reads it as the number of its brief."""
    worlds: Annotated[int, Field(ge=1, le=16)] = 4
    """How many seeds are certified, from 0; four times as many if something of the environment moves."""
    replicas: PositiveInt = 32
    """Of each world."""
    max_plans: PositiveInt = 3
    max_drafts: PositiveInt = 4
    max_steps: PositiveInt = 60
    """Maximum number of the generator's model calls."""
    deadline_s: PositiveFloat = 3600.0
    """Wall-clock time from the request."""

    @property
    def most_worlds(self) -> int:
        """How many worlds are certified if something moves."""
        return MOVING_FACTOR * self.worlds


class BuiltWorld(Model):
    """A world of a draft: its environment is built, and its witness is a valid design."""

    seed: NonNegativeInt
    environment_scene: ArtifactRef
    """The `Scene` of the environment and the payload alone, as JSON."""
    witness_scene: ArtifactRef
    """The `Scene` with the witness, as JSON."""
    part_steps: PartSteps = Field(default={})
    """Of the witness; none in older events."""
    unit_price_usd: NonNegativeFloat
    mass_kg: NonNegativeFloat
    parts: NonNegativeInt


class WorldCertificate(Model):
    """A certified world: it needs a machine, and its witness solves it robustly."""

    seed: NonNegativeInt
    without_machine: str
    """What happens to the payload when nothing is built, and how far parts of the environment move."""
    success_rate: FiniteFloat
    replicas: PositiveInt
    reached_after_s: NonNegativeFloat
    """In the nominal run."""
    unit_price_usd: NonNegativeFloat
    mass_kg: NonNegativeFloat
    parts: NonNegativeInt


Stage = Literal["environment", "witness", "world", "simulation"]
"""Where a draft fails: the environment cannot be built; the witness is not a valid design; the world is not sound, or
needs no machine; the witness does not solve it."""


class DraftFinding(Model):
    """Why a draft cannot be published."""

    stage: Stage
    seed: NonNegativeInt
    detail: str


class Draft(Model):
    """A benchmark that was written, and its worlds under the first seeds."""

    name: Label
    title: str
    files: BenchmarkFiles
    variants: tuple[Variant, ...]
    """Of the seeds from 0, as many as are certified if something moves."""
    limits: Limits


class BenchmarkPublished(Event):
    """The benchmark is certified and reviewed. Ends the run."""

    ends: ClassVar = "benchmark"

    name: Label
    title: str
    level: Literal[1, 2, 3]
    files: ArtifactRef
    """Zip of benchmark.yaml, environment.py and witness.py."""
    digest: Sha256
    """Of what makes the benchmark, without name and description."""
    has_motion: bool
    """Whether something of its environment moves."""
    worlds: tuple[WorldCertificate, ...]
    drafts: PositiveInt
    """How many drafts it took."""
    plan_md: str

    def line(self) -> EventLine:
        return EventLine(f"PUBLISHED: {self.name}, {self.title}, {counted(self.drafts, 'draft')}", "success")


GenerationFailureReason = Literal[
    "plan_rejected",
    "drafts_rejected",
    "refused",
    "steps_exhausted",
    "deadline",
    "cancelled",
    "model_failed",
    "session_failed",
    "abandoned",
]


class GenerationFailed(FailureOutcome[GenerationFailureReason]):
    """No benchmark was published. Ends the run."""

    ends: ClassVar = "benchmark"
    summary: ClassVar = "FAILED"

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: also `session_failed`; 1: the other reasons."""
    reason: GenerationFailureReason
    """`plan_rejected`, `drafts_rejected`: as often as the brief permits. `refused`: the author refused its own plan.
    `session_failed`: no kernel could be started."""


class BenchmarkRequested(Request):
    """A user requests a new benchmark. Opens the run."""

    publishers: ClassVar = ("cli",)
    opens_run: ClassVar = True
    owner: ClassVar = "benchmark-generator"
    outcomes: ClassVar = (BenchmarkPublished, GenerationFailed)

    brief: BenchmarkBrief
    model: str
    """`offline`, or `provider:name` as in LangChain."""

    def line(self) -> EventLine:
        brief = self.brief
        return EventLine(f"benchmark of level {brief.level}, number {brief.seed}, model {self.model}: {brief.task}")

    def texts(self) -> list[EventText]:
        return [EventText("Task", self.brief.task)]


class BenchmarkPlanApproved(ReviewOutcome):
    """The critic approved the plan of a benchmark; its files are written."""

    summary: ClassVar = "plan approved"
    severity: ClassVar = "success"


class BenchmarkPlanRejected(ReviewOutcome):
    """The critic rejected the plan of a benchmark; another one is written."""

    summary: ClassVar = "plan rejected"
    severity: ClassVar = "failure"


class BenchmarkPlanProposed(Request):
    """The benchmark-generator proposes what the benchmark asks, and which mechanism solves it."""

    publishers: ClassVar = ("benchmark-generator",)
    owner: ClassVar = "critic"
    outcomes: ClassVar = (BenchmarkPlanApproved, BenchmarkPlanRejected, WorkAbandoned)

    brief: BenchmarkBrief
    model: str
    plan_md: str

    def line(self) -> EventLine:
        return EventLine(f"plan of a benchmark: {headline(self.plan_md.partition('## Task')[2] or self.plan_md)}")

    def texts(self) -> list[EventText]:
        return [EventText("Plan", self.plan_md)]


class BenchmarkSessionRequested(Request):
    """The benchmark-generator requests a kernel for an approved plan; again with a new plan, which replaces the old
    one in the open session. The critic requests one with a certified draft, each in a new kernel."""

    publishers: ClassVar = ("benchmark-generator", "critic")
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (SessionOpened, SessionFailed)

    brief: BenchmarkBrief
    plan_md: str
    todo_md: str
    reviewed: BenchmarkFiles | None = None
    """The draft under review; None: the author begins with a template."""

    def line(self) -> EventLine:
        return EventLine("kernel requested", "detail")


class CertificationCompleted(Event):
    """The worlds were simulated without and with a machine, as those of a draft are."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"

    worlds: tuple[WorldCertificate, ...]
    findings: tuple[DraftFinding, ...] = ()
    """Why the other worlds have no certificate."""

    def line(self) -> EventLine:
        if not self.findings:
            return EventLine(f"test: {counted(len(self.worlds), 'world')} certified", "success")
        first = self.findings[0]
        return EventLine(f"test: seed {first.seed} refused, {first.stage}: {headline(first.detail)}", "failure")


class CertificationRequested(Request):
    """A cell of an author tests its worlds. The result is a preview: a draft is certified again."""

    publishers: ClassVar = ("cad-worker",)
    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (CertificationCompleted,)

    worlds: Annotated[tuple[BuiltWorld, ...], Field(min_length=1, max_length=MAX_TESTED)]
    replicas: PositiveInt
    """Of each world."""

    def line(self) -> EventLine:
        seeds = ", ".join(str(world.seed) for world in self.worlds)
        return EventLine(
            f"test: {counted(len(self.worlds), 'world')} built, the witness is valid in each (seeds {seeds})"
        )


class DraftApproved(ReviewOutcome):
    """The critic approved a certified draft; it is published."""

    summary: ClassVar = "draft approved"
    severity: ClassVar = "success"


class DraftRejected(ReviewOutcome):
    """The critic rejected a certified draft; another one is written."""

    summary: ClassVar = "draft rejected"
    severity: ClassVar = "failure"


class DraftRefused(Event):
    """A world of the draft is not certified; another draft is written."""

    findings: tuple[DraftFinding, ...]
    passed: NonNegativeInt
    """How many worlds passed this stage."""

    def line(self) -> EventLine:
        first = self.findings[0]
        more = f" (and {len(self.findings) - 1} more)" if len(self.findings) > 1 else ""
        return EventLine(f"draft refused, seed {first.seed}, {first.stage}: {headline(first.detail)}{more}", "failure")


class WitnessRun(Model):
    """The nominal run of a draft's witness in one of its worlds, which can be filmed."""

    seed: NonNegativeInt
    scene: ArtifactRef
    """The `Scene` with the witness, as JSON."""
    trajectory_digest: Sha256


class DraftCertified(Request):
    """Every world needs a machine, and the witness solves it robustly; requests the critic's review."""

    owner: ClassVar = "critic"
    outcomes: ClassVar = (DraftApproved, DraftRejected, WorkAbandoned)

    brief: BenchmarkBrief
    model: str
    plan_md: str
    draft: Draft
    has_motion: bool
    worlds: tuple[WorldCertificate, ...]
    weakest: WitnessRun | None = None
    """In the world in which the fewest replicas succeeded, the first of equal ones; None in older events."""

    def line(self) -> EventLine:
        least = min(world.success_rate for world in self.worlds)
        text = f"{counted(len(self.worlds), 'world')} certified, at least {least:.0%} of the replicas"
        return EventLine(text, "success")


class DraftBuilt(Request):
    """The environments are built, and the witness is a valid design in each of them; requests that physics checks
    them."""

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: several payloads in the scene; 1: one."""
    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (DraftCertified, DraftRefused)

    brief: BenchmarkBrief
    model: str
    plan_md: str
    draft: Draft
    has_motion: bool
    """Whether the environment has joints or motors, so that more worlds were built."""
    worlds: tuple[BuiltWorld, ...]

    def line(self) -> EventLine:
        moves = ", something moves" if self.has_motion else ""
        return EventLine(f"{counted(len(self.worlds), 'world')} built, the witness is valid in each{moves}", "success")


class BenchmarkDrafted(Request):
    """The benchmark-generator submits the files of a benchmark."""

    publishers: ClassVar = ("benchmark-generator",)

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: several payloads; 1: one."""
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (DraftBuilt, DraftRefused)

    brief: BenchmarkBrief
    model: str
    plan_md: str
    draft: Draft
    number: PositiveInt
    """Counts the drafts of the run, from 1."""

    def line(self) -> EventLine:
        return EventLine(f"draft {self.number} submitted: {self.draft.name}")

    def texts(self) -> list[EventText]:
        files = self.draft.files
        return [
            EventText("benchmark.yaml", files.benchmark_yaml, "code"),
            EventText("environment.py", files.environment_py, "code"),
            EventText("witness.py", files.witness_py, "code"),
        ]

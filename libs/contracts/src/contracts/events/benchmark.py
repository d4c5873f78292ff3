"""Events about a generated benchmark, from its order to its publication. Only benchmark-generator ends such a run."""

from typing import ClassVar, Literal

from pydantic import NonNegativeInt, PositiveInt

from contracts.envelope import Event, Request
from contracts.events.dead_letters import WorkAbandoned
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.generation import BenchmarkOrder, BuiltWorld, Draft, DraftFinding, WorldCertificate
from contracts.models.label import Label


class BenchmarkPublished(Event):
    """The benchmark is certified and reviewed. Ends the run."""

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


class GenerationFailed(Event):
    """No benchmark was published. Ends the run."""

    reason: Literal[
        "plan_rejected",
        "drafts_rejected",
        "refused",
        "steps_exhausted",
        "deadline",
        "cancelled",
        "model_failed",
        "abandoned",
    ]
    """`plan_rejected`, `drafts_rejected`: as often as the order permits. `refused`: the author refused its own plan."""
    detail: str


class BenchmarkRequested(Request):
    """A user orders a new benchmark. Opens the run."""

    owner: ClassVar = "benchmark-generator"
    outcomes: ClassVar = (BenchmarkPublished, GenerationFailed)

    order: BenchmarkOrder
    model: str
    """`offline`, or `provider:name` as in LangChain."""


class BenchmarkPlanApproved(Event):
    """The critic approved the plan of a benchmark; its files are written."""

    review_md: str


class BenchmarkPlanRejected(Event):
    """The critic rejected the plan of a benchmark; another one is written."""

    review_md: str


class BenchmarkPlanProposed(Request):
    """The benchmark-generator proposes what the benchmark asks, and which mechanism solves it."""

    owner: ClassVar = "critic"
    outcomes: ClassVar = (BenchmarkPlanApproved, BenchmarkPlanRejected, WorkAbandoned)

    order: BenchmarkOrder
    model: str
    plan_md: str


class DraftApproved(Event):
    """The critic approved a certified draft; it is published."""

    review_md: str


class DraftRejected(Event):
    """The critic rejected a certified draft; another one is written."""

    review_md: str


class DraftRefused(Event):
    """A world of the draft is not certified; another draft is written."""

    findings: tuple[DraftFinding, ...]
    passed: NonNegativeInt
    """How many worlds passed this stage."""


class DraftCertified(Request):
    """Every world needs a machine, and the witness solves it robustly; requests the critic's review."""

    owner: ClassVar = "critic"
    outcomes: ClassVar = (DraftApproved, DraftRejected, WorkAbandoned)

    order: BenchmarkOrder
    model: str
    plan_md: str
    draft: Draft
    has_motion: bool
    worlds: tuple[WorldCertificate, ...]


class DraftBuilt(Request):
    """The environments are built, and the witness is a valid design in each of them; requests that physics checks
    them."""

    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (DraftCertified, DraftRefused)

    order: BenchmarkOrder
    model: str
    plan_md: str
    draft: Draft
    has_motion: bool
    """Whether the environment has joints or motors, so that more worlds were built."""
    worlds: tuple[BuiltWorld, ...]


class BenchmarkDrafted(Request):
    """The benchmark-generator submits the files of a benchmark."""

    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (DraftBuilt, DraftRefused)

    order: BenchmarkOrder
    model: str
    plan_md: str
    draft: Draft
    number: PositiveInt
    """Counts the drafts of the run, from 1."""

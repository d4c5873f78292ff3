"""What the tools answer: structured results, small enough for a model's context."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from contracts.models.benchmark import Limits
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import LintFinding
from contracts.models.simulation import Ending, SimulationResult
from documents.quote import errors_of
from millwright import DesignVerdict
from pydantic import AwareDatetime, BaseModel

MAX_FINDINGS = 20
"""Of one answer, the errors first."""


class ListedBenchmark(BaseModel):
    """A benchmark in a list."""

    name: str
    title: str
    level: int
    limits: Limits


class BenchmarksAnswer(BaseModel):
    """The built-in benchmarks."""

    benchmarks: list[ListedBenchmark]


class BenchmarkTask(BaseModel):
    """A benchmark under one seed."""

    name: str
    title: str
    level: int
    seed: int
    limits: Limits
    task_md: str
    """The task in prose, with all zones and the payload in mm."""


class ListedSession(BaseModel):
    """A session in a list."""

    session: str
    benchmark: str
    seed: int
    has_kernel: bool
    """Whether its kernel runs now; the next call starts it again if not."""
    opened_at: AwareDatetime
    used_at: AwareDatetime


class SessionsAnswer(BaseModel):
    """The sessions of the client, the last used first."""

    sessions: list[ListedSession]


class OpenedSession(BaseModel):
    """A session that is ready."""

    session: str
    """The id that every other call takes; it stays valid when the server restarts."""
    benchmark: str
    seed: int
    task_md: str
    files: list[str]


class ClosedSession(BaseModel):
    """A session without a kernel."""

    session: str
    is_deleted: bool


class PictureNote(BaseModel):
    """A picture of the answer, in the order of the pictures."""

    label: str
    shows: str


class CellAnswer(BaseModel):
    """What became of a cell."""

    status: Literal["ok", "error", "timeout", "killed", "refused"]
    output: str
    error: str = ""
    elapsed_s: float
    pictures: list[PictureNote] = []
    was_recovered: bool = False
    """Whether the kernel was lost before it, and rebuilt from the session's log; the text of the answer says how."""


class FileList(BaseModel):
    """The files of a session."""

    files: list[str]


class FileText(BaseModel):
    """Lines of a file."""

    path: str
    text: str
    from_line: int
    total_lines: int


class FileAnswer(BaseModel):
    """A file after a write."""

    path: str
    size_bytes: int
    findings: list[LintFinding] = []


class PartPrice(BaseModel):
    """A made part of a design."""

    label: str
    method: str
    material_id: str
    mass_kg: float
    unit_price_usd: float


class PriceAnswer(BaseModel):
    """Whether a design can be made, and for how much."""

    is_makeable: bool
    unit_price_usd: float | None = None
    """None: something in it has no price."""
    mass_kg: float | None = None
    quantity: int | None = None
    parts: list[PartPrice] = []
    findings: list[Finding] = []
    """Each with rule, part, measured value, limit and fix."""


class PartStrength(BaseModel):
    """How far a part is from breaking, in the nominal run."""

    label: str
    peak_stress_mpa: float
    admissible_mpa: float
    safety_factor: float | None
    """Admissible stress over peak stress; None: it bears nothing."""
    buckling_share: float
    deflection_mm: float


class ReplicaCount(BaseModel):
    """How many replicas ended in one way."""

    ending: Ending
    count: int


class PhysicsAnswer(BaseModel):
    """What physics says of a design."""

    verdict: Literal["solved", "failed"]
    stability: Literal["untested", "stable", "flaky", "failed"]
    ending: Ending
    time_s: float
    cause: str
    """Why the nominal run did not reach the goal; empty if it did."""
    success_rate: float
    replicas: int
    endings: list[ReplicaCount] = []
    closest_goal_mm: float
    strength: list[PartStrength] = []
    """The weakest part first."""
    summary_md: str
    """What happened, with times and places."""


class VerdictAnswer(BaseModel):
    """The verdict that a submission gets from validation, prices and physics."""

    outcome: Literal["solved", "not_solved", "refused", "script_failed"]
    headline: str
    benchmark: str
    seed: int
    price: PriceAnswer | None = None
    simulation: PhysicsAnswer | None = None
    findings: list[Finding] = []
    overloads: list[str] = []


class ExportedFile(BaseModel):
    """A file to be read as a resource."""

    path: str
    size_bytes: int
    media_type: str
    uri: str


class ExportAnswer(BaseModel):
    """The files of an export, which replace those of the session's last one."""

    headline: str
    """The verdict on the exported design."""
    files: list[ExportedFile]
    folder: str = ""
    """On this machine, for clients on it."""


class CatalogAnswer(BaseModel):
    """Parts that can be bought, the best first."""

    found: list[CatalogFind]
    note: str = ""


def price_answer(findings: Sequence[Finding], bill: BillOfMaterials | None) -> PriceAnswer:
    """Return the answer about a bill and its findings."""
    errors = errors_of(findings)
    listed = [*errors, *(each for each in findings if each not in errors)][:MAX_FINDINGS]
    if bill is None:
        return PriceAnswer(is_makeable=False, findings=listed)
    parts = [PartPrice.model_validate(line, from_attributes=True) for line in bill.lines]
    return PriceAnswer(
        is_makeable=not errors,
        unit_price_usd=bill.unit_price_usd,
        mass_kg=bill.mass_kg,
        quantity=bill.quantity,
        parts=parts,
        findings=listed,
    )


def simulation_answer(result: SimulationResult) -> PhysicsAnswer:
    """Return the answer about a simulation."""
    endings: Counter[Ending] = Counter(each.ending for each in result.replicas)
    strength = [
        PartStrength(
            label=part.label,
            peak_stress_mpa=part.peak_stress_mpa,
            admissible_mpa=part.max_stress_mpa,
            safety_factor=part.safety_factor,
            buckling_share=part.peak_buckling,
            deflection_mm=part.peak_deflection_mm,
        )
        for part in sorted(result.parts, key=lambda part: -part.load_ratio)
    ]
    return PhysicsAnswer(
        verdict=result.verdict,
        stability=result.stability,
        ending=result.nominal.ending,
        time_s=result.nominal.time_s,
        cause=result.nominal.cause,
        success_rate=result.success_rate,
        replicas=len(result.replicas),
        endings=[ReplicaCount(ending=ending, count=count) for ending, count in endings.most_common()],
        closest_goal_mm=result.nominal.closest_goal_mm,
        strength=strength,
        summary_md=result.summary_md,
    )


def verdict_answer(verdict: DesignVerdict) -> VerdictAnswer:
    """Return the answer about a judged design."""
    price = None if verdict.bill is None else price_answer(verdict.findings, verdict.bill)
    return VerdictAnswer(
        outcome=verdict.outcome,
        headline=verdict.headline,
        benchmark=verdict.benchmark,
        seed=verdict.seed,
        price=price,
        simulation=None if verdict.result is None else simulation_answer(verdict.result),
        findings=[] if price is not None else list(verdict.findings[:MAX_FINDINGS]),
        overloads=list(verdict.overloads),
    )

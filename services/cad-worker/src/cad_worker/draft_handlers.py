"""The handler of drafted benchmarks: every world is built, and the witness is judged in it."""

from artifacts.port import ArtifactStore, put_json
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BuiltWorld,
    DraftBuilt,
    DraftFinding,
    DraftRefused,
    Stage,
)
from contracts.models.benchmark import Assignment, Variant
from contracts.text import shortened, storable
from sandbox.jobs import JobFailedError

from cad_worker.handlers import PRODUCER
from cad_worker.host import KernelHost
from cad_worker.job_protocol import EnvironmentFiles
from cad_worker.session_protocol import SessionOrder
from cad_worker.witness import WitnessRejectedError, judge_witness, refusal_of

MAX_FINDINGS = 3
"""A draft with so many worlds that failed is not examined further: they mostly fail for one reason."""
DETAIL_CHARS = (2_500, 1_500)
"""First and last characters of a detail that are kept."""


async def build_draft(
    request: BenchmarkDrafted, host: KernelHost, artifacts: ArtifactStore
) -> DraftBuilt | DraftRefused:
    """Build the worlds of a draft, four times as many if something moves in the first one."""
    worlds: list[BuiltWorld] = []
    findings: list[DraftFinding] = []
    wanted, has_motion = request.brief.worlds, False
    for variant in request.draft.variants:
        if len(worlds) + len(findings) >= wanted or len(findings) >= MAX_FINDINGS:
            break
        files = await _environment(request, variant, host)
        if isinstance(files, DraftFinding):
            findings.append(files)
            continue
        if _moves(files):
            wanted, has_motion = request.brief.most_worlds, True
        world = await _world(request, variant, files, host, artifacts)
        if isinstance(world, DraftFinding):
            findings.append(world)
        else:
            worlds.append(world)
    if findings:
        return DraftRefused.answering(request, PRODUCER, findings=tuple(findings), passed=len(worlds))
    return DraftBuilt.answering(
        request,
        PRODUCER,
        brief=request.brief,
        model=request.model,
        plan_md=request.plan_md,
        draft=request.draft,
        has_motion=has_motion,
        worlds=tuple(worlds),
    )


async def _environment(
    request: BenchmarkDrafted, variant: Variant, host: KernelHost
) -> EnvironmentFiles | DraftFinding:
    """Run environment.py in a confined child."""
    try:
        build = await host.build_environment(request.draft.files.environment_py, variant)
    except JobFailedError as error:
        return _finding("environment", variant, f"code_failed: {error}")
    if build.files is None:
        fault = "environment.py built nothing" if build.fault is None else f"{build.fault.reason}: {build.fault.detail}"
        return _finding("environment", variant, fault)
    return build.files


def _moves(files: EnvironmentFiles) -> bool:
    return bool(files.geometry.mechanism.joints or files.geometry.mechanism.motors)


async def _world(
    request: BenchmarkDrafted, variant: Variant, files: EnvironmentFiles, host: KernelHost, artifacts: ArtifactStore
) -> BuiltWorld | DraftFinding:
    """Run the witness in a sandboxed kernel and judge it."""
    order = SessionOrder(
        assignment=Assignment(variant=variant, limits=request.draft.limits), environment=files.geometry
    )
    try:
        judgement = await judge_witness(request.draft.files.witness_py, order, host)
    except (WitnessRejectedError, JobFailedError) as rejection:
        return _finding("witness", variant, str(rejection))
    if refusal := refusal_of(judgement):
        return _finding("witness", variant, refusal)
    assert judgement.scene is not None
    assert judgement.bill is not None
    return BuiltWorld(
        seed=variant.seed,
        environment_scene=await put_json(artifacts, files.scene),
        witness_scene=await put_json(artifacts, judgement.scene),
        unit_price_usd=judgement.bill.unit_price_usd,
        mass_kg=judgement.bill.mass_kg,
        parts=judgement.bill.part_count,
    )


def _finding(stage: Stage, variant: Variant, detail: str) -> DraftFinding:
    return DraftFinding(stage=stage, seed=variant.seed, detail=shortened(storable(detail), *DETAIL_CHARS))

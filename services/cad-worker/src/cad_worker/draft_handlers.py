"""The handler of drafted benchmarks: every world is built, and the witness is judged in it."""

from artifacts.port import ArtifactStore
from contracts.envelope import answering
from contracts.events.benchmark import BenchmarkDrafted, BuiltWorld, DraftBuilt, DraftFinding, DraftRefused
from kernel_host.producer import PRODUCER

from cad_worker.drafts.worlds import MAX_FINDINGS, DraftWorlds, moves
from cad_worker.host import KernelHost


async def build_draft(
    request: BenchmarkDrafted, host: KernelHost, artifacts: ArtifactStore
) -> DraftBuilt | DraftRefused:
    """Build the worlds of a draft, four times as many if something moves in the first one."""
    draft = DraftWorlds(request.draft.files, request.draft.limits, host, artifacts)
    worlds: list[BuiltWorld] = []
    findings: list[DraftFinding] = []
    wanted, has_motion = request.brief.worlds, False
    for variant in request.draft.variants:
        if len(worlds) + len(findings) >= wanted or len(findings) >= MAX_FINDINGS:
            break
        built = await draft.environment(variant)
        if isinstance(built, DraftFinding):
            findings.append(built)
            continue
        if moves(built):
            wanted, has_motion = request.brief.most_worlds, True
        world = await draft.world(variant, built)
        if isinstance(world, DraftFinding):
            findings.append(world)
        else:
            worlds.append(world)
    if findings:
        return DraftRefused(**answering(request, PRODUCER), findings=tuple(findings), passed=len(worlds))
    return DraftBuilt(
        **answering(request, PRODUCER),
        brief=request.brief,
        model=request.model,
        plan_md=request.plan_md,
        draft=request.draft,
        has_motion=has_motion,
        worlds=tuple(worlds),
    )

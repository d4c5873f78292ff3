"""The verdict on a design, from data alone. This child never ran agent code."""

from contracts.models.design import Finding

from cad_worker.exports.colors import finish_of
from cad_worker.exports.gltf import assembly_glb
from cad_worker.exports.step import assembly_step, part_step
from cad_worker.job_protocol import DesignRequest, Judgement
from cad_worker.jobs.digest import digest_of
from cad_worker.scene.scene import make_scene
from cad_worker.validation.bodies import EnvironmentChangedError
from cad_worker.validation.design_validation import ValidationReport, validate

ASSEMBLY = "assembly"


def judge(request: DesignRequest) -> Judgement:
    """Apply every rule; a design without findings gets its scene and its files."""
    digest = digest_of(request.design).digest
    try:
        found = validate(request)
    except EnvironmentChangedError as error:
        return Judgement(findings=(Finding(rule="environment_changed", detail=str(error)),), digest=digest)
    if found.findings:
        computed = dict(found.shapes.computed)
        return Judgement(findings=found.findings, digest=digest, bill=found.inspection.bill, computed=computed)
    return _accepted(request, found, digest)


def _accepted(request: DesignRequest, found: ValidationReport, digest: str) -> Judgement:
    parts = found.parts
    finishes = [finish_of(part.material.id if part.material else "", part.label) for part in parts]
    return Judgement(
        findings=(),
        digest=digest,
        bill=found.inspection.bill,
        scene=make_scene(request.assignment.variant, found),
        step=assembly_step(ASSEMBLY, parts, finishes),
        part_steps={part.label: part_step(part, finish) for part, finish in zip(parts, finishes, strict=True)},
        glb=assembly_glb(ASSEMBLY, parts, finishes, kind="design"),
        computed=dict(found.shapes.computed),
    )

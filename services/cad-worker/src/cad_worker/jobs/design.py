"""Jobs on a design, from data alone: its verdict, its findings before a submission, its scene, and a quote."""

from collections.abc import Sequence

from contracts.models.benchmark import Variant
from contracts.models.design import Finding
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import EnvironmentChangedError, Part, environment_digest
from design_rules.design_data import DesignRequest
from design_rules.design_validation import ValidationReport, validate
from design_rules.rules.limits import exceeded_limits
from design_rules.rules.manufacturability import inspect
from design_rules.rules.world import EnvironmentFaultyError
from geometry.occt.brep import GeometryFailedError

from cad_worker.environment_script import fixtures_of
from cad_worker.exports.colors import Finish, finish_of
from cad_worker.exports.gltf import assembly_glb
from cad_worker.exports.step import assembly_step, part_step
from cad_worker.job_protocol import DesignCheck, DesignFindings, Judgement, Quote, QuoteRequest, SceneBuild
from cad_worker.jobs.digest import digest_of
from cad_worker.scene.scene import drawn_scene, make_scene

ASSEMBLY = "assembly"
_REFUSED = (EnvironmentChangedError, GeometryFailedError)
"""What a design may be that stops the rules: a verdict all the same."""
_CHANGED = "the environment was moved or changed in this kernel; it is read-only: put it back, and move copies of it"


def judge(request: DesignRequest) -> Judgement:
    """Apply every rule; a design without findings gets its scene and its files."""
    digest = digest_of(request.design).digest
    try:
        report = validate(request)
    except _REFUSED as error:
        return Judgement(findings=(_refusal(error),), digest=digest)
    if report.findings:
        return Judgement(
            findings=report.findings,
            digest=digest,
            bill=report.bill,
            scene=drawn_scene(_variant(request), report),
            computed=dict(report.shapes.computed),
        )
    return _accepted(request, report, digest)


def check(request: DesignCheck) -> DesignFindings:
    """Apply every rule, and compare the environment in the kernel with the one that was built."""
    design = DesignRequest(
        design=request.design, environment=request.environment, assignment=request.assignment, known=request.known
    )
    changes = _changes_of_environment(request)
    try:
        report = validate(design)
    except _REFUSED as error:
        return DesignFindings(findings=(*changes, _refusal(error)))
    return DesignFindings(findings=(*changes, *report.findings), computed=dict(report.shapes.computed))


def scene_of(request: DesignRequest) -> SceneBuild:
    """Return the scene for a preview, with the findings of a verdict; no scene if one of them forbids it."""
    try:
        report = validate(request)
    except _REFUSED as error:
        return SceneBuild(findings=(_refusal(error),))
    computed = dict(report.shapes.computed)
    if report.blocking:
        return SceneBuild(findings=report.findings, computed=computed)
    scene, steps = make_scene(_variant(request), report), _part_steps(report.parts)
    return SceneBuild(scene=scene, part_steps=steps, findings=report.findings, computed=computed)


def quote(request: QuoteRequest) -> Quote:
    """Validate and price parts on their workbenches. A part that alone exceeds a limit of the design is a finding."""
    assignment, component = request.assignment, request.component
    inspection = inspect(component, assignment.quantity)
    system = MultibodySystem({part.label: part for part in inspection.parts}, component.mechanism)
    bill = inspection.bill(assignment, system, {})
    limits = exceeded_limits(len(component.parts), inspection, bill, assignment)
    return Quote(findings=(*inspection.findings, *limits, *inspection.advice), bill=bill)


def _accepted(request: DesignRequest, report: ValidationReport, digest: str) -> Judgement:
    parts = report.parts
    finishes = list(map(_finish_of, parts))
    return Judgement(
        findings=(),
        digest=digest,
        bill=report.bill,
        scene=make_scene(_variant(request), report),
        step=assembly_step(ASSEMBLY, parts, finishes),
        part_steps=_part_steps(parts),
        glb=assembly_glb(ASSEMBLY, parts, finishes, kind="design"),
        assembly=report.assembly.steps,
        tooth_meshes=report.meshes,
        computed=dict(report.shapes.computed),
    )


def _finish_of(part: Part) -> Finish:
    return finish_of(part.material.id if part.material else "", part.label)


def _part_steps(parts: Sequence[Part]) -> dict[str, bytes]:
    return {part.label: part_step(part, _finish_of(part)) for part in parts}


def _variant(request: DesignRequest) -> Variant:
    return request.environment.with_payload(request.assignment.variant)


def _changes_of_environment(request: DesignCheck) -> tuple[Finding, ...]:
    try:
        digest = environment_digest(fixtures_of(request.environment_now), request.environment.mechanism)
    except EnvironmentFaultyError as fault:
        return (_environment_changed(f"the environment is broken in this kernel: {fault.detail}"),)
    return () if digest == request.environment.digest else (_environment_changed(_CHANGED),)


def _refusal(error: EnvironmentChangedError | GeometryFailedError) -> Finding:
    if isinstance(error, EnvironmentChangedError):
        return _environment_changed(str(error))
    fix = "simplify the faces there: no steps or slivers of less than 0.1 mm"
    return Finding(rule="unsupported_shape", detail=f"{error}; {fix}")


def _environment_changed(detail: str) -> Finding:
    return Finding(rule="environment_changed", detail=detail)

"""What a verdict would object to in a design that is about to be submitted, from data alone."""

from contracts.models.design import Finding

from cad_worker.environment_script import EnvironmentFaultyError, fixtures_of
from cad_worker.job_protocol import DesignCheck, DesignFindings, DesignRequest
from cad_worker.validation.bodies import EnvironmentChangedError, environment_digest
from cad_worker.validation.design_validation import validate

_CHANGED = "the environment was moved or changed in this kernel; it is read-only: put it back, and move copies of it"


def check(request: DesignCheck) -> DesignFindings:
    """Apply every rule, and compare the environment as the kernel has it now with what was built."""
    world = DesignRequest(
        design=request.design, environment=request.environment, assignment=request.assignment, known=request.known
    )
    try:
        found = validate(world)
    except EnvironmentChangedError as error:
        return DesignFindings(findings=(*_changes(request), Finding(rule="environment_changed", detail=str(error))))
    return DesignFindings(findings=(*_changes(request), *found.findings), computed=dict(found.shapes.computed))


def _changes(request: DesignCheck) -> tuple[Finding, ...]:
    try:
        now = environment_digest(fixtures_of(request.environment_now), request.environment.mechanism)
    except EnvironmentFaultyError as fault:
        return (
            Finding(rule="environment_changed", detail=f"the environment is broken in this kernel: {fault.detail}"),
        )
    return () if now == request.environment.digest else (Finding(rule="environment_changed", detail=_CHANGED),)

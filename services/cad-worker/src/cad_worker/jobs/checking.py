"""What a verdict would object to in a design that is about to be submitted, from data alone."""

from contracts.design import Finding

from cad_worker.bodies import EnvironmentChangedError, environment_digest
from cad_worker.environments import EnvironmentFaultyError, blocks_of
from cad_worker.exchange import DesignCheck, DesignFindings, DesignInWorld
from cad_worker.surveying import survey

_CHANGED = "the environment was moved or changed in this kernel; it is read-only: put it back, and move copies of it"


def check(request: DesignCheck) -> DesignFindings:
    """Apply every rule, and compare the environment as the kernel has it now with what was built."""
    world = DesignInWorld(design=request.design, environment=request.environment, assignment=request.assignment)
    try:
        findings = survey(world).findings
    except EnvironmentChangedError as error:
        findings = (Finding(rule="environment_changed", detail=str(error)),)
    return DesignFindings(findings=(*_changes(request), *findings))


def _changes(request: DesignCheck) -> tuple[Finding, ...]:
    try:
        blocks = blocks_of(request.environment_now)
        now = environment_digest([block.label for block in blocks], [block.solid for block in blocks])
    except EnvironmentFaultyError as fault:
        return (
            Finding(rule="environment_changed", detail=f"the environment is broken in this kernel: {fault.detail}"),
        )
    return () if now == request.environment.digest else (Finding(rule="environment_changed", detail=_CHANGED),)

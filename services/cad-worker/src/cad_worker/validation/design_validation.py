"""A design in its world, with everything the rules say about it."""

from dataclasses import dataclass

from contracts.models.design import Finding

from cad_worker.job_protocol import DesignRequest
from cad_worker.scene.collision_shapes import Shaped, shape
from cad_worker.validation.bodies import Fixture, Part, read_environment
from cad_worker.validation.rigid_groups import Machine
from cad_worker.validation.rules.contact import environment_copies, interferences
from cad_worker.validation.rules.floating import floating
from cad_worker.validation.rules.limits import beyond_limits
from cad_worker.validation.rules.manufacturability import Inspection, inspect
from cad_worker.validation.rules.mechanism import machine_of, mechanism_findings
from cad_worker.validation.rules.placement import inside_forbid_zones, on_payload, outside_build_zone


@dataclass(frozen=True, eq=False)
class ValidationReport:
    """What is known about a design after looking at all of it."""

    inspection: Inspection
    parts: tuple[Part, ...]
    """Those that are the engineer's own."""
    environment: tuple[Fixture, ...]
    machine: Machine
    shaped: Shaped
    blocking: tuple[Finding, ...]
    """Why no scene can be made of it."""
    other: tuple[Finding, ...]
    """What else is wrong."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them."""
        return (*self.blocking, *self.other)


def validate(request: DesignRequest) -> ValidationReport:
    """Apply every rule at once; raise `EnvironmentChangedError` if the environment is not the benchmark's own."""
    variant, limits = request.assignment.variant, request.assignment.limits
    environment = read_environment(request.environment)
    inspection = inspect(request.design, request.assignment.quantity)
    copies = environment_copies(inspection.parts, environment)
    copied = {finding.label for finding in copies}
    own = tuple(part for part in inspection.parts if part.label not in copied)
    machine = machine_of(own, request.design.mechanism, environment, request.environment.mechanism)
    shaped = shape((*environment, *own), request.known)
    blocking = (
        *inspection.findings,
        *copies,
        *mechanism_findings(machine),
        *shaped.findings,
        *on_payload(own, variant),
    )
    other = (
        *outside_build_zone(own, variant.build_zone),
        *inside_forbid_zones(own, variant.forbid_zones),
        *interferences(own, environment),
        *floating(own, environment, machine.whole),
        *beyond_limits(len(request.design.parts), inspection.bill, limits),
    )
    return ValidationReport(inspection, own, environment, machine, shaped, blocking, other)

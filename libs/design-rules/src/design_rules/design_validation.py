"""Validation of a design in its environment by all rules."""

from dataclasses import dataclass

from build_package.teeth.meshes import ToothMesh
from build_package.teeth.systems import tooth_systems
from contracts.models.benchmark import binding
from contracts.models.design import BillOfMaterials, Finding

from design_rules.bodies.collision_shapes import CollisionShapes, collision_shapes_of
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import EnvironmentSolid, Part, read_environment
from design_rules.design_data import DesignRequest
from design_rules.rules.assembly import Assembly, assembly_of
from design_rules.rules.contact import environment_copies, floating_parts, interferences
from design_rules.rules.driven_environment import parts_in_the_way
from design_rules.rules.limits import exceeded_limits
from design_rules.rules.manufacturability import Inspection, inspect
from design_rules.rules.mechanism import mechanism_findings
from design_rules.rules.placement import inside_forbid_zones, on_payload, outside_build_zone
from design_rules.transmission.tooth_meshes import tooth_meshes


@dataclass(frozen=True, eq=False)
class ValidationReport:
    """The result of all rules, with everything that a scene needs."""

    inspection: Inspection
    parts: tuple[Part, ...]
    """The engineer's own parts."""
    environment: tuple[EnvironmentSolid, ...]
    system: MultibodySystem
    shapes: CollisionShapes
    bill: BillOfMaterials | None
    assembly: Assembly
    meshes: tuple[ToothMesh, ...]
    """What meshes in a design without findings but those of its limits."""
    blocking: tuple[Finding, ...]
    """Findings that prevent a scene."""
    other: tuple[Finding, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, each at its place: that of the rule, else of the part or joint that it names, else none."""
        return tuple(self._placed(each) for each in (*self.blocking, *self.other))

    def _placed(self, finding: Finding) -> Finding:
        if finding.place_mm is not None:
            return finding
        body = self.system.bodies.get(finding.label)
        joints = {joint.label: joint.anchor_mm for joint in self.system.whole_mechanism.joints}
        place_mm = joints.get(finding.label) if body is None else body.bounds.center_mm
        return finding.model_copy(update={"place_mm": place_mm})


def validate(request: DesignRequest) -> ValidationReport:
    """Apply every rule; raise `EnvironmentChangedError` if the environment is not the benchmark's own."""
    design = request.design
    variant = request.environment.with_payload(request.assignment.variant)
    environment = read_environment(request.environment)
    inspection = inspect(design, request.assignment.quantity)
    copies = environment_copies(inspection.parts, environment)
    copied = {finding.label for finding in copies}
    own = tuple(part for part in inspection.parts if part.label not in copied)
    bodies = {body.label: body for body in (*environment, *own)}
    system = MultibodySystem(bodies, design.mechanism, request.environment.mechanism)
    shapes = collision_shapes_of((*environment, *own), request.known)
    blocking = (
        *inspection.faults,
        *copies,
        *mechanism_findings(system),
        *shapes.findings,
        *on_payload(own, variant),
    )
    overlaps = interferences(own, environment, system.groups)
    hit = () if overlaps or blocking else parts_in_the_way(own, system, variant.duration_s)
    assembly, meshes = Assembly(()), ()
    if not overlaps and not blocking:
        meshes = tooth_meshes(system)
        assembly = assembly_of(own, environment, shapes.by_label, system, meshes)
    other = (
        *inspection.unmakeable,
        *outside_build_zone(own, variant.build_zone),
        *inside_forbid_zones(own, binding(variant.forbid_zones, "parts")),
        *overlaps,
        *hit,
        *assembly.findings,
        *floating_parts(own, environment, system.whole_mechanism),
    )
    meshes = () if other else meshes
    drawn_teeth = {label: each.teeth for label, each in tooth_systems(meshes).items()}
    is_priced = len(own) == len(inspection.parts)
    bill = inspection.bill(request.assignment, system, drawn_teeth) if is_priced else None
    other = (*other, *exceeded_limits(len(design.parts), inspection, bill, request.assignment))
    return ValidationReport(inspection, own, environment, system, shapes, bill, assembly, meshes, blocking, other)

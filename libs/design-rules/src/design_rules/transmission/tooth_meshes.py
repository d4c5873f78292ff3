"""What meshes in a valid design, as the teeth of its wheels and racks are drawn by."""

from collections.abc import Iterator

from build_package.teeth.meshes import MeshRack, MeshWheel, ToothMesh
from contracts.models.mechanism import Coupling
from geometry.arrays import as_vector
from geometry.occt.meshes import closed_mesh
from parts_catalog import parts as catalog
from parts_catalog.motors import MOTORS

from design_rules.bodies.multibody import MultibodySystem
from design_rules.transmission.meshes import ToothContact, gear_mesh, rack_mesh, seen_from
from design_rules.transmission.pinions import pinion_mesh
from design_rules.transmission.racks import outwards
from design_rules.transmission.wheels import CHORD_MM, CHORD_RAD, Wheel

BEYOND_MM = 6.5
"""By which a rack's teeth reach beyond its travel: two of module 1, which still touch."""
DRAWN_MM = 0.1
"""Depth by which teeth interlock that the design has drawn itself."""


def tooth_meshes(system: MultibodySystem) -> tuple[ToothMesh, ...]:
    """Return what meshes in a design without findings, but for teeth that it has drawn itself."""
    return tuple(_mesh(contact, shaft_mm) for contact, shaft_mm in _contacts(system) if contact.depth_mm < DRAWN_MM)


def _contacts(system: MultibodySystem) -> Iterator[tuple[ToothContact, float | None]]:
    """Yield what meshes, with the diameter of the motor's shaft that its first wheel is on."""
    joints = {joint.label: joint for joint in system.whole_mechanism.joints}
    for motor in system.mechanism.motors:
        if motor.pinion is not None:
            shaft_mm = MOTORS[system.bodies[motor.part].catalog_id or ""].shaft_mm
            yield pinion_mesh(system, motor, joints[motor.joint]), shaft_mm
    for coupling in system.mechanism.couplings:
        yield _coupled(system, coupling), None


def _coupled(system: MultibodySystem, coupling: Coupling) -> ToothContact:
    joints = {joint.label: joint for joint in system.whole_mechanism.joints}
    group_of = system.groups.group_of
    here, there = joints[coupling.first], joints[coupling.second]
    (frame,) = {group_of(here.parent), group_of(here.child)} & {group_of(there.parent), group_of(there.child)}
    one, other = seen_from(system, frame, here), seen_from(system, frame, there)
    return gear_mesh(one, other) if coupling.kind == "gear" else rack_mesh(one, other)


def _mesh(contact: ToothContact, shaft_mm: float | None) -> ToothMesh:
    wheel = _wheel(contact.one, contact.pitch_mm, shaft_mm)
    if contact.other_wheel is not None:
        return ToothMesh(wheel, _wheel(contact.other_wheel, contact.other_pitch_mm))
    assert contact.climb is not None, "a wheel meshes with another or climbs a rack"
    along = contact.climb.direction
    low, high = (float(contact.one.center_mm @ along) + place for place in contact.climb.range_mm)
    material = closed_mesh(contact.other.solid, CHORD_MM, CHORD_RAD).vertices_mm @ along
    rack = MeshRack(
        contact.other.label,
        as_vector(along),
        as_vector(outwards(contact.one, contact.other, along)),
        (max(low - BEYOND_MM, float(material.min())), min(high + BEYOND_MM, float(material.max()))),
    )
    return ToothMesh(wheel, rack)


def _wheel(wheel: Wheel, pitch_mm: float, shaft_mm: float | None = None) -> MeshWheel:
    row = catalog.parts().get(wheel.body.catalog_id or "")
    return MeshWheel(
        label=wheel.body.label,
        center_mm=as_vector(wheel.center_mm),
        axis=as_vector(wheel.axis),
        width_mm=2 * wheel.half_width_mm,
        pitch_mm=pitch_mm,
        tip_mm=wheel.tip_mm,
        module_mm=row.gear.module_mm if row is not None and row.gear is not None else None,
        shaft_mm=shaft_mm,
    )

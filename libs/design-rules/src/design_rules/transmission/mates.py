"""Pairs of parts that sit on each other by a motor's shaft or by their teeth, and the ways in which they part."""

from collections.abc import Iterator, Sequence

import numpy as np
from build123d import Plane, Solid
from build_package.teeth.meshes import MeshRack, ToothMesh
from contracts.criteria import SHAFT_MM
from contracts.models.mechanism import Motor
from geometry.arrays import as_vector
from geometry.assembly.mates import Mate
from geometry.occt.distances import closest_points
from parts_catalog.motors import MOTORS

from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import Part
from design_rules.transmission.racks import NEEDLE_MM
from design_rules.transmission.shafts import Shaft, misalignment, shafts_of

PLAY_MM = 0.5
"""Beside a shaft in a bore that the design has drawn."""


def mates_of(system: MultibodySystem, meshes: Sequence[ToothMesh]) -> tuple[Mate, ...]:
    """Return the pairs of a design whose mechanism is without findings."""
    axes = {mesh.wheel.label: mesh.wheel.axis for mesh in meshes}
    own = [motor for motor in system.mechanism.motors if isinstance(system.bodies[motor.part], Part)]
    pinions = (Mate(each.pinion, each.part, axes[each.pinion]) for each in own if each.pinion in axes)
    return (*map(_in_mesh, meshes), *pinions, *(mate for motor in own for mate in _on_shaft(system, motor)))


def _in_mesh(mesh: ToothMesh) -> Mate:
    wheel, other = mesh.wheel, mesh.other
    if isinstance(other, MeshRack):
        away = -np.array(other.outwards)
    else:
        apart, axis = np.array(wheel.center_mm) - np.array(other.center_mm), np.array(wheel.axis)
        across = apart - (apart @ axis) * axis
        away = across / np.linalg.norm(across)
    return Mate(wheel.label, other.label, wheel.axis, as_vector(away))


def _on_shaft(system: MultibodySystem, motor: Motor) -> Iterator[Mate]:
    """Yield the parts that a motor turns by the joint that its shaft is the axis of."""
    joint = next(each for each in system.whole_mechanism.joints if each.label == motor.joint)
    if joint.kind != "revolute":
        return
    housing, sheet = system.bodies[motor.part], MOTORS[system.bodies[motor.part].catalog_id or ""]
    shafts = shafts_of(housing.solid, sheet.housing)
    if not shafts:
        return  # the housing is not the catalog's, which has a finding of its own
    shaft = min(shafts, key=lambda each: misalignment(each, joint.anchor_mm, joint.axis))
    needle = _needle(shaft, sheet.housing.size_mm[2])
    turned = joint.parent if system.groups.are_rigid(motor.part, joint.child) else joint.child
    reach_mm = sheet.shaft_mm / 2 + PLAY_MM
    for label, body in system.bodies.items():
        is_turned = isinstance(body, Part) and system.groups.are_rigid(label, turned)
        if is_turned and closest_points(needle, body.solid).gap_mm <= reach_mm:
            yield Mate(label, motor.part, as_vector(shaft.direction))


def _needle(shaft: Shaft, length_mm: float) -> Solid:
    """Return a thin rod along the shaft and through the housing: a plain one may have its shaft at either end."""
    start_mm = as_vector(shaft.point_mm - (length_mm + SHAFT_MM) * shaft.direction)
    plane = Plane(start_mm, z_dir=as_vector(shaft.direction))
    return Solid.make_cylinder(NEEDLE_MM, length_mm + 2 * SHAFT_MM, plane)

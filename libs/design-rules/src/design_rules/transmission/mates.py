"""Pairs of parts that sit on each other by a motor's shaft or by their teeth, and the ways in which they part."""

from collections.abc import Iterator, Sequence

import numpy as np
from build123d import Plane, Solid
from build_package.motor_fronts import MotorFront
from build_package.teeth.meshes import MeshRack, ToothMesh
from contracts.criteria import SHAFT_MM
from contracts.models.mechanism import Joint, Motor
from geometry.arrays import as_vector
from geometry.assembly.mates import Mate
from geometry.occt.distances import closest_points
from geometry.occt.meshes import TriangleMesh, closed_mesh
from parts_catalog.motors import MOTORS

from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import Part, SolidBody
from design_rules.transmission.racks import NEEDLE_MM
from design_rules.transmission.shafts import Shaft, shafts_of
from design_rules.transmission.wheels import CHORD_MM, CHORD_RAD

PLAY_MM = 0.5
"""Beside a shaft in a bore that the design has drawn."""
SEEN_MM = 1.0
"""Length from which a shaft between housing and hub is in the way of others."""


def mates_of(system: MultibodySystem, meshes: Sequence[ToothMesh]) -> tuple[Mate, ...]:
    """Return the pairs of a design whose mechanism is without findings."""
    own = [motor for motor in system.mechanism.motors if isinstance(system.bodies[motor.part], Part)]
    return (*map(_in_mesh, meshes), *(mate for motor in own for mate in _on_shaft(system, motor)))


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
    """Yield what is on a motor's shaft: its pinion, or the parts that it turns by the joint on the shaft's axis."""
    sheet = MOTORS[system.bodies[motor.part].catalog_id or ""]
    for hub, shaft, reach_mm in _seats(system, motor):
        yield Mate(hub.label, motor.part, as_vector(shaft.direction), shaft=_rod(shaft, reach_mm, sheet.shaft_mm))


def motor_fronts(system: MultibodySystem) -> Iterator[MotorFront]:
    """Yield the fronts of a design's motors that have something on their shafts."""
    joints = {joint.label for joint in system.mechanism.joints}
    for motor in system.mechanism.motors:
        body = system.bodies.get(motor.part)
        seats = list(_seats(system, motor)) if isinstance(body, Part) and motor.joint in joints else []
        if body is None or not seats:
            continue
        sheet = MOTORS[body.catalog_id or ""]
        shaft = min(seats, key=lambda seat: abs(seat[2]))[1]
        point, direction = as_vector(shaft.point_mm), as_vector(shaft.direction)
        hubs = {hub.label: reach_mm for hub, _, reach_mm in seats}
        yield MotorFront(motor.part, sheet, point, direction, as_vector(shaft.across), hubs)


def _seats(system: MultibodySystem, motor: Motor) -> Iterator[tuple[SolidBody, Shaft, float]]:
    """Yield what sits on a motor's shaft, with the shaft and how far before the housing it begins."""
    sheet = MOTORS[system.bodies[motor.part].catalog_id or ""]
    joint = next(each for each in system.whole_mechanism.joints if each.label == motor.joint)
    near_mm = joint.anchor_mm if motor.pinion is None else system.bodies[motor.pinion].bounds.center_mm
    shafts = shafts_of(system.bodies[motor.part].solid, sheet.housing, near_mm)
    for hub in _hubs(system, motor, joint):
        reaches = [(each, _reach(each, hub, sheet.shaft_mm)) for each in shafts]
        known = [(shaft, reach_mm) for shaft, reach_mm in reaches if reach_mm is not None]
        if known:
            yield hub, *min(known, key=lambda each: abs(each[1]))


def _hubs(system: MultibodySystem, motor: Motor, joint: Joint) -> Iterator[SolidBody]:
    if motor.pinion is not None:
        yield system.bodies[motor.pinion]
    if joint.kind == "revolute":
        turned = joint.parent if system.groups.are_rigid(motor.part, joint.child) else joint.child
        for label, body in system.bodies.items():
            if isinstance(body, Part) and label != motor.part and system.groups.are_rigid(label, turned):
                yield body


def _reach(shaft: Shaft, hub: SolidBody, shaft_mm: float) -> float | None:
    """Return how far a part is before the face that a shaft leaves; None for a part beside the shaft."""
    foot = Plane(as_vector(shaft.point_mm), z_dir=as_vector(shaft.direction))
    needle = Solid.make_cylinder(NEEDLE_MM, SHAFT_MM, foot)
    if closest_points(needle, hub.solid).gap_mm > shaft_mm / 2 + PLAY_MM:
        return None
    surface = closed_mesh(hub.solid, CHORD_MM, CHORD_RAD).vertices_mm
    return float(((surface - shaft.point_mm) @ shaft.direction).min())


def _rod(shaft: Shaft, length_mm: float, diameter_mm: float) -> TriangleMesh | None:
    """Return the part of a shaft that is seen between housing and hub."""
    if length_mm < SEEN_MM:
        return None
    foot = Plane(as_vector(shaft.point_mm), z_dir=as_vector(shaft.direction))
    return closed_mesh(Solid.make_cylinder(diameter_mm / 2, length_mm, foot), CHORD_MM, CHORD_RAD)

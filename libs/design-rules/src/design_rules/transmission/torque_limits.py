"""The torque that a motor's shaft and the teeth behind it bear: Lewis for every pair of wheels or wheel and rack."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from build_package.teeth.systems import ToothSystem, tooth_systems
from contracts.models.mechanism import Joint, Motor
from parts_catalog.motors import MOTORS
from parts_catalog.strength import shaft_torque_n_m, tooth_n

from design_rules.bodies.admissible_stress import admissible_mpa
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import SolidBody
from design_rules.transmission.meshes import ToothContact, gear_mesh, rack_mesh, seen_from
from design_rules.transmission.pinions import pinion_mesh
from design_rules.transmission.tooth_meshes import tooth_meshes

LEAST_WIDTH_MM = 0.01
"""Of teeth in mesh, which bear hardly anything."""


@dataclass(frozen=True)
class TorqueLimit:
    """What the weakest link behind a motor bears."""

    torque_n_m: float
    """Of the motor."""
    what: str


def torque_limit(system: MultibodySystem, motor: Motor) -> TorqueLimit:
    """Return the limit of a motor of a valid design."""
    sheet = MOTORS[system.bodies[motor.part].catalog_id or ""]
    shaft = TorqueLimit(shaft_torque_n_m(sheet.shaft_mm, sheet.shaft_mpa), f"its shaft of {sheet.shaft_mm:g} mm")
    systems = tooth_systems(tooth_meshes(system))
    limits = [shaft, *(_of_mesh(mesh, share, systems) for mesh, share in _meshes(system, motor))]
    return min(limits, key=lambda limit: limit.torque_n_m)


def _of_mesh(mesh: ToothContact, share: float, systems: Mapping[str, ToothSystem]) -> TorqueLimit:
    """Return the limit of a mesh whose first wheel bears `share` times the motor's torque."""
    sides = ((mesh.one.body, mesh.pitch_mm), (mesh.other, mesh.other_pitch_mm))
    forces = [(_tooth_n(body, pitch_mm, mesh, systems), body.label) for body, pitch_mm in sides]
    force_n, label = min(forces)
    return TorqueLimit(
        force_n * mesh.pitch_mm / 1000 / share, f"the teeth of {label}, {mesh.width_mm:.3g} mm wide in mesh"
    )


def _tooth_n(body: SolidBody, pitch_mm: float, mesh: ToothContact, systems: Mapping[str, ToothSystem]) -> float:
    system = systems.get(body.label)  # None: the design has drawn its teeth
    module_mm = mesh.depth_mm / 2 if system is None else system.module_mm
    teeth = inf if pitch_mm == inf else 2 * pitch_mm / module_mm
    return tooth_n(max(mesh.width_mm, LEAST_WIDTH_MM), module_mm, teeth, admissible_mpa(body))


def _meshes(system: MultibodySystem, motor: Motor) -> Iterator[tuple[ToothContact, float]]:
    """Yield every mesh behind a motor, with the torque of its first wheel over the motor's."""
    joints = {joint.label: joint for joint in system.whole_mechanism.joints}
    if motor.pinion is not None:
        yield pinion_mesh(system, motor, joints[motor.joint]), 1.0
    shares, queue = {motor.joint: 1.0}, deque([motor.joint])
    while queue:
        here = queue.popleft()
        for coupling in system.mechanism.couplings:
            if here not in (coupling.first, coupling.second):
                continue
            there = coupling.second if coupling.first == here else coupling.first
            mesh = _coupled(system, joints[here], joints[there])
            if there in shares or mesh is None:
                continue
            yield mesh, shares[here]
            if mesh.other_pitch_mm < inf:
                shares[there] = shares[here] * mesh.other_pitch_mm / mesh.pitch_mm
                queue.append(there)


def _coupled(system: MultibodySystem, here: Joint, there: Joint) -> ToothContact | None:
    """Return the mesh from one joint to another; None from a slide, whose force is not known as a torque."""
    if here.kind == "linear":
        return None
    group_of = system.groups.group_of
    (frame,) = {group_of(here.parent), group_of(here.child)} & {group_of(there.parent), group_of(there.child)}
    one, other = (seen_from(system, frame, joint) for joint in (here, there))
    return rack_mesh(one, other) if there.kind == "linear" else gear_mesh(one, other)

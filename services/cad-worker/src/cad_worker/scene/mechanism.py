"""From declared connections, joints and motors to what they bear and give."""

from math import dist

from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Joint, Mechanism
from contracts.models.scene import Drive, LoadedJoint, Weld
from parts_catalog.adhesive import ADHESIVE
from parts_catalog.hardware import bearing_of, fastener, mode_of
from parts_catalog.motors import MOTORS

from cad_worker.validation.distances import bond
from cad_worker.validation.rigid_groups import Machine

LABEL_CHARS = 27
"""Of either side, in the label of what joins them."""


def welds_of(machine: Machine) -> tuple[Weld, ...]:
    """Return all connections with what they hold."""
    return tuple(_weld(machine, number, each) for number, each in enumerate(machine.whole.connections, start=1))


def _weld(machine: Machine, number: int, connection: Connection) -> Weld:
    anchor, force_n, moment_n_m = (
        _fastened(connection) if connection.means == "fastened" else _glued(machine, connection)
    )
    return Weld(
        label=f"{connection.first[:LABEL_CHARS]}-to-{connection.second[:LABEL_CHARS]}-{number}",
        first=connection.first,
        second=connection.second,
        means=connection.means,
        anchor_mm=anchor,
        max_force_n=force_n,
        max_moment_n_m=moment_n_m,
    )


def _glued(machine: Machine, connection: Connection) -> tuple[Vector, float, float]:
    """Return middle, force and moment of a glued face: strength x area, and x the section modulus of a square of it."""
    made = bond(machine.bodies[connection.first], machine.bodies[connection.second])
    force_n = ADHESIVE.shear_mpa * made.area_mm2
    return made.center_mm, force_n, force_n * made.area_mm2**0.5 / 6 / 1000


def _fastened(connection: Connection) -> tuple[Vector, float, float]:
    """Return middle, force and moment of a set of screws.

    Each holds the lesser of its two strengths in any direction, at its distance from the middle of all; around itself,
    at half its diameter.
    """
    screw = fastener(connection.fastener_id or "")
    each_n, places = min(screw.tensile_n, screw.shear_n), connection.places_mm
    x, y, z = (sum(values) / len(places) for values in zip(*places, strict=True))
    arms_mm = (max(dist(place, (x, y, z)), screw.diameter_mm / 2) for place in places)
    return (x, y, z), each_n * len(places), each_n * sum(arms_mm) / 1000


def loaded_joints_of(machine: Machine) -> tuple[LoadedJoint, ...]:
    """Return all joints with what their bearings bear."""
    return tuple(_loaded(joint) for joint in machine.whole.joints)


def _loaded(joint: Joint) -> LoadedJoint:
    carrier = bearing_of(joint.kind, joint.bearing_id)
    return LoadedJoint(
        **dict(joint),
        friction_torque_n_m=carrier.friction_torque_n_m,
        friction_force_n=carrier.friction_force_n,
        max_force_n=carrier.max_force_n,
        max_moment_n_m=carrier.max_moment_n_m,
    )


def drives_of(machine: Machine) -> tuple[Drive, ...]:
    """Return all motors by their data sheets."""
    return tuple(
        Drive(
            label=motor.part,
            joint=motor.joint,
            mode=mode_of(motor.control),
            nominal_voltage_v=sheet.nominal_voltage_v,
            stall_torque_n_m=sheet.stall_torque_n_m,
            no_load_speed_rad_s=sheet.no_load_speed_rad_s,
            stall_current_a=sheet.stall_current_a,
            no_load_current_a=sheet.no_load_current_a,
            continuous_torque_n_m=sheet.continuous_torque_n_m,
            thermal_limit_s=sheet.thermal_limit_s,
            armature_kg_m2=sheet.armature_kg_m2,
            pinion_radius_mm=motor.pinion_radius_mm,
            control=motor.control,
        )
        for motor in machine.whole.motors
        for sheet in (MOTORS[machine.bodies[motor.part].catalog_id or ""],)
    )


def touching_pairs(mechanism: Mechanism) -> tuple[tuple[str, str], ...]:
    """Return pairs whose contact is meant: the sides of a joint, a motor and what sits on its shaft, meshing teeth."""
    joints = {joint.label: joint for joint in mechanism.joints}
    pairs = [(joint.parent, joint.child) for joint in mechanism.joints]
    for motor in mechanism.motors:
        driven = joints[motor.joint]
        pairs += [(motor.part, side) for side in (driven.parent, driven.child)]
    for coupling in mechanism.couplings:
        first, second = joints[coupling.first], joints[coupling.second]
        pairs += [(one, other) for one in (first.parent, first.child) for other in (second.parent, second.child)]
    return tuple(dict.fromkeys((one, other) for one, other in (sorted(pair) for pair in pairs) if one != other))

"""Joints and drives of a scene: ratings of bearings and motors, measured pinions, and what a servo can reach."""

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.mechanism import Joint, Motor, Range
from contracts.models.scene import Drive, LoadedJoint
from design_rules.bodies.multibody import MultibodySystem
from design_rules.transmission.guides import guide_length_mm, guide_middle_mm
from design_rules.transmission.pinions import driving_radius_mm, pinion_mesh
from design_rules.transmission.racks import outwards
from design_rules.transmission.servos import reachable_range
from design_rules.transmission.stops import max_stops
from design_rules.transmission.torque_limits import torque_limit
from geometry.arrays import as_vector
from parts_catalog.bearings import SLEEVE_MM, is_plain, on_shaft
from parts_catalog.datasheets import Bearing
from parts_catalog.hardware import bearing_of, mode_of
from parts_catalog.motors import MOTORS

SLIDES = ("linear", "cylindrical")


def loaded_joints(system: MultibodySystem) -> tuple[LoadedJoint, ...]:
    """Return all joints of a valid design. One that a servo drives stops where the servo's shaft does."""
    driven = {motor.joint: motor for motor in system.whole_mechanism.motors}
    return tuple(
        _loaded_joint(system, joint, _reachable(system, driven[joint.label], joint) if joint.label in driven else None)
        for joint in system.whole_mechanism.joints
    )


def _loaded_joint(system: MultibodySystem, joint: Joint, reachable: Range | None) -> LoadedJoint:
    bearing = bearing_of(joint.kind, joint.bearing_id)
    motor = next((each for each in system.mechanism.motors if each.joint == joint.label), None)
    if motor is not None and joint.kind == "revolute" and is_plain(bearing):
        bearing = on_shaft(bearing, MOTORS[system.bodies[motor.part].catalog_id or ""])
    name = "travel_range_mm" if joint.kind == "linear" else "angle_range_deg"
    own = joint.travel_range_mm if joint.kind == "linear" else joint.angle_range_deg
    return LoadedJoint(
        **dict(joint.model_copy(update={name: _within(own, reachable), "anchor_mm": _anchor_mm(system, joint)})),
        friction_torque_n_m=bearing.friction_torque_n_m,
        friction_force_n=bearing.friction_force_n,
        friction_coefficient=bearing.friction_coefficient,
        friction_radius_mm=bearing.friction_radius_mm,
        max_force_n=bearing.max_force_n,
        max_moment_n_m=_max_moment_n_m(system, joint, bearing),
        max_stops=max_stops(system, joint, motor) if joint in system.mechanism.joints else None,
    )


def _anchor_mm(system: MultibodySystem, joint: Joint) -> Vector:
    """Return the point at which a joint is loaded: of a slide, the middle of its guide along its axis."""
    if not _has_guide(system, joint):
        return joint.anchor_mm
    anchor, axis = np.array(joint.anchor_mm), np.array(joint.axis)
    middle_mm = guide_middle_mm(system.bodies[joint.parent], system.bodies[joint.child], joint)
    return as_vector(anchor + (middle_mm - anchor @ axis) * axis)


def _has_guide(system: MultibodySystem, joint: Joint) -> bool:
    """Tell whether a joint slides on a rail. The benchmark's own slides may have none."""
    is_own = joint in system.mechanism.joints and system.environment_mechanism is not None
    return joint.kind in SLIDES and is_own


def _max_moment_n_m(system: MultibodySystem, joint: Joint, bearing: Bearing) -> float | None:
    """Return the moment that a bearing holds: of a plain slide, a couple of forces on sleeves at its guide's ends."""
    parent, child = system.bodies[joint.parent], system.bodies[joint.child]
    if bearing.max_moment_n_m is None or not is_plain(bearing) or not _has_guide(system, joint):
        return bearing.max_moment_n_m
    arm_mm = guide_length_mm(parent, child, joint) - SLEEVE_MM
    return max(bearing.max_moment_n_m, bearing.max_force_n * arm_mm / 1000)


def _reachable(system: MultibodySystem, motor: Motor, joint: Joint) -> Range | None:
    sheet = MOTORS[system.bodies[motor.part].catalog_id or ""]
    return reachable_range(sheet, motor.control, driving_radius_mm(system, motor, joint))


def _within(own: Range | None, reachable: Range | None) -> Range | None:
    if own is None or reachable is None:
        return reachable if own is None else own
    return (max(own[0], reachable[0]), min(own[1], reachable[1]))


def drives_of(system: MultibodySystem) -> tuple[Drive, ...]:
    """Return all motors of a valid design. What those of the environment drive is not judged."""
    own = system.mechanism.motors if system.environment_mechanism is not None else ()
    joints = {joint.label: joint for joint in system.whole_mechanism.joints}
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
            max_torque_n_m=limit.torque_n_m if limit is not None else None,
            weakest=limit.what if limit is not None else "",
            armature_kg_m2=sheet.armature_kg_m2,
            pinion_radius_mm=driving_radius_mm(system, motor, joints[motor.joint]),
            contact_mm=_rack_contact_mm(system, motor, joints[motor.joint]) if motor in own else None,
            control=motor.control,
        )
        for motor in system.whole_mechanism.motors
        for sheet in (MOTORS[system.bodies[motor.part].catalog_id or ""],)
        for limit in (torque_limit(system, motor) if motor in own else None,)
    )


def _rack_contact_mm(system: MultibodySystem, motor: Motor, joint: Joint) -> Vector | None:
    """Return where the pinion of a motor touches its rack; None if it has none."""
    if joint.kind != "linear" or motor.pinion is None:
        return None
    contact = pinion_mesh(system, motor, joint)
    return as_vector(
        contact.one.center_mm + contact.pitch_mm * outwards(contact.one, contact.other, np.array(joint.axis))
    )

"""Pinions: the wheels on the shafts of motors that drive slides by a rack."""

from math import inf

import numpy as np
from contracts.criteria import SHAFT_MM
from contracts.models.mechanism import Joint, Motor
from geometry.arrays import FloatArray
from geometry.formatting import format_mm
from parts_catalog.datasheets import MotorSheet
from parts_catalog.motors import MOTORS

from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import Part, SolidBody
from design_rules.suggestions import suggestion
from design_rules.transmission.meshes import ToothContact, rack_width_mm
from design_rules.transmission.racks import Climb, NotARackError, rack_pitch_mm
from design_rules.transmission.shafts import Shaft, shafts_of
from design_rules.transmission.wheels import NotAWheelError, Wheel, wheel_on

NEAR_MM = 0.1
"""Rounding of a pinion that touches the housing."""
CALL = 'drive(motor, joint=..., control=..., pinion="pinion", rack="rack")'


class NoPinionError(ValueError):
    """A motor cannot drive a slide; the message continues after the motor's name."""


def driving_radius_mm(system: MultibodySystem, motor: Motor, joint: Joint) -> float | None:
    """Return the pitch radius by which a motor drives a slide, None on a joint that turns; raise `NoPinionError`.

    Of a design's motor it is measured, of a benchmark's own declared. Joint and motor must be sound otherwise.
    """
    if joint.kind != "linear":
        return None
    if system.environment_mechanism is not None and motor in system.mechanism.motors:
        return pinion_mesh(system, motor, joint).pitch_mm
    if motor.pinion_radius_mm is None:
        raise NoPinionError(f"drives {joint.label}, which slides; give pinion_radius_mm of the pinion on its shaft")
    return motor.pinion_radius_mm


def pinion_mesh(system: MultibodySystem, motor: Motor, joint: Joint) -> ToothContact:
    """Return the pinion of a design's motor on its rack; raise `NoPinionError`."""
    pinion, rack = _part(system, motor, "pinion", motor.pinion), _part(system, motor, "rack", motor.rack)
    carrier_is_child = system.groups.are_rigid(motor.part, joint.child)
    _require_sides(system, motor, pinion, rack, joint.parent if carrier_is_child else joint.child)
    sheet = MOTORS[system.bodies[motor.part].catalog_id or ""]
    wheel = _wheel_on_shaft(system, motor, pinion, sheet)
    if joint.travel_range_mm is None:
        raise NoPinionError(f"drives {joint.label}, whose travel has no limits; give it a linear_range")
    sign = 1.0 if carrier_is_child else -1.0
    climb = Climb(sign * np.array(joint.axis) / np.linalg.norm(joint.axis), joint.travel_range_mm)
    try:
        pitch_mm = rack_pitch_mm(wheel, rack, climb)
    except NotARackError as error:
        raise NoPinionError(f"drives {joint.label} by a rack: {rack.label} {error}") from error
    return ToothContact(wheel, rack, rack_width_mm(wheel, rack), pitch_mm, inf, climb=climb)


def _part(system: MultibodySystem, motor: Motor, role: str, label: str | None) -> SolidBody:
    if label is None:
        declared = "" if motor.pinion_radius_mm is None else f" of {motor.pinion_radius_mm:g} mm that is only a number"
        what = f"a {role}{declared}" if role == "pinion" else f"a {role}"
        raise NoPinionError(
            f"drives {motor.joint}, which slides, by {what}; model pinion and rack as parts and name both: {CALL}"
        )
    body = system.bodies.get(label)
    if body is None or not isinstance(body, Part):
        parts = [each.label for each in system.bodies.values() if isinstance(each, Part)]
        fix = suggestion(label, parts)
        raise NoPinionError(f"names the {role} {label!r}, which is not a part of the design; {fix}")
    return body


def _require_sides(system: MultibodySystem, motor: Motor, pinion: SolidBody, rack: SolidBody, other_side: str) -> None:
    """Raise `NoPinionError` unless the shaft alone holds the pinion, and the rack belongs to the other side."""
    whole = system.whole_mechanism
    held = [{each.first, each.second} - {pinion.label} for each in whole.connections]
    joined = [{each.parent, each.child} - {pinion.label} for each in whole.joints]
    others = sorted({label for pair in (*held, *joined) if len(pair) == 1 for label in pair} - {motor.part})
    if others:
        raise NoPinionError(
            f"has the pinion {pinion.label}, which is also connected to {', '.join(others)}; its shaft alone holds it: "
            "leave it out of bond_contacts, glue and joints"
        )
    if not system.groups.are_rigid(rack.label, other_side):
        raise NoPinionError(
            f"has the rack {rack.label}, which is not connected to {other_side}, the other side of {motor.joint}; bond "
            "or fasten it there"
        )


def _wheel_on_shaft(system: MultibodySystem, motor: Motor, pinion: SolidBody, sheet: MotorSheet) -> Wheel:
    """Return the pinion as a wheel on the motor's shaft; of a plain housing's possible shafts, the best one."""
    shafts = shafts_of(system.bodies[motor.part].solid, sheet.housing, pinion.bounds.center_mm)
    problems: list[str] = []
    for shaft in sorted(shafts, key=lambda each: _distance_mm(each, pinion)):
        try:
            wheel = wheel_on(pinion, shaft.point_mm, shaft.direction)
        except NotAWheelError as error:
            problems.append(str(error))
            continue
        reach_mm = float((wheel.center_mm - shaft.point_mm) @ shaft.direction) - wheel.half_width_mm
        if -NEAR_MM <= reach_mm <= SHAFT_MM:
            return wheel
        problems.append(
            f"is {format_mm(abs(reach_mm))} {'before' if reach_mm > 0 else 'behind'} the face that the shaft leaves, "
            f"at most {format_mm(SHAFT_MM)} before it is possible; move it to the shaft"
        )
    reason = problems[0] if problems else "has no shaft to sit on, since the housing is not the catalog's"
    raise NoPinionError(f"has the pinion {pinion.label}, which {reason}")


def _distance_mm(shaft: Shaft, pinion: SolidBody) -> float:
    center: FloatArray = np.array(pinion.bounds.center_mm)
    return float(np.linalg.norm(center - shaft.point_mm - SHAFT_MM / 2 * shaft.direction))

"""Stops: what ends a joint's range. Parts that meet there, or the small stop inside its bearing or servo."""

import numpy as np
from build123d import Axis, Location, Solid
from contracts.criteria import STOP_DEG, STOP_MM
from contracts.models.mechanism import Joint, Motor
from geometry.arrays import as_vector
from geometry.boxes import are_within
from parts_catalog.bearings import STOP_N, STOP_N_M
from parts_catalog.motors import MOTORS

from design_rules.bodies.distances import overlap
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import SolidBody
from design_rules.transmission.pinions import driving_radius_mm

MET_MM3 = 1.0
"""By so much more two parts overlap beyond the end of a range than at it, if they stop each other there."""
Stops = tuple[float | None, float | None]


def max_stops(system: MultibodySystem, joint: Joint, motor: Motor | None) -> Stops | None:
    """Return what both ends of a joint's range bear, N m or N; None for an end where parts meet, or no range.

    `motor` is the one that drives it.
    """
    limits = joint.travel_range_mm if joint.kind == "linear" else joint.angle_range_deg
    if limits is None or joint.kind not in {"revolute", "linear"}:
        return None
    built_in = max(STOP_N if joint.kind == "linear" else STOP_N_M, _servo_holds(system, joint, motor))
    low, high = (
        (None if _meet(system, joint, end, beyond) else built_in) for end, beyond in zip(limits, (-1, 1), strict=True)
    )
    return (low, high)


def _servo_holds(system: MultibodySystem, joint: Joint, motor: Motor | None) -> float:
    """Return the moment or force at which the gears of a servo hold a joint at an end of its range; 0 without one."""
    sheet = None if motor is None else MOTORS[system.bodies[motor.part].catalog_id or ""]
    if motor is None or sheet is None or not sheet.turns_in_range:
        return 0.0
    radius_mm = driving_radius_mm(system, motor, joint)
    return sheet.stall_torque_n_m if radius_mm is None else 1000 * sheet.stall_torque_n_m / radius_mm


def _meet(system: MultibodySystem, joint: Joint, end: float, beyond: int) -> bool:
    """Tell whether parts on the two sides of a joint would enter each other just beyond an end of its range."""
    group_of = system.groups.group_of
    moving = [body for label, body in system.bodies.items() if group_of(label) == group_of(joint.child)]
    others = [body for label, body in system.bodies.items() if group_of(label) == group_of(joint.parent)]
    step = beyond * (STOP_MM if joint.kind == "linear" else STOP_DEG)
    for body in moving:
        at_end, past_end = _moved(body, joint, end), _moved(body, joint, end + step)
        for other in others:
            if are_within(past_end.bounds, other.bounds, 0.0):
                grown_mm3 = _common_mm3(past_end, other) - _common_mm3(at_end, other)
                if grown_mm3 > MET_MM3:
                    return True
    return False


def _moved(body: SolidBody, joint: Joint, place: float) -> SolidBody:
    solid: Solid
    if joint.kind == "linear":
        solid = body.solid.moved(Location(as_vector(place * np.array(joint.axis))))
    else:
        solid = body.solid.rotate(Axis(joint.anchor_mm, joint.axis), place)
    return SolidBody(body.label, solid)


def _common_mm3(one: SolidBody, other: SolidBody) -> float:
    common = overlap(one, other)
    return 0.0 if common is None else common.volume_mm3

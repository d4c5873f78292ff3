"""Teeth that a design needs: the made parts that must have them, and how long their pitch lines are."""

from collections.abc import Sequence
from math import pi

import numpy as np
from contracts.models.mechanism import Joint, Mechanism

from design_rules.bodies.solid_bodies import Part
from design_rules.transmission.wheels import wheels_on


def pitch_lines_mm(parts: Sequence[Part], mechanism: Mechanism) -> dict[str, float]:
    """Return the length of teeth on each made wheel and rack, by label. Bought ones have theirs already.

    A wheel's is its circumference, a rack's the travel of its joint, at most its longest side.
    """
    made = {part.label: part for part in parts if part.catalog_id is None}
    joints = {joint.label: joint for joint in mechanism.joints}
    found: dict[str, float] = {}
    for motor in mechanism.motors:
        if motor.pinion in made:
            found[motor.pinion] = _circumference_mm(made[motor.pinion])
        if motor.rack in made:
            found[motor.rack] = _rack_mm(made[motor.rack], joints.get(motor.joint))
    for coupling in mechanism.couplings:
        for joint in (joints.get(coupling.first), joints.get(coupling.second)):
            if joint is not None:
                found |= _of_joint(made, joint)
    return found


def _of_joint(made: dict[str, Part], joint: Joint) -> dict[str, float]:
    """Return the teeth of a coupled joint: of the wheels on its axis, or of the part that slides."""
    if joint.kind == "linear":
        return {joint.child: _rack_mm(made[joint.child], joint)} if joint.child in made else {}
    if not any(joint.axis):
        return {}  # the joint has a finding of its own
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    wheels, _ = wheels_on(made, np.array(joint.anchor_mm), axis)
    return {wheel.body.label: 2 * pi * wheel.tip_mm for wheel in wheels}


def _circumference_mm(part: Part) -> float:
    return pi * max(part.bounds.size_mm)


def _rack_mm(part: Part, joint: Joint | None) -> float:
    longest = max(part.bounds.size_mm)
    if joint is None or joint.travel_range_mm is None:
        return longest
    low, high = joint.travel_range_mm
    return min(longest, high - low)

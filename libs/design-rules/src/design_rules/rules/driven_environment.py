"""Parts in the way of what the environment's motors move: a post in the path of its arm would be hit."""

from collections.abc import Iterator, Sequence
from math import ceil, dist

import numpy as np
from build123d import Axis, Location, Solid
from contracts.models.design import Finding
from contracts.models.mechanism import Constant, Control, Joint, Mechanism, Oscillation, Positions, Range, Steps
from geometry.arrays import as_vector
from geometry.formatting import format_point
from geometry.occt.distances import Intersection

from design_rules.bodies.distances import overlap
from design_rules.bodies.multibody import FIXED_GROUP, MultibodySystem
from design_rules.bodies.solid_bodies import Part, SolidBody
from design_rules.rules.contact import CONTACT_VOLUME_MM3
from design_rules.rules.joints import TURNS

STEP_MM = 3.0
"""How far the outermost point of a moving solid moves between two poses."""
MAX_POSES = 240
FULL_TURN_DEG = 360.0


def parts_in_the_way(parts: Sequence[Part], system: MultibodySystem, duration_s: float) -> list[Finding]:
    """Report fixed parts that a solid meets which the environment's motors move; other parts may give way."""
    fixed = [part for part in parts if system.groups.group_of(part.label) == FIXED_GROUP]
    theirs = system.environment_mechanism or Mechanism()
    findings: list[Finding] = []
    for joint, travel in _travels(theirs, duration_s) if fixed else ():
        for mover in _moving_bodies(system, joint):
            poses = [(place, _posed(mover, system, joint, place)) for place in _places(mover, joint, travel)]
            findings += [found for part in fixed if (found := _meeting(part, poses, joint)) is not None]
    return findings


def _travels(mechanism: Mechanism, duration_s: float) -> Iterator[tuple[Joint, Range]]:
    """Yield the joints that motors move, directly or by gears, with the range of their positions until the end."""
    joints = {joint.label: joint for joint in mechanism.joints}
    for motor in mechanism.motors:
        joint = joints[motor.joint]
        travel = _travel(motor.control, joint, duration_s)
        if travel is None:
            continue
        yield joint, travel
        for coupling in mechanism.couplings:
            if coupling.first == joint.label:
                ends = sorted(coupling.ratio * place for place in travel)
                yield joints[coupling.second], (ends[0], ends[-1])


def _travel(control: Control, joint: Joint, duration_s: float) -> Range | None:
    """Return the positions that a program reaches, in degrees or mm; None where only physics knows them."""
    limits = joint.angle_range_deg if joint.kind in TURNS else joint.travel_range_mm
    match control:
        case Oscillation():
            low, high = control.mean - control.amplitude, control.mean + control.amplitude
        case Positions():
            times_s, targets = (0.0, *control.times_s), (0.0, *control.targets)
            last = float(np.interp(duration_s, times_s, targets))
            reached = [each for time_s, each in zip(times_s, targets, strict=True) if time_s <= duration_s]
            low, high = min(*reached, last), max(*reached, last)
        case Constant(share=share):
            ends = limits or ((-FULL_TURN_DEG, FULL_TURN_DEG) if joint.kind in TURNS else (0.0, 0.0))
            low, high = (ends[0] if share < 0 else 0.0), (ends[1] if share > 0 else 0.0)
        case Steps(shares=shares):
            ends = limits or (0.0, 0.0)
            low, high = (ends[0] if min(shares) < 0 else 0.0), (ends[1] if max(shares) > 0 else 0.0)
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    return (low, high) if low < high else None


def _moving_bodies(system: MultibodySystem, joint: Joint) -> list[SolidBody]:
    """Return the bodies that are one with the side of a joint that moves."""
    group = system.groups.group_of(_moving_side(system, joint))
    return [body for label, body in system.bodies.items() if system.groups.group_of(label) == group != FIXED_GROUP]


def _moving_side(system: MultibodySystem, joint: Joint) -> str:
    is_child_fixed = system.groups.group_of(joint.child) == FIXED_GROUP
    return joint.parent if is_child_fixed else joint.child


def _places(mover: SolidBody, joint: Joint, travel: Range) -> list[float]:
    """Return positions over a travel, those near the start first."""
    low, high = travel
    length_mm = high - low
    if joint.kind in TURNS:
        corners = (mover.bounds.min_mm, mover.bounds.max_mm)
        reach_mm = max(dist(joint.anchor_mm, (x[0], y[1], z[2])) for x in corners for y in corners for z in corners)
        length_mm = np.radians(high - low) * reach_mm
    steps = min(MAX_POSES, max(1, ceil(length_mm / STEP_MM)))
    return sorted((float(place) for place in np.linspace(low, high, steps + 1)), key=abs)


def _posed(mover: SolidBody, system: MultibodySystem, joint: Joint, place: float) -> SolidBody:
    sign = 1.0 if _moving_side(system, joint) == joint.child else -1.0
    return SolidBody(mover.label, _moved(mover.solid, joint, sign * place))


def _moved(solid: Solid, joint: Joint, place: float) -> Solid:
    if joint.kind in TURNS:
        return solid.rotate(Axis(joint.anchor_mm, joint.axis), place)
    return solid.moved(Location(as_vector(place * np.array(joint.axis))))


def _meeting(part: Part, poses: Sequence[tuple[float, SolidBody]], joint: Joint) -> Finding | None:
    for place, body in poses:
        common = overlap(part, body)
        if common is not None and common.volume_mm3 > CONTACT_VOLUME_MM3:
            return _finding(part, body, joint, place, common)
    return None


def _finding(part: Part, mover: SolidBody, joint: Joint, place: float, common: Intersection) -> Finding:
    how = f"turned by {place:.0f} degrees" if joint.kind in TURNS else f"moved by {place:.0f} mm"
    detail = (
        f"{part.label} is in the way of {mover.label}, which a motor of the environment moves by its joint "
        f"{joint.label}: {how}, it meets {part.label} around {format_point(common.center_mm)}; move {part.label} out "
        f"of the path of {mover.label}"
    )
    return Finding(rule="environment_interference", label=part.label, detail=detail, place_mm=common.center_mm)

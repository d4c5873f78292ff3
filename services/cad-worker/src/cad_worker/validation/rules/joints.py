"""Rules for joints: two bodies that can move against each other, an axis where they are, limits that hold the pose."""

from collections import Counter
from math import hypot

from build123d import Solid
from contracts.models.design import Finding
from contracts.models.mechanism import Joint, Range
from geometry.formatting import format_mm, format_point
from geometry.occt.distances import signed_distance_mm
from parts_catalog.hardware.lookup import UnknownHardwareError, bearing_of

from cad_worker.validation.bodies import Block
from cad_worker.validation.distances import gap_mm
from cad_worker.validation.rigid_groups import Machine
from cad_worker.validation.suggestions import suggestion

FAR_MM = 25.0
"""From the anchor to either part: the radius of the largest bore that is believed."""
MAX_JOINTS = 200
TURNS = ("revolute", "cylindrical", "ball")
SLIDES = ("linear", "cylindrical")


def joint_findings(machine: Machine) -> list[Finding]:
    """Report joints that could not be built or could not move."""
    joints = machine.mechanism.joints
    if len(joints) > MAX_JOINTS:
        return [Finding(rule="invalid_joint", detail=f"{len(joints)} joints are declared, at most {MAX_JOINTS} can be")]
    counts = Counter(joint.label for joint in machine.whole.joints)
    repeated = [label for label in dict.fromkeys(joint.label for joint in joints) if counts[label] > 1]
    again = [_invalid(label, f"{counts[label]} joints are called {label}; name each differently") for label in repeated]
    return again + [_invalid(joint.label, problem) for joint in joints for problem in _problems(machine, joint)]


def _problems(machine: Machine, joint: Joint) -> list[str]:
    name = f"joint {joint.label} ({joint.kind}, {joint.parent} to {joint.child}) around {format_point(joint.anchor_mm)}"
    for label in (joint.parent, joint.child):
        if label not in machine.bodies:
            return [f"{name}: there is no {label!r}; {suggestion(label, machine.bodies)}"]
        if machine.refuses(label):
            return [f"{name}: nothing may be mounted on {label}; take another solid or stand free"]
    if machine.groups.same(joint.parent, joint.child):
        return [f"{name} cannot move: {_why_rigid(machine, joint)}; leave the connection or the joint out"]
    problems = [_bad_place(machine, joint), _bad_axis(joint), _bad_bearing(joint), *_bad_ranges(joint)]
    return [f"{name} {problem}" for problem in problems if problem is not None]


def _why_rigid(machine: Machine, joint: Joint) -> str:
    if joint.parent == joint.child:
        return "both its sides are one part"
    fixed = machine.groups.of(joint.parent) == ""
    return f"{joint.parent} and {joint.child} {'never move' if fixed else 'are made one by connections'}"


def _bad_place(machine: Machine, joint: Joint) -> str | None:
    """Of a design, both parts reach the anchor: what hangs on a joint in mid-air floats. A benchmark's may do so."""
    away_mm = {label: _distance_mm(machine.bodies[label], joint) for label in (joint.parent, joint.child)}
    if min(away_mm.values()) > FAR_MM:
        return (
            f"is {format_mm(min(away_mm.values()))} away from both parts, at most {format_mm(FAR_MM)} is believed; put it where a "
            "pin or a rail would be"
        )
    far = max(away_mm, key=lambda label: away_mm[label])
    if machine.surroundings is None or away_mm[far] <= FAR_MM or _slides_along(machine, joint):
        return None
    return (
        f"is {format_mm(away_mm[far])} away from {far}, at most {format_mm(FAR_MM)} is believed; nothing there could carry it: let "
        f"{far} reach it, or add a part that does"
    )


def _slides_along(machine: Machine, joint: Joint) -> bool:
    """Tell whether a joint slides and its parts are near each other: its anchor may be at the far end of a rail."""
    parent, child = machine.bodies[joint.parent], machine.bodies[joint.child]
    return joint.kind in SLIDES and gap_mm(parent, child) <= FAR_MM


def _distance_mm(body: Block, joint: Joint) -> float:
    solid: Solid = body.solid
    return max(0.0, signed_distance_mm(solid, joint.anchor_mm))


def _bad_axis(joint: Joint) -> str | None:
    length = hypot(*joint.axis)
    return None if abs(length - 1) < 1e-3 else f"has an axis of length {length:.3g}, which must be 1"


def _bad_bearing(joint: Joint) -> str | None:
    try:
        carrier = bearing_of(joint.kind, joint.bearing_id)
    except UnknownHardwareError as error:
        return f"has an unknown bearing: {error}"
    if joint.kind not in carrier.kinds:
        return f"cannot be carried by {carrier.id}, which is for {' and '.join(carrier.kinds)} joints; leave it out"
    return None


def _bad_ranges(joint: Joint) -> list[str | None]:
    return [
        _bad_range(joint, joint.angle_range_deg, "turn", "°", TURNS),
        _bad_range(joint, joint.travel_range_mm, "slide", " mm", SLIDES),
    ]


def _bad_range(joint: Joint, limits: Range | None, what: str, unit: str, kinds: tuple[str, ...]) -> str | None:
    if limits is None:
        return None
    low, high = limits
    if joint.kind not in kinds:
        return f"has limits for how far it may {what}, which it never does; leave them out"
    if low >= high:
        return f"may {what} from {low:g} to {high:g}{unit}: nothing; give the lower limit first"
    beyond = max(low, -high, 0.0)
    if beyond > 0:
        return (
            f"may {what} from {low:g} to {high:g}{unit} and stands at 0, {beyond:g}{unit} beyond; limits count from "
            "the pose in which the parts are handed over"
        )
    return None


def _invalid(label: str, detail: str) -> Finding:
    return Finding(rule="invalid_joint", label=label, detail=detail)

"""Rules for joints: two bodies that can move, an axis near them, limits around the pose, and no loops."""

from collections import Counter, deque
from math import hypot

from contracts.criteria import JOINT_REACH_MM
from contracts.models.design import Finding
from contracts.models.mechanism import Joint, Range
from geometry.formatting import format_mm, format_point
from geometry.occt.distances import signed_distance_mm
from parts_catalog.hardware import UnknownHardwareError, bearing_of

from design_rules.bodies.distances import gap_mm
from design_rules.bodies.multibody import FIXED_GROUP, MultibodySystem
from design_rules.bodies.solid_bodies import SolidBody
from design_rules.suggestions import suggestion
from design_rules.transmission.guides import unguided

MAX_JOINTS = 200
TURNS = ("revolute", "cylindrical", "ball")
SLIDES = ("linear", "cylindrical")

JointGraph = dict[str, dict[str, Joint]]
"""From group to neighbouring group, and the joint between."""


def joint_findings(system: MultibodySystem) -> list[Finding]:
    """Report joints that could not be built or could not move."""
    joints = system.mechanism.joints
    if len(joints) > MAX_JOINTS:
        detail = f"the design has {len(joints)} joints, the maximum is {MAX_JOINTS}"
        return [Finding(rule="invalid_joint", detail=detail)]
    counts = Counter(joint.label for joint in system.whole_mechanism.joints)
    repeated = [label for label in dict.fromkeys(joint.label for joint in joints) if counts[label] > 1]
    duplicates = [
        _invalid(label, f"{counts[label]} joints have the label {label}; label each differently") for label in repeated
    ]
    return duplicates + [_invalid(joint.label, problem) for joint in joints for problem in _problems(system, joint)]


def _problems(system: MultibodySystem, joint: Joint) -> list[str]:
    name = f"joint {joint.label} ({joint.kind}, {joint.parent} to {joint.child}) around {format_point(joint.anchor_mm)}"
    for label in (joint.parent, joint.child):
        if label not in system.bodies:
            return [f"{name}: there is no {label!r}; {suggestion(label, system.bodies)}"]
        if system.forbids_mounting_on(label):
            return [f"{name}: the benchmark forbids mounting on {label}; use another solid, or let it stand free"]
    if system.groups.are_rigid(joint.parent, joint.child):
        return [f"{name} cannot move: {_why_rigid(system, joint)}; leave the connection or the joint out"]
    problems = [_far_anchor(system, joint), _bad_axis(joint), _bad_bearing(joint), *_bad_ranges(joint)]
    found = [problem for problem in problems if problem is not None] or _without_guide(system, joint)
    return [f"{name} {problem}" for problem in found]


def _without_guide(system: MultibodySystem, joint: Joint) -> list[str]:
    """In a design, what slides has a rail all the way. A benchmark's own slides may have none."""
    if system.environment_mechanism is None or joint.kind not in SLIDES:
        return []
    problem = unguided(system.bodies[joint.parent], system.bodies[joint.child], joint)
    return [] if problem is None else [problem]


def _why_rigid(system: MultibodySystem, joint: Joint) -> str:
    if joint.parent == joint.child:
        return "both sides are the same part"
    is_fixed = system.groups.group_of(joint.parent) == FIXED_GROUP
    return f"{joint.parent} and {joint.child} {'never move' if is_fixed else 'are connected rigidly'}"


def _far_anchor(system: MultibodySystem, joint: Joint) -> str | None:
    """In a design, both parts reach the anchor: a part on a joint in mid-air floats. A benchmark's may do so."""
    away_mm = {label: _distance_mm(system.bodies[label], joint) for label in (joint.parent, joint.child)}
    if min(away_mm.values()) > JOINT_REACH_MM:
        return (
            f"is {format_mm(min(away_mm.values()))} away from both parts, the maximum is {format_mm(JOINT_REACH_MM)}; "
            "put it where a pin or a rail would be"
        )
    far = max(away_mm, key=lambda label: away_mm[label])
    if system.environment_mechanism is None or away_mm[far] <= JOINT_REACH_MM or _slides_along(system, joint):
        return None
    return (
        f"is {format_mm(away_mm[far])} away from {far}, the maximum is {format_mm(JOINT_REACH_MM)}, so that nothing "
        f"could carry it; let {far} reach it, or add a part that does"
    )


def _slides_along(system: MultibodySystem, joint: Joint) -> bool:
    """Tell whether a joint slides and its parts are near each other: its anchor may be at the far end of a rail."""
    parent, child = system.bodies[joint.parent], system.bodies[joint.child]
    return joint.kind in SLIDES and gap_mm(parent, child) <= JOINT_REACH_MM


def _distance_mm(body: SolidBody, joint: Joint) -> float:
    return max(0.0, signed_distance_mm(body.solid, joint.anchor_mm))


def _bad_axis(joint: Joint) -> str | None:
    length = hypot(*joint.axis)
    return None if abs(length - 1) < 1e-3 else f"has an axis of length {length:.3g}, which must be 1"


def _bad_bearing(joint: Joint) -> str | None:
    try:
        bearing = bearing_of(joint.kind, joint.bearing_id)
    except UnknownHardwareError as error:
        return f"has an unknown bearing: {error}"
    if joint.kind not in bearing.kinds:
        return f"cannot use the bearing {bearing.id}, which is for {' and '.join(bearing.kinds)} joints; leave it out"
    return None


def _bad_ranges(joint: Joint) -> list[str | None]:
    return [
        _bad_range(joint, joint.angle_range_deg, "turn", "°", TURNS),
        _bad_range(joint, joint.travel_range_mm, "slide", " mm", SLIDES),
    ]


def _bad_range(joint: Joint, limits: Range | None, motion: str, unit: str, kinds: tuple[str, ...]) -> str | None:
    if limits is None:
        return None
    low, high = limits
    if joint.kind not in kinds:
        return f"has limits to how far it may {motion}, but cannot {motion}; leave them out"
    if low >= high:
        return f"may {motion} from {low:g} to {high:g}{unit}, which is empty; give the lower limit first"
    beyond = max(low, -high, 0.0)
    if beyond > 0:
        return (
            f"may {motion} from {low:g} to {high:g}{unit} but starts at 0, {beyond:g}{unit} outside; limits are "
            "relative to the pose in which the parts are submitted"
        )
    return None


def _invalid(label: str, detail: str) -> Finding:
    return Finding(rule="invalid_joint", label=label, detail=detail)


def loop_findings(system: MultibodySystem) -> list[Finding]:
    """Report joints that join two groups a second time or close a loop. Joints within one group have other findings."""
    graph: JointGraph = {}
    findings: list[Finding] = []
    own = {id(joint) for joint in system.mechanism.joints}
    for joint in system.whole_mechanism.joints:
        one, other = system.groups.group_of(joint.parent), system.groups.group_of(joint.child)
        is_known = joint.parent in system.bodies and joint.child in system.bodies
        if one == other or not is_known:
            continue
        path = _path(graph, one, other)
        if not path:
            graph.setdefault(one, {})[other] = graph.setdefault(other, {})[one] = joint
        elif id(joint) in own:
            findings.append(_loop(joint, path, _group_name(one), _group_name(other)))
    return findings


def _path(graph: JointGraph, start: str, end: str) -> list[Joint]:
    """Return the joints between two groups in a graph without loops; none if they are not joined."""
    reached: dict[str, list[Joint]] = {start: []}
    queue = deque([start])
    while queue and end not in reached:
        here = queue.popleft()
        for neighbour, joint in graph.get(here, {}).items():
            if neighbour not in reached:
                reached[neighbour] = [*reached[here], joint]
                queue.append(neighbour)
    return reached.get(end, [])


def _loop(joint: Joint, path: list[Joint], one: str, other: str) -> Finding:
    name = f"joint {joint.label} around {format_point(joint.anchor_mm)}"
    if len(path) == 1:
        detail = (
            f"{name} joins {one} and {other}, which joint {path[0].label} joins already; keep one of the two: its "
            "bearing carries all directions but its own"
        )
    else:
        loop = " - ".join([*(each.label for each in path), joint.label])
        detail = (
            f"{name} closes a loop of {len(path) + 1} joints ({loop}) between {one} and {other}, which cannot be "
            "simulated; leave one joint out, or couple its motion by gears or a rack"
        )
    return Finding(rule="over_constrained", label=joint.label, detail=detail)


def _group_name(group: str) -> str:
    return "the ground" if group == FIXED_GROUP else group

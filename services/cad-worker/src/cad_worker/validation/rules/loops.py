"""The rule against too many joints: from body to body there is one way, or the pose is asked for twice."""

from collections import deque

from contracts.models.design import Finding
from contracts.models.mechanism import Joint
from geometry.formatting import format_point

from cad_worker.validation.rigid_groups import GROUND, Machine

Ways = dict[str, dict[str, Joint]]
"""From group to neighbouring group, and the joint between."""


def loop_findings(machine: Machine) -> list[Finding]:
    """Report joints that join two bodies a second time or close a ring. Those between bodies that are one say so."""
    ways: Ways = {}
    found: list[Finding] = []
    own = {id(joint) for joint in machine.mechanism.joints}
    for joint in machine.whole.joints:
        one, other = machine.groups.of(joint.parent), machine.groups.of(joint.child)
        known = joint.parent in machine.bodies and joint.child in machine.bodies
        if one == other or not known:
            continue
        way = _way(ways, one, other)
        if not way:
            ways.setdefault(one, {})[other] = ways.setdefault(other, {})[one] = joint
        elif id(joint) in own:
            found.append(_finding(joint, way, _name(one), _name(other)))
    return found


def _way(ways: Ways, start: str, end: str) -> list[Joint]:
    """Return the joints on the way between two groups; none if there is no way. There is never a second one."""
    reached: dict[str, list[Joint]] = {start: []}
    waiting = deque([start])
    while waiting and end not in reached:
        here = waiting.popleft()
        for neighbour, joint in ways.get(here, {}).items():
            if neighbour not in reached:
                reached[neighbour] = [*reached[here], joint]
                waiting.append(neighbour)
    return reached.get(end, [])


def _finding(joint: Joint, way: list[Joint], one: str, other: str) -> Finding:
    where = f"around {format_point(joint.anchor_mm)}"
    if len(way) == 1:
        detail = (
            f"joint {joint.label} {where} joins {one} and {other}, which joint {way[0].label} joins already; keep one "
            "of the two: its bearing carries all directions but its own"
        )
    else:
        ring = " - ".join([*(each.label for each in way), joint.label])
        detail = (
            f"joint {joint.label} {where} closes a ring of {len(way) + 1} joints ({ring}) between {one} and {other}; "
            "rings cannot be simulated yet: leave one joint out, or couple its motion by gears or a rack"
        )
    return Finding(rule="over_constrained", label=joint.label, detail=detail)


def _name(group: str) -> str:
    return "the ground" if group == GROUND else group

"""Sub-assemblies of a machine: the parts that move as one, each group in the one that carries it."""

from collections.abc import Collection
from dataclasses import dataclass

from build_package.robot.links import WORLD, Robot

FRAME = "frame"
"""What never moves."""


@dataclass(frozen=True)
class PartGroup:
    """Parts that move as one."""

    name: str
    labels: tuple[str, ...]
    carried: tuple["PartGroup", ...]
    """What moves on it."""


def part_groups(robot: Robot, labels: Collection[str]) -> tuple[PartGroup, ...]:
    """Return the frame, with what moves on it, and what nothing holds; a group is called as the joint that carries it.

    `labels`: the parts that belong to the machine.
    """
    group_of, members, carrier = {WORLD: FRAME}, {FRAME: list[str]()}, {FRAME: ""}
    for joint in robot.joints:
        parent, child = group_of[joint.parent.name], joint.child
        is_new = joint.kind != "fixed" and child.body is not None
        group_of[child.name] = group = joint.name if is_new else parent
        if is_new:
            members[group], carrier[group] = [], "" if joint.kind == "floating" else parent
        if child.name in labels:
            members[group].append(child.name)

    def carried_by(name: str) -> tuple[PartGroup, ...]:
        groups = (PartGroup(each, tuple(members[each]), carried_by(each)) for each, on in carrier.items() if on == name)
        return tuple(group for group in groups if group.labels or group.carried)

    return carried_by("")

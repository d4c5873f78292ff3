"""The kinematic tree that MuJoCo needs, found from the welds and joints of a scene."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from contracts.models.scene import Body, LoadedJoint, Scene, Weld

from sim_worker.rejection import SceneRejectedError

WORLD = ""
"""The group of everything that cannot move; no label is empty."""
Link = Weld | LoadedJoint


@dataclass
class DisjointSets:
    """Disjoint sets of labels (union-find)."""

    leaders: dict[str, str] = field(default_factory=dict[str, str])

    def find(self, label: str) -> str:
        """Return the label that represents the set of a label."""
        leader = self.leaders.setdefault(label, label)
        if leader != label:
            leader = self.leaders[label] = self.find(leader)
        return leader

    def unite(self, first: str, second: str) -> bool:
        """Unite two sets; return whether they were separate. `WORLD` always represents its set."""
        first, second = self.find(first), self.find(second)
        if WORLD in (first, second):
            first, second = (second, first) if first == WORLD else (first, second)
        self.leaders[first] = second
        return first != second


@dataclass(frozen=True)
class WeldGroups:
    """Groups of bodies that are rigidly joined by the welds of a scene."""

    sets: DisjointSets
    spanning: tuple[Weld, ...]
    """The welds of a spanning tree of each group."""

    def of(self, label: str) -> str:
        """Return the group of a body; `WORLD` if it cannot move."""
        return self.sets.find(label)

    @classmethod
    def of_scene(cls, scene: Scene) -> "WeldGroups":
        """Return the groups of a scene.

        A group with redundant welds is statically indeterminate: how they share the load depends on stiffness, which
        rigid bodies do not have. MuJoCo measures the strongest welds, along a spanning tree; `weld_shares` distributes
        what those bear among all welds.
        """
        sets = DisjointSets()
        for body in scene.bodies:
            sets.find(body.label)
            if body.mass is None:
                sets.unite(body.label, WORLD)
        _reject_unknown_labels(scene)
        strongest_first = sorted(scene.welds, key=_strength, reverse=True)
        return cls(sets, tuple(weld for weld in strongest_first if sets.unite(weld.first, weld.second)))


@dataclass(frozen=True)
class Node:
    """A body and the link to its parent."""

    body: Body
    parent: str | None = None
    """Label of the parent body; None for a root."""
    link: Link | None = None
    """None for a root, which is fixed if it has no mass and free otherwise."""


@dataclass(frozen=True)
class KinematicTree:
    """All bodies of a scene; parents come before their children."""

    nodes: tuple[Node, ...]
    groups: WeldGroups

    def moves(self, body: Body) -> bool:
        """Return whether a body can move: it is free or depends on a joint, directly or not."""
        return self.groups.of(body.label) != WORLD

    @classmethod
    def of(cls, scene: Scene) -> "KinematicTree":
        """Return the tree of a scene; raise `SceneRejectedError` where joints make a loop."""
        groups = WeldGroups.of_scene(scene)
        reject_loops(scene, groups)
        fixed = [body for body in scene.bodies if body.mass is None]
        children = {groups.of(joint.child) for joint in scene.joints}
        leading = [body for body in scene.bodies if groups.of(body.label) not in children]
        nodes: dict[str, Node] = {}
        _grow(nodes, [Node(body) for body in fixed], scene, groups)
        for body in (*leading, *scene.bodies):
            if body.label not in nodes:
                _grow(nodes, [Node(body)], scene, groups)
        return cls(tuple(nodes.values()), groups)


def _grow(nodes: dict[str, Node], roots: list[Node], scene: Scene, groups: WeldGroups) -> None:
    """Add the roots and all their descendants, breadth first."""
    bodies = {body.label: body for body in scene.bodies}
    links: list[tuple[str, str, Link]] = [(weld.first, weld.second, weld) for weld in groups.spanning]
    links += [(joint.parent, joint.child, joint) for joint in scene.joints]
    queue = deque(roots)
    nodes.update((root.body.label, root) for root in roots)
    while queue:
        parent = queue.popleft().body.label
        for first, second, link in links:
            other = second if first == parent else first
            if parent in (first, second) and other not in nodes:
                nodes[other] = Node(bodies[other], parent, link)
                queue.append(nodes[other])


def reject_loops(scene: Scene, groups: WeldGroups) -> None:
    """Raise `SceneRejectedError` for a joint that closes a loop, or joins bodies of one group."""
    united = DisjointSets(dict(groups.sets.leaders))
    open_chain: list[LoadedJoint] = []
    for joint in scene.joints:
        if groups.of(joint.parent) == groups.of(joint.child):
            raise SceneRejectedError(
                "scene_invalid",
                f"joint {joint.label} cannot move: {joint.parent} and {joint.child} are rigidly joined; "
                "remove the joint, or the connections between them",
            )
        if not united.unite(joint.parent, joint.child):
            loop = [*_connecting_joints(open_chain, groups, joint), joint.label]
            raise SceneRejectedError(
                "scene_invalid",
                f"the joints {', '.join(loop)} make a closed loop, which is over-constrained; leave one of them out",
            )
        open_chain.append(joint)


def _connecting_joints(joints: list[LoadedJoint], groups: WeldGroups, closing: LoadedJoint) -> list[str]:
    """Return the joints that already connect both sides of a joint."""
    start, end = groups.of(closing.parent), groups.of(closing.child)
    paths: dict[str, list[str]] = {start: []}
    queue = deque([start])
    while end not in paths:
        here = queue.popleft()
        for joint in joints:
            sides = (groups.of(joint.parent), groups.of(joint.child))
            other = sides[1] if sides[0] == here else sides[0]
            if here in sides and other not in paths:
                paths[other] = [*paths[here], joint.label]
                queue.append(other)
    return paths[end]


def _strength(weld: Weld) -> float:
    return inf if weld.max_force_n is None else weld.max_force_n


def _reject_unknown_labels(scene: Scene) -> None:
    bodies = {body.label for body in scene.bodies}
    joints = {joint.label for joint in scene.joints}
    _reject_unknown(bodies, ((f"weld {weld.label}", (weld.first, weld.second)) for weld in scene.welds), "body")
    _reject_unknown(bodies, ((f"joint {joint.label}", (joint.parent, joint.child)) for joint in scene.joints), "body")
    _reject_unknown(bodies, (("touching", pair) for pair in scene.touching), "body")
    _reject_unknown(joints, ((f"motor {drive.label}", (drive.joint,)) for drive in scene.drives), "joint")
    _reject_unknown(joints, ((f"the {pair.kind}", (pair.first, pair.second)) for pair in scene.couplings), "joint")


def _reject_unknown(known: set[str], references: Iterable[tuple[str, tuple[str, ...]]], kind: str) -> None:
    for source, labels in references:
        for label in labels:
            if label not in known:
                raise SceneRejectedError("scene_invalid", f"{source} names {label!r}, but there is no such {kind}")

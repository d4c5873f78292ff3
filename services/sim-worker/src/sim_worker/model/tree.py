"""How bodies hang on each other: the kinematic tree that MuJoCo needs, found from welds and joints."""

from collections import deque
from dataclasses import dataclass

from contracts.models.scene import Body, LoadedJoint, Scene, Weld

from sim_worker.model.groups import WORLD, Groups, Sets
from sim_worker.rejection import SceneRejectedError

Link = Weld | LoadedJoint


@dataclass(frozen=True)
class Node:
    """A body and what it hangs on."""

    body: Body
    parent: str | None = None
    """Label of the body it hangs on; None: the world itself."""
    link: Link | None = None
    """What holds it there; None of a root: it is fixed if it has no mass, else free."""


@dataclass(frozen=True)
class Tree:
    """All bodies of a scene; parents come before what hangs on them."""

    nodes: tuple[Node, ...]
    groups: Groups

    def moves(self, body: Body) -> bool:
        """Tell whether a body is free or hangs on a joint, directly or not."""
        return self.groups.of(body.label) != WORLD

    @classmethod
    def of(cls, scene: Scene) -> "Tree":
        """Return the tree of a scene; raise `SceneRejectedError` where joints make a loop."""
        groups = Groups.of_scene(scene)
        refuse_loops(scene, groups)
        fixed = [body for body in scene.bodies if body.mass is None]
        children = {groups.of(joint.child) for joint in scene.joints}
        leading = [body for body in scene.bodies if groups.of(body.label) not in children]
        nodes: dict[str, Node] = {}
        _grow(nodes, [Node(body) for body in fixed], scene, groups)
        for body in (*leading, *scene.bodies):
            if body.label not in nodes:
                _grow(nodes, [Node(body)], scene, groups)
        return cls(tuple(nodes.values()), groups)


def _grow(nodes: dict[str, Node], roots: list[Node], scene: Scene, groups: Groups) -> None:
    """Add the roots and everything that hangs on them, nearest first."""
    bodies = {body.label: body for body in scene.bodies}
    links: list[tuple[str, str, Link]] = [(weld.first, weld.second, weld) for weld in groups.bearing]
    links += [(joint.parent, joint.child, joint) for joint in scene.joints]
    queue = deque(roots)
    nodes.update((root.body.label, root) for root in roots)
    while queue:
        here = queue.popleft().body.label
        for first, second, link in links:
            there = second if first == here else first
            if here in (first, second) and there not in nodes:
                nodes[there] = Node(bodies[there], here, link)
                queue.append(nodes[there])


def refuse_loops(scene: Scene, groups: Groups) -> None:
    """Raise `SceneRejectedError` where a joint closes a loop, or binds what is rigidly one."""
    united = Sets(dict(groups.sets.leaders))
    open_chain: list[LoadedJoint] = []
    for joint in scene.joints:
        if groups.of(joint.parent) == groups.of(joint.child):
            raise SceneRejectedError(
                "scene_invalid",
                f"joint {joint.label} cannot move: {joint.parent} and {joint.child} are rigidly joined; "
                "take away the joint, or what fastens them",
            )
        if not united.unite(joint.parent, joint.child):
            loop = [*_way(open_chain, groups, joint), joint.label]
            raise SceneRejectedError(
                "scene_invalid",
                f"the joints {', '.join(loop)} make a closed loop, which is over-constrained; leave one of them out",
            )
        open_chain.append(joint)


def _way(joints: list[LoadedJoint], groups: Groups, closing: LoadedJoint) -> list[str]:
    """Return the joints that already connect both sides of a joint."""
    start, end = groups.of(closing.parent), groups.of(closing.child)
    ways: dict[str, list[str]] = {start: []}
    queue = deque([start])
    while end not in ways:
        here = queue.popleft()
        for joint in joints:
            sides = (groups.of(joint.parent), groups.of(joint.child))
            there = sides[1] if sides[0] == here else sides[0]
            if here in sides and there not in ways:
                ways[there] = [*ways[here], joint.label]
                queue.append(there)
    return ways[end]

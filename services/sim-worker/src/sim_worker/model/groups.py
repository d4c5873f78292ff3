"""Which bodies are rigidly one, by the welds between them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from contracts.models.scene import Scene, Weld

from sim_worker.rejection import SceneRejectedError

WORLD = ""
"""The group of everything that nothing moves; no label is empty."""


@dataclass
class Sets:
    """Disjoint sets of labels that only ever grow together."""

    leaders: dict[str, str] = field(default_factory=dict[str, str])

    def find(self, label: str) -> str:
        """Return the label that stands for the set of a label."""
        leader = self.leaders.setdefault(label, label)
        if leader != label:
            leader = self.leaders[label] = self.find(leader)
        return leader

    def unite(self, first: str, second: str) -> bool:
        """Make two sets one; tell whether they were two."""
        first, second = self.find(first), self.find(second)
        if WORLD in (first, second):
            first, second = (second, first) if first == WORLD else (first, second)
        self.leaders[first] = second
        return first != second


@dataclass(frozen=True)
class Groups:
    """The rigid groups of a scene."""

    sets: Sets
    bearing: tuple[Weld, ...]
    """The welds that hold the groups together without any loop."""

    def of(self, label: str) -> str:
        """Return the group of a body; `WORLD` where nothing moves it."""
        return self.sets.find(label)

    @classmethod
    def of_scene(cls, scene: Scene) -> "Groups":
        """Return the groups of a scene.

        A group that is held more often than it needs to be is statically indeterminate: how its welds share the load
        depends on stiffness, which rigid bodies do not have. We let the strongest bear, along a spanning tree; those
        left out bear nothing. That is one of the distributions in equilibrium, and by the lower-bound theorem of
        plasticity a structure of ductile joints holds if any one of them stays within the limits.
        """
        sets = Sets()
        for body in scene.bodies:
            sets.find(body.label)
            if body.mass is None:
                sets.unite(body.label, WORLD)
        _refuse_strangers(scene)
        strongest_first = sorted(scene.welds, key=_strength, reverse=True)
        return cls(sets, tuple(weld for weld in strongest_first if sets.unite(weld.first, weld.second)))


def _strength(weld: Weld) -> float:
    return inf if weld.max_force_n is None else weld.max_force_n


def _refuse_strangers(scene: Scene) -> None:
    known = {body.label for body in scene.bodies}
    joints = {joint.label for joint in scene.joints}
    _refuse_unknown(known, ((f"weld {weld.label}", (weld.first, weld.second)) for weld in scene.welds), "body")
    _refuse_unknown(known, ((f"joint {joint.label}", (joint.parent, joint.child)) for joint in scene.joints), "body")
    _refuse_unknown(known, (("touching", pair) for pair in scene.touching), "body")
    _refuse_unknown(joints, ((f"motor {drive.label}", (drive.joint,)) for drive in scene.drives), "joint")
    _refuse_unknown(joints, ((f"the {pair.kind}", (pair.first, pair.second)) for pair in scene.couplings), "joint")


def _refuse_unknown(known: set[str], uses: Iterable[tuple[str, tuple[str, ...]]], what: str) -> None:
    for user, labels in uses:
        for label in labels:
            if label not in known:
                raise SceneRejectedError("scene_invalid", f"{user} names {label!r}, but there is no such {what}")

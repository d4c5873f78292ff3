"""The bodies of a model, hung on each other as the tree says."""

from dataclasses import dataclass, field

import numpy as np
from contracts.models.scene import LoadedJoint, Scene, Weld

from sim_worker.model.contacts import touches
from sim_worker.model.geometry import Shaper
from sim_worker.model.inertia import refuse_impossible_mass
from sim_worker.model.joints import Bearer
from sim_worker.model.layers import COLLISION_GROUP
from sim_worker.model.tree import Node, Tree
from sim_worker.mujoco_api import MjsBody, MjSpec, mujoco
from sim_worker.names import body_name, joint_name, weld_name
from sim_worker.units import Floats, metres_of


@dataclass(frozen=True)
class _Placed:
    added: MjsBody
    origin_mm: Floats


@dataclass
class BodyBuilder:
    """Adds the bodies of a scene. Every frame is unturned at first; that of a body with mass stands in its centre."""

    spec: MjSpec
    shaper: Shaper
    bearer: Bearer
    placed: dict[str, _Placed] = field(default_factory=dict[str, _Placed])

    def add(self, scene: Scene, tree: Tree) -> None:
        """Add all bodies, and forbid the contacts that the scene means to be."""
        copies = touches(tree)
        for node in tree.nodes:
            placed = self._place(node)
            self.shaper.shape(placed.added, node.body, placed.origin_mm, copies[node.body.label])
            self._hang(node, placed)
        names = {body.label: body_name(body.origin, body.label) for body in scene.bodies}
        for first, second in sorted({(min(pair), max(pair)) for pair in scene.touching}):
            self.spec.add_exclude(bodyname1=names[first], bodyname2=names[second])

    def _place(self, node: Node) -> _Placed:
        mass = node.body.mass
        origin_mm = np.zeros(3) if mass is None else np.array(mass.center_mm)
        above = _Placed(self.spec.worldbody, np.zeros(3)) if node.parent is None else self.placed[node.parent]
        added = above.added.add_body(
            name=body_name(node.body.origin, node.body.label), pos=list(metres_of(origin_mm - above.origin_mm))
        )
        if mass is not None:
            refuse_impossible_mass(node.body, mass)
            added.explicitinertial = True
            added.mass = mass.mass_kg
            added.ipos = [0.0, 0.0, 0.0]
            added.fullinertia = list(mass.inertia_kg_m2)
        self.placed[node.body.label] = _Placed(added, origin_mm)
        return self.placed[node.body.label]

    def _hang(self, node: Node, placed: _Placed) -> None:
        match node.link:
            case LoadedJoint() as joint:
                is_reversed = node.body.label == joint.parent
                self.bearer.add(placed.added, placed.origin_mm, joint, is_reversed)
                self._measure(placed, joint_name(joint.label), joint)
            case Weld() as weld:
                self._measure(placed, weld_name(weld.label), weld)
            case None:
                if node.body.mass is not None:
                    placed.added.add_freejoint(name=f"free:{node.body.label}")

    def _measure(self, placed: _Placed, name: str, link: Weld | LoadedJoint) -> None:
        """Add a site at the anchor of what holds a body: there its load is measured; z is the axis of a joint."""
        turned = np.array([1.0, 0.0, 0.0, 0.0])
        if isinstance(link, LoadedJoint):
            mujoco.mju_quatZ2Vec(turned, np.array(link.axis))
        place_m = metres_of(np.array(link.anchor_mm) - placed.origin_mm)
        placed.added.add_site(name=name, pos=list(place_m), quat=list(turned), group=COLLISION_GROUP)

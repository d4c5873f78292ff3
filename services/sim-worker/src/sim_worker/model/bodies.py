"""The bodies of a MuJoCo model, nested as the kinematic tree orders them."""

from dataclasses import dataclass, field

import numpy as np
from contracts.models.scene import Body, LoadedJoint, MassProperties, Scene, Weld

from sim_worker.model.contacts import contact_copies
from sim_worker.model.geometry import GeometryBuilder
from sim_worker.model.joints import JointBuilder
from sim_worker.model.tree import KinematicTree, Node
from sim_worker.mujoco_api import MjsBody, MjSpec, mujoco
from sim_worker.names import COLLISION_GROUP, body_name, free_name, joint_name, weld_name
from sim_worker.rejection import SceneRejectedError
from sim_worker.units import Floats, metres_of

TRIANGLE_TOLERANCE = 1e-6
"""Share by which the largest principal moment may exceed the sum of the others: rounding, in a flat part."""


@dataclass(frozen=True)
class _Frame:
    body: MjsBody
    origin_mm: Floats


@dataclass
class BodyBuilder:
    """Adds the bodies of a scene. Frames are aligned with the world; that of a body with mass is at its centre."""

    spec: MjSpec
    geometry: GeometryBuilder
    joints: JointBuilder
    frames: dict[str, _Frame] = field(default_factory=dict[str, _Frame])

    def add(self, scene: Scene, tree: KinematicTree, payloads_kg: float) -> None:
        """Add all bodies; exclude contacts between those that touch by design, if they belong to the same machine.

        A joint between a part and a solid of the benchmark excludes nothing: the solid would become air for the part.
        """
        copies = contact_copies(tree, scene.payloads, payloads_kg)
        for node in tree.nodes:
            frame = self._add_frame(node)
            self.geometry.add(frame.body, node.body, frame.origin_mm, copies[node.body.label])
            self._add_link(node, frame)
        bodies = {body.label: body for body in scene.bodies}
        for pair in sorted({(min(pair), max(pair)) for pair in scene.touching}):
            first, second = (bodies[label] for label in pair)
            if first.origin == second.origin:
                names = [body_name(body.origin, body.label) for body in (first, second)]
                self.spec.add_exclude(bodyname1=names[0], bodyname2=names[1])

    def _add_frame(self, node: Node) -> _Frame:
        mass = node.body.mass
        origin_mm = np.zeros(3) if mass is None else np.array(mass.center_mm)
        parent = _Frame(self.spec.worldbody, np.zeros(3)) if node.parent is None else self.frames[node.parent]
        added = parent.body.add_body(
            name=body_name(node.body.origin, node.body.label), pos=list(metres_of(origin_mm - parent.origin_mm))
        )
        if mass is not None:
            reject_impossible_mass(node.body, mass)
            added.explicitinertial = True
            added.mass = mass.mass_kg
            added.ipos = [0.0, 0.0, 0.0]
            added.fullinertia = list(mass.inertia_kg_m2)
        self.frames[node.body.label] = _Frame(added, origin_mm)
        return self.frames[node.body.label]

    def _add_link(self, node: Node, frame: _Frame) -> None:
        match node.link:
            case LoadedJoint() as joint:
                is_reversed = node.body.label == joint.parent
                self.joints.add(frame.body, frame.origin_mm, joint, is_reversed)
                self._add_load_site(frame, joint_name(joint.label), joint)
            case Weld() as weld:
                self._add_load_site(frame, weld_name(weld.label), weld)
            case None:
                if node.body.mass is not None:
                    frame.body.add_freejoint(name=free_name(node.body.label))

    def _add_load_site(self, frame: _Frame, name: str, link: Weld | LoadedJoint) -> None:
        """Add a site at the anchor of a link, where its load is measured; z is the axis of a joint."""
        rotation = np.array([1.0, 0.0, 0.0, 0.0])
        if isinstance(link, LoadedJoint):
            mujoco.mju_quatZ2Vec(rotation, np.array(link.axis))
        anchor_m = metres_of(np.array(link.anchor_mm) - frame.origin_mm)
        frame.body.add_site(name=name, pos=list(anchor_m), quat=list(rotation), group=COLLISION_GROUP)


def reject_impossible_mass(body: Body, mass: MassProperties) -> None:
    """Raise `SceneRejectedError` for a mass and inertia that no solid can have."""
    xx, yy, zz, xy, xz, yz = mass.inertia_kg_m2
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.isfinite([mass.mass_kg, *mass.center_mm, *mass.inertia_kg_m2]).all() or mass.mass_kg <= 0:
        problem = (
            f"its mass, centre or inertia is not a finite number: {mass.mass_kg:g} kg, {mass.center_mm} mm, {tensor}"
        )
        raise SceneRejectedError("scene_invalid", f"body {body.label}: {problem}")
    smallest, middle, largest = np.linalg.eigvalsh(tensor)
    if smallest <= 0:
        problem = f"the smallest principal moment of inertia is {smallest:.3g} kg m2; a solid has more than 0"
        raise SceneRejectedError("scene_invalid", f"body {body.label}: {problem}")
    if largest > (smallest + middle) * (1 + TRIANGLE_TOLERANCE):
        problem = (
            f"a principal moment of inertia of {largest:.3g} kg m2 exceeds the sum of the other two, "
            f"{smallest + middle:.3g} kg m2; no solid has that"
        )
        raise SceneRejectedError("scene_invalid", f"body {body.label}: {problem}")

"""How the welds of a group share its load: as springs between rigid parts, each as stiff as it is strong.

MuJoCo measures the welds of a spanning tree; what the others do is statically indeterminate. Of all distributions in
equilibrium we take that of least elastic energy (Castigliano), for springs whose stiffness is their rating: the force's
for what shifts, three times the moment's squared over the force's for what turns. Of a square glued face that is
strength times area, and that times the radius of gyration squared.
"""

from collections.abc import Sequence

import numpy as np
from contracts.models.scene import Drive, LoadedJoint, Scene, Weld

from sim_worker.model.groups import Groups
from sim_worker.model.tree import Tree
from sim_worker.run.weld_loads import Sharing
from sim_worker.units import Floats, metres, metres_each

UNRATED = 100.0
"""How many times stiffer than the stiffest that is rated something without a rating is."""


def share(tree: Tree, scene: Scene) -> Sharing:
    """Return how the welds of a scene share their loads."""
    welds = scene.welds
    held = [(node.body.label, node.parent, node.link) for node in tree.nodes if isinstance(node.link, Weld)]
    borne = tuple(weld for _, _, weld in held)
    if not borne:
        return Sharing((), np.zeros((6 * len(welds), 0)), np.zeros((6 * len(welds), len(scene.drives))))
    # Whatever hangs on no weld stands for the ground of its group: it needs no equation.
    rows = {label: row for row, (label, _, _) in enumerate(held)}
    origin_m = np.mean([metres_each(weld.anchor_mm) for weld in borne], axis=0)
    measured = _acting(rows, [(child, parent or "", weld) for child, parent, weld in held], origin_m)
    acting = _acting(rows, [(weld.first, weld.second, weld) for weld in welds], origin_m)
    pulled = _stiffness(welds)[:, None] * acting.T
    reactions = _reactions(rows, scene, origin_m)
    solved = np.linalg.solve(acting @ pulled, np.hstack([measured, reactions]))
    shares = pulled @ solved
    return Sharing(borne, shares[:, : measured.shape[1]], shares[:, measured.shape[1] :])


def _reactions(rows: dict[str, int], scene: Scene, origin_m: Floats) -> Floats:
    """Return (6 x bodies, drives): by what the bodies are loaded otherwise than MuJoCo has it, for 1 N m of each motor.

    The housing takes what MuJoCo lets the body at its side of the joint take: a torque about the joint's axis or, where
    a pinion moves what slides, the force along it at the housing's middle.
    """
    joints, bodies = {joint.label: joint for joint in scene.joints}, {body.label: body for body in scene.bodies}
    groups = Groups.of_scene(scene)
    found = np.zeros((6 * len(rows), len(scene.drives)))
    for column, drive in enumerate(scene.drives):
        joint, housing = joints[drive.joint], bodies.get(drive.label)
        if housing is None or housing.mass is None:
            continue
        is_carried = groups.of(drive.label) == groups.of(joint.child)
        side, sign = (joint.child, 1.0) if is_carried else (joint.parent, -1.0)
        for label, way, place_mm in ((drive.label, sign, housing.mass.center_mm), (side, -sign, joint.anchor_mm)):
            if label in rows:
                at_m = np.array(metres_each(place_mm)) - origin_m
                found[6 * rows[label] : 6 * rows[label] + 6, column] += way * _wrench(joint, drive, at_m)
    return found


def _wrench(joint: LoadedJoint, drive: Drive, at_m: Floats) -> Floats:
    """Return (6,): force and moment about the origin that 1 N m at the shaft makes at a place."""
    axis = np.array(joint.axis)
    if drive.pinion_radius_mm is None:
        return np.concatenate([np.zeros(3), axis])
    force = axis / metres(drive.pinion_radius_mm)
    return np.concatenate([force, np.cross(at_m, force)])


def _acting(rows: dict[str, int], pairs: Sequence[tuple[str, str, Weld]], origin_m: Floats) -> Floats:
    """Return (6 x bodies, 6 x pairs): what the load of a weld does to the bodies it holds, about the origin."""
    found = np.zeros((6 * len(rows), 6 * len(pairs)))
    for column, (first, second, weld) in enumerate(pairs):
        x, y, z = np.array(metres_each(weld.anchor_mm)) - origin_m
        effect = np.eye(6)
        effect[3:, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        for label, sign in ((first, 1.0), (second, -1.0)):
            if label in rows:
                at = 6 * rows[label]
                found[at : at + 6, 6 * column : 6 * column + 6] = sign * effect
    return found


def _stiffness(welds: Sequence[Weld]) -> Floats:
    """Return (6 x welds,), relative to each other: N for what shifts, N m² for what turns."""
    shifts = _rated([weld.max_force_n for weld in welds])
    squared = (weld.max_moment_n_m and 3 * weld.max_moment_n_m**2 for weld in welds)
    turns = _rated([moment and moment / force for moment, force in zip(squared, shifts, strict=True)])
    return np.repeat(np.stack([shifts, turns], axis=1), 3, axis=1).ravel()


def _rated(ratings: list[float | None]) -> Floats:
    most = max((rating for rating in ratings if rating), default=1.0)
    return np.array([rating or UNRATED * most for rating in ratings])

"""How the welds of a group share its load: as springs between rigid parts, each as stiff as it is strong.

MuJoCo measures the welds of a spanning tree; the loads of the others are statically indeterminate. Of all distributions
in equilibrium, this is the one of least elastic energy (Castigliano), for springs whose stiffness is their rating. A
glued face is a layer of equal stiffness in all directions: strength times area for displacement, strength times second
moment for rotation about each of its axes. Any other weld has its force limit for displacement, and three times the
squared moment limit over the force limit for rotation, which is the same for a square.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Drive, LoadedJoint, Scene, Weld

from sim_worker.model.tree import KinematicTree, WeldGroups
from sim_worker.units import Floats, metres, metres_each, metres_of

UNRATED = 100.0
"""Stiffness of a weld without a rating, in multiples of the stiffest rated one."""


@dataclass(frozen=True)
class WeldShares:
    """The load of every weld, as a linear function of the loads of the measured welds.

    Loads are forces and moments about the weld's anchor, in axes that rotate with its group: 6 numbers for each weld.
    """

    measured: tuple[Weld, ...]
    shares: Floats
    """(6 x welds of the scene, 6 x measured)"""
    reactions: Floats
    """(6 x welds of the scene, drives): reaction of a motor's housing for each N m at its shaft. To MuJoCo a motor is a
    torque between the two sides of its joint, and its housing bears none of it."""


def weld_shares(tree: KinematicTree, scene: Scene) -> WeldShares:
    """Return how the welds of a scene share their loads."""
    welds = scene.welds
    held = [(node.body.label, node.parent, node.link) for node in tree.nodes if isinstance(node.link, Weld)]
    measured = tuple(weld for _, _, weld in held)
    if not measured:
        return WeldShares((), np.zeros((6 * len(welds), 0)), np.zeros((6 * len(welds), len(scene.drives))))
    # The root of a group, which no weld of the tree holds, is its fixed reference: it needs no equation.
    rows = {label: row for row, (label, _, _) in enumerate(held)}
    origin_m = np.mean([metres_each(weld.anchor_mm) for weld in measured], axis=0)
    from_measured = _weld_effects(rows, [(child, parent or "", weld) for child, parent, weld in held], origin_m)
    from_all = _weld_effects(rows, [(weld.first, weld.second, weld) for weld in welds], origin_m)
    stiffened = _stiffness(welds) @ from_all.T
    reactions = _motor_reactions(rows, scene, origin_m)
    solved = np.linalg.solve(from_all @ stiffened, np.hstack([from_measured, reactions]))
    shares = stiffened @ solved
    columns = from_measured.shape[1]
    return WeldShares(measured, shares[:, :columns], shares[:, columns:])


def _motor_reactions(rows: dict[str, int], scene: Scene, origin_m: Floats) -> Floats:
    """Return (6 x bodies, drives) corrections to MuJoCo's loads of the bodies, for 1 N m of each motor.

    The housing bears what MuJoCo assigns to the body at its side of the joint: a torque about the joint's axis or, if a
    pinion drives a slide, the force along it at the centre of the housing.
    """
    joints, bodies = {joint.label: joint for joint in scene.joints}, {body.label: body for body in scene.bodies}
    groups = WeldGroups.of_scene(scene)
    reactions = np.zeros((6 * len(rows), len(scene.drives)))
    for column, drive in enumerate(scene.drives):
        joint, housing = joints[drive.joint], bodies.get(drive.label)
        if housing is None or housing.mass is None:
            continue
        is_carried = groups.of(drive.label) == groups.of(joint.child)
        side, sign = (joint.child, 1.0) if is_carried else (joint.parent, -1.0)
        for label, factor, point_mm in ((drive.label, sign, housing.mass.center_mm), (side, -sign, joint.anchor_mm)):
            if label in rows:
                point_m = np.array(metres_each(point_mm)) - origin_m
                reactions[6 * rows[label] : 6 * rows[label] + 6, column] += factor * _wrench(joint, drive, point_m)
    return reactions


def _wrench(joint: LoadedJoint, drive: Drive, point_m: Floats) -> Floats:
    """Return (6,) force and moment about the origin for 1 N m at the shaft, acting at a point."""
    axis = np.array(joint.axis)
    if drive.pinion_radius_mm is None:
        return np.concatenate([np.zeros(3), axis])
    force = axis / metres(drive.pinion_radius_mm)
    return np.concatenate([force, np.cross(point_m, force)])


def _weld_effects(rows: dict[str, int], pairs: Sequence[tuple[str, str, Weld]], origin_m: Floats) -> Floats:
    """Return (6 x bodies, 6 x pairs) the effect of each weld's load on the bodies that it joins, about the origin."""
    effects = np.zeros((6 * len(rows), 6 * len(pairs)))
    for column, (first, second, weld) in enumerate(pairs):
        x, y, z = np.array(metres_each(weld.anchor_mm)) - origin_m
        effect = np.eye(6)
        effect[3:, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        for label, sign in ((first, 1.0), (second, -1.0)):
            if label in rows:
                row = 6 * rows[label]
                effects[row : row + 6, 6 * column : 6 * column + 6] = sign * effect
    return effects


def _stiffness(welds: Sequence[Weld]) -> Floats:
    """Return (6 x welds, 6 x welds) relative stiffnesses, a block each: N for displacement, N m² for rotation."""
    forces = _with_default([weld.max_force_n for weld in welds])
    squared = (weld.max_moment_n_m and 3 * weld.max_moment_n_m**2 for weld in welds)
    moments = _with_default([moment and moment / force for moment, force in zip(squared, forces, strict=True)])
    blocks = np.zeros((6 * len(welds), 6 * len(welds)))
    for index, (weld, force, moment) in enumerate(zip(welds, forces, moments, strict=True)):
        row = 6 * index
        blocks[row : row + 3, row : row + 3] = force * np.eye(3)
        blocks[row + 3 : row + 6, row + 3 : row + 6] = _face_stiffness(weld, moment)
    return blocks


def _face_stiffness(weld: Weld, otherwise: float) -> Floats:
    """Return (3, 3) relative stiffness against rotation, N m²."""
    if weld.face is None:
        return otherwise * np.eye(3)
    axes, moments = np.array(weld.face.axes), np.array(weld.face.second_moments_mm4)
    stiffness: Floats = axes.T @ np.diag(weld.face.strength_mpa * metres_of(metres_of(moments))) @ axes
    return stiffness


def _with_default(ratings: list[float | None]) -> Floats:
    largest = max((rating for rating in ratings if rating), default=1.0)
    return np.array([rating or UNRATED * largest for rating in ratings])

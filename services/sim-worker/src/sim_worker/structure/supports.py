"""Where a part is held: the points that share the load of a connection, and which connections lead to the ground."""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Beam, GluedFace, Scene, Weld

from sim_worker.model.tree import WORLD, DisjointSets
from sim_worker.units import Floats

POINTS_ALONG, POINTS_ACROSS = 6, 2
"""Of a glued face, along its longest side and the others."""
LEAST_EXTENT = 0.02
"""Sides shorter than this share of the longest have one row of points."""
LEAST_CLAMP_MM = 1.0
"""Radius over which a joint or a single screw holds the slope of a part."""


@dataclass(frozen=True)
class Support:
    """The points of one connection of a part."""

    points_mm: Floats
    """(p, 3)"""
    leads_to_world: bool
    """Whether the ground holds its other side when the part is taken away."""


def points_of(weld: Weld) -> Floats:
    """Return (p, 3) points that share the load of a weld equally."""
    if weld.face is not None:
        return face_points(weld.face, np.array(weld.anchor_mm))
    return np.array(weld.places_mm or (weld.anchor_mm,))


def face_points(face: GluedFace, anchor_mm: Floats) -> Floats:
    """Return (p, 3) points spread over the box that has the area and second moments of a face."""
    first, second, third = face.second_moments_mm4
    spreads = np.maximum([second + third - first, first + third - second, first + second - third], 0.0) / 2
    edges = np.sqrt(12 * spreads / face.area_mm2)
    longest = int(np.argmax(edges))
    counts = np.where(edges > LEAST_EXTENT * edges[longest], POINTS_ACROSS, 1)
    counts[longest] = POINTS_ALONG
    places: list[Floats] = [(np.arange(int(count)) + 0.5) / int(count) - 0.5 for count in counts]
    grid: Floats = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1).reshape(-1, 3)
    points: Floats = anchor_mm + (grid * edges) @ np.array(face.axes)
    return points


def free_shares(beam: Beam, faces: list[Floats]) -> Floats:
    """Return (k,) the share of each slice of a beam beside which none of the glued faces is, given by their points.

    A face is beside a section that is at least as thick as the face is far from its centre.
    """
    count = len(beam.sections)
    centers = np.array([section.center_mm for section in beam.sections])
    walls = np.array([section.wall_mm for section in beam.sections])
    bounds = np.linspace(beam.start_mm, beam.end_mm, count + 1)
    free = np.diff(bounds)
    for points in faces:
        places = np.unique(np.round(points @ np.array(beam.axis), 6))
        half = (places[-1] - places[0]) / max(len(places) - 1, 1) / 2
        covered = np.minimum(bounds[1:], places[-1] + half) - np.maximum(bounds[:-1], places[0] - half)
        arms = points.mean(axis=0) - centers
        normal = np.linalg.svd(points - points.mean(axis=0))[2][-1]
        is_beside = np.abs(arms @ normal) <= walls
        free = np.minimum(free, np.diff(bounds) - is_beside * np.maximum(covered, 0.0))
    shares: Floats = free / np.diff(bounds)
    return shares


def supports_of(scene: Scene, points: dict[str, Floats], members: frozenset[str]) -> list[Support]:
    """Return the supports of parts that are one beam: those that lead to the ground, or all if none does.

    `points`: those of all welds, by label.
    """
    grounded = grounded_without(scene, members)
    links = [(weld.first, weld.second, points[weld.label]) for weld in scene.welds]
    links += [(joint.parent, joint.child, np.array([joint.anchor_mm])) for joint in scene.joints]
    found = [
        Support(points, (second if first in members else first) in grounded)
        for first, second, points in links
        if (first in members) != (second in members)
    ]
    return [support for support in found if support.leads_to_world] or found


def grounded_without(scene: Scene, members: frozenset[str]) -> set[str]:
    """Return the labels of all bodies that connections lead to the ground when these parts are taken away."""
    sets = DisjointSets()
    for body in scene.bodies:
        if body.mass is None and body.label not in members:
            sets.unite(body.label, WORLD)
    pairs = [(weld.first, weld.second) for weld in scene.welds] + [(each.parent, each.child) for each in scene.joints]
    for first, second in pairs:
        if not members & {first, second}:
            sets.unite(first, second)
    return {body.label for body in scene.bodies if sets.find(body.label) == WORLD}

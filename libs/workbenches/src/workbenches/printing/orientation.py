"""How a part stands while it is printed: on the side that asks for the least support."""

from dataclasses import dataclass

import numpy as np

from workbenches.configuration import PrintRules
from workbenches.part_frame import own_axes, six_ways
from workbenches.part_mesh import OFF_SURFACE_MM, Flags, Floats, PartMesh

ON_BED_MM = 0.05
SLACK_DEG = 0.1
FLAT_DEG = 85.0
"""An underside steeper than this from the vertical is a ceiling: it may be a bridge."""


@dataclass(frozen=True)
class Standing:
    """One way to stand."""

    up: Floats
    """(3,), unit vector."""
    hangs: Flags
    """(t,), triangles that hang over more than allowed."""
    angle_deg: Floats
    """(t,), of each triangle from the vertical, 0 for walls, 90 for ceilings; negative for what looks up."""
    support_mm3: float
    """Room between what hangs and what lies below it."""
    height_mm: float


def best_standing(mesh: PartMesh, rules: PrintRules) -> Standing:
    """Return the one of six ways with the least support; among equals the flattest."""
    found = [_standing(mesh, up, rules) for up in six_ways(own_axes(mesh))]
    return min(found, key=lambda way: (round(way.support_mm3, 1), round(way.height_mm, 3)))


def _standing(mesh: PartMesh, up: Floats, rules: PrintRules) -> Standing:
    angle = np.degrees(np.arcsin((-mesh.normals @ up).clip(-1, 1)))
    heights = mesh.vertices_mm @ up
    middles = mesh.vertices_mm[mesh.triangles].mean(axis=1)
    above_bed = middles @ up - heights.min()
    hangs = np.logical_and(angle > rules.overhang_deg + SLACK_DEG, above_bed > ON_BED_MM)
    return Standing(up, hangs, angle, _support_mm3(mesh, up, hangs, above_bed), float(np.ptp(heights)))


def _support_mm3(mesh: PartMesh, up: Floats, hangs: Flags, above_bed: Floats) -> float:
    """Drop a ray from the middle of each hanging triangle to what lies below, or to the bed."""
    which = np.flatnonzero(hangs)
    if not len(which):
        return 0.0
    middles = mesh.vertices_mm[mesh.triangles[which]].mean(axis=1)
    hits = mesh.first_hits(middles - up * OFF_SURFACE_MM, np.tile(-up, (len(which), 1)))
    drop = np.where(hits.struck, hits.distance_mm, above_bed[which])
    shadow = mesh.areas_mm2[which] * np.abs(mesh.normals[which] @ up)
    return float((drop * shadow).sum())

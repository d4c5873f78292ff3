"""Print orientation: the side on which a part needs the least support."""

from dataclasses import dataclass

import numpy as np
from geometry.arrays import BoolArray, FloatArray
from parts_catalog.pricing.configuration import PrintRules

from workbenches.part_frame import own_axes, six_directions
from workbenches.part_mesh import OFF_SURFACE_MM, PartMesh

ON_BED_MM = 0.05
SLACK_DEG = 0.1


@dataclass(frozen=True)
class Orientation:
    """One orientation of a part on the bed."""

    up: FloatArray
    """(3,), unit vector."""
    is_overhanging: BoolArray
    """(t,), triangles that overhang more than allowed."""
    angle_deg: FloatArray
    """(t,), of each triangle from the vertical: 0 for walls, 90 for ceilings, negative for upward faces."""
    support_mm3: float
    """Volume between overhangs and the surface or bed below."""
    height_mm: float


def best_orientation(mesh: PartMesh, rules: PrintRules) -> Orientation:
    """Return the one of six orientations with the least support; among equals the flattest."""
    orientations = [_orientation(mesh, up, rules) for up in six_directions(own_axes(mesh))]
    return min(orientations, key=lambda each: (round(each.support_mm3, 1), round(each.height_mm, 3)))


def _orientation(mesh: PartMesh, up: FloatArray, rules: PrintRules) -> Orientation:
    angle = np.degrees(np.arcsin((-mesh.normals @ up).clip(-1, 1)))
    heights = mesh.vertices_mm @ up
    middles = mesh.vertices_mm[mesh.triangles].mean(axis=1)
    above_bed = middles @ up - heights.min()
    overhanging = np.logical_and(angle > rules.overhang_deg + SLACK_DEG, above_bed > ON_BED_MM)
    support_mm3 = _support_mm3(mesh, up, overhanging, above_bed)
    return Orientation(up, overhanging, angle, support_mm3, float(np.ptp(heights)))


def _support_mm3(mesh: PartMesh, up: FloatArray, overhanging: BoolArray, above_bed: FloatArray) -> float:
    """Cast a ray from the middle of each overhanging triangle down to the part or the bed."""
    triangles = np.flatnonzero(overhanging)
    if not len(triangles):
        return 0.0
    middles = mesh.vertices_mm[mesh.triangles[triangles]].mean(axis=1)
    hits = mesh.first_hits(middles - up * OFF_SURFACE_MM, np.tile(-up, (len(triangles), 1)))
    drop = np.where(hits.is_hit, hits.distance_mm, above_bed[triangles])
    projected = mesh.areas_mm2[triangles] * np.abs(mesh.normals[triangles] @ up)
    return float((drop * projected).sum())

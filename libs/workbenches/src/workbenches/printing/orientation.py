"""Print orientation: the side on which a part needs the least support."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from geometry.arrays import BoolArray, FloatArray
from parts_catalog.methods.workshop_figures import PrintRules

from workbenches.part_frame import six_directions
from workbenches.part_mesh import PartMesh

ON_BED_MM = 0.05
SLACK_DEG = 0.1
EQUAL_MM3 = 0.1
EQUAL_MM = 1e-3


@dataclass(frozen=True)
class Orientation:
    """One orientation of a part on the bed."""

    up: FloatArray
    """(3,), unit vector."""
    is_overhanging: BoolArray
    """(n,), samples that overhang more than allowed."""
    angle_deg: FloatArray
    """(n,), of each sample from the vertical: 0 for walls, 90 for ceilings, negative for upward faces."""
    support_mm3: float
    """Volume between overhangs and the surface or bed below."""
    overhang_mm2: float
    """Of overhangs, seen from above."""
    upright_mm2: float
    """Of the surface, as its outlines in all layers show it."""
    height_mm: float


@lru_cache(maxsize=2)
def best_orientation(mesh: PartMesh, rules: PrintRules) -> Orientation:
    """Return the one of six orientations with the least support; among equals the flattest, with the least overhang."""
    orientations = [
        orientation_of(mesh, up, height_mm, rules)
        for up, height_mm in zip(six_directions(mesh.axes), np.tile(mesh.extents_mm, 2), strict=True)
    ]
    areas = mesh.samples.areas_mm2
    return min(
        orientations,
        key=lambda each: (
            round(each.support_mm3 / EQUAL_MM3),
            round(each.height_mm / EQUAL_MM),
            round(float(areas[each.is_overhanging].sum()) / EQUAL_MM),
        ),
    )


def orientation_of(mesh: PartMesh, up: FloatArray, height_mm: float, rules: PrintRules) -> Orientation:
    """Return the orientation of a part with one of its own sides up."""
    angle = np.degrees(np.arcsin((-mesh.samples.normals @ up).clip(-1, 1)))
    bottom, _ = mesh.range_mm(up)
    above_bed = mesh.samples.points_mm @ up - bottom
    overhanging = np.logical_and(angle > rules.overhang_deg + SLACK_DEG, above_bed > ON_BED_MM)
    areas, flat = mesh.samples.areas_mm2, np.abs(mesh.samples.normals @ up).clip(max=1.0)
    return Orientation(
        up,
        overhanging,
        angle,
        support_mm3=_support_mm3(mesh, up, overhanging, above_bed),
        overhang_mm2=float((areas * flat)[overhanging].sum()),
        upright_mm2=float((areas * np.sqrt(1 - flat**2)).sum()),
        height_mm=height_mm,
    )


def _support_mm3(mesh: PartMesh, up: FloatArray, overhanging: BoolArray, above_bed: FloatArray) -> float:
    """Cast a ray from each overhanging sample down to the part or the bed."""
    if not overhanging.any():
        return 0.0
    samples = mesh.samples
    down = np.tile(-up, (int(overhanging.sum()), 1))
    hits = mesh.first_hits(samples.points_mm[overhanging], down, through="air")
    drop = np.where(hits.is_hit, hits.distance_mm, above_bed[overhanging])
    return float((drop * samples.areas_mm2[overhanging] * np.abs(samples.normals[overhanging] @ up)).sum())

"""What must become of a verdict when the solid itself changes: scaled, or with a feature added elsewhere."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Callable, Mapping
from random import Random

import numpy as np
from build123d import Cylinder, Location, Plane, Pos, Solid, scale
from contracts.models.design import Finding, Method
from geometry.arrays import as_vector
from workbenches.moulding.parting import UNDERCUT, best_opening
from workbenches.part_frame import six_directions
from workbenches.part_mesh import PartMesh
from workbenches.thickness import measure_thickness, thinnest_wall

LIMIT_MM = 0.8
SAME = 0.02
"""Relative difference of measured values and prices that count as equal, and as many millimetres or degrees."""
SAME_SHARE = 0.002
SAME_HIDDEN_MM2 = 0.5
"""Differences of sampled shares of a face, and of hidden areas, whose edges are soft on free-form faces."""
HOLE_MM, HOLE_DEPTH_MM = 0.3, 1.0
CLEAR_MM = 3.0
"""Distance of the added hole from everything else."""
WHOLE_PART: dict[Method, frozenset[str]] = {
    "turning": frozenset({"turn_not_round"}),
    "sheet_metal": frozenset({"sheet_thickness", "sheet_stock", "sheet_cut", "sheet_bend_radius", "sheet_unfold"}),
}
"""Rules after which a method applies no other: another of them may take over."""

Judge = Callable[[PartMesh], Mapping[Method, tuple[tuple[Finding, ...], float]]]


def scale_differences(one: PartMesh, random: Random) -> list[str]:
    """Return what is not as many times as large, or as many, in a scaled solid."""
    factor = random.uniform(1.2, 2.0)
    large = scale(one.drawn, factor)
    other = PartMesh.of(large if isinstance(large, Solid) else large.solid())
    found: list[str] = []
    walls = [
        thinnest_wall(mesh, measure_thickness(mesh), limit)
        for mesh, limit in ((one, LIMIT_MM), (other, LIMIT_MM * factor))
    ]
    thin = [None if wall is None else wall.thickness_mm / times for wall, times in zip(walls, (1, factor), strict=True)]
    if not _are_alike(thin[0], thin[1], LIMIT_MM):
        found.append(f"thinnest wall {thin[0]} and {thin[1]} mm times {factor:.3f}")
    actions = [len(best_opening(mesh).side_actions) for mesh in (one, other)]
    if actions[0] != actions[1] and not undercut_at_limit(one, other):
        found.append(f"{actions[0]} and {actions[1]} side actions")
    return found


def _are_alike(one: float | None, other: float | None, limit_mm: float) -> bool:
    if one is None or other is None:
        known = one if other is None else other
        return known is None or known > limit_mm * (1 - SAME)
    return abs(one - other) <= SAME


def is_at_limit(finding: Finding) -> bool:
    """Tell whether a measured value is as near to its limit as values of equal solids may differ."""
    measured, limit = finding.measured, finding.limit
    return measured is not None and limit is not None and abs(measured - limit) <= SAME * max(1.0, abs(limit))


def undercut_at_limit(*meshes: PartMesh) -> float:
    """Return the share of a face that lies as near to the limit of undercuts as sampled shares may differ; 0 without.

    A face that two halves of a mould leave hidden by more needs a side action, which changes price and drafts.
    """
    for mesh in meshes:
        samples = mesh.samples
        seen = [mesh.is_visible(samples, direction) for direction in six_directions(mesh.axes)]
        for axis in range(3):
            hidden = ~(seen[axis] | seen[axis + 3])
            for face in np.unique(samples.faces[hidden]):
                share = samples.share_of(int(face), hidden)
                if abs(share - UNDERCUT) <= max(SAME_SHARE, min(UNDERCUT, SAME_HIDDEN_MM2 / mesh.face_areas_mm2[face])):
                    return share
    return 0.0


def lost_errors(mesh: PartMesh, first: Mapping[Method, tuple[tuple[Finding, ...], float]], judge: Judge) -> list[str]:
    """Return errors that a thin hole in the middle of a flat face takes away, and whether the hole itself is missed."""
    more = _with_hole(mesh)
    if more is None:
        return []
    found: list[str] = []
    for method, (findings, _) in judge(PartMesh.of(more)).items():
        before = {each.rule for each in first[method][0] if each.severity == "error" and not is_at_limit(each)}
        after = {each.rule for each in findings if each.severity == "error"}
        whole = WHOLE_PART.get(method, frozenset[str]())
        if before and not after:
            found.append(f"{method} can be made")
        if not (before | after) & whole:
            found += [f"{method} {rule} is gone" for rule in sorted(before - after)]
        if method == "cnc" and "cnc_hole" not in after:
            found.append("cnc_hole is missed")
    return found


def _with_hole(mesh: PartMesh) -> Solid | None:
    """Drill a hole that is too thin into a flat face, far from all edges and walls; None if there is no such place."""
    samples, thickness = mesh.samples, measure_thickness(mesh).thickness_mm
    air = mesh.first_hits(samples.points_mm, samples.normals, through="air").distance_mm
    flat = np.array([surface.kind == "plane" for surface in mesh.surfaces])[samples.faces]
    for sample in np.flatnonzero(flat & (thickness > HOLE_DEPTH_MM + CLEAR_MM) & (air > CLEAR_MM)):
        near = np.linalg.norm(samples.points_mm - samples.points_mm[sample], axis=1) < CLEAR_MM
        if (samples.faces[near] == samples.faces[sample]).all() and near.sum() > 1:
            place = Location(
                Plane(origin=as_vector(samples.points_mm[sample]), z_dir=as_vector(samples.normals[sample]))
            )
            solids = (mesh.drawn - place * Pos(0, 0, 0) * Cylinder(HOLE_MM / 2, 2 * HOLE_DEPTH_MM)).solids()
            drilled_mm3 = np.pi / 4 * HOLE_MM**2 * HOLE_DEPTH_MM
            is_whole = len(solids) == 1 and abs(mesh.volume_mm3 - solids[0].volume - drilled_mm3) < SAME * drilled_mm3
            return solids[0] if is_whole and solids[0].is_valid else None  # some break through to a void
    return None

"""Rules for tool reach: faces that no tool reaches, and pockets that need a tool too long for its diameter."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.workshop_figures import CncRules

from workbenches.cnc.access import Access
from workbenches.cnc.workpiece import Workpiece
from workbenches.edges import SHARP_DEG, Edge
from workbenches.findings import Measurement, Position, make_finding
from workbenches.height_map import HeightMap, blobs, grown, height_map, without_holes

CELLS_PER_TOOL = 10
FINEST_MM = 0.5
LEAST_RESIDUAL_MM = 0.2
"""Less residual material is an effect of the grid."""
LEAST_BLOB_MM3 = 2.0
ALONG_TOOL = 0.3
"""Least cosine to the tool's axis of an inner edge that counts as a corner of the pocket."""


def unreachable_faces(label: str, access: Access, rules: CncRules) -> list[Finding]:
    """Report faces that no tool reaches from any of the six sides, or only one that would be too long."""
    findings: list[Finding] = []
    for face in np.unique(access.samples.faces):
        if access.samples.are_most(int(face), access.covered, rules.seen_share):
            continue
        seen = np.isfinite(access.slenderness)
        if not access.samples.are_most(int(face), seen, rules.seen_share):
            share = access.samples.share_of(int(face), seen)
            hidden = np.flatnonzero((access.samples.faces == face) & ~seen)
            findings.append(_hidden(label, int(face), share, as_vector(access.samples.points_mm[hidden[0]]), rules))
        else:
            worst = access.slenderest(int(face), rules.seen_share)
            findings.append(_too_slender(label, int(face), access, worst, rules))
    return findings


def _hidden(label: str, face: int, share: float, point_mm: Vector, rules: CncRules) -> Finding:
    detail = (
        f"{label} has a face around {format_point(point_mm)} of which tools reach {share:.0%} from its six sides, "
        f"{rules.seen_share:.0%} is needed; open it to one side, widen the way to it, or split the part"
    )
    measurement = Measurement(share, rules.seen_share)
    return make_finding("cnc_unreachable", label, detail, at=Position(face, point_mm), measurement=measurement)


def _too_slender(label: str, face: int, access: Access, sample: int, rules: CncRules) -> Finding:
    point_mm, ratio = as_vector(access.samples.points_mm[sample]), float(access.slenderness[sample])
    detail = (
        f"{label} has a wall around {format_point(point_mm)} so deep in a narrow gap that the tool would be "
        f"{ratio:.1f} times as long as its diameter, the maximum is {rules.reach_error:g} times; widen the gap, make "
        "it shallower, or open it to another side"
    )
    measurement = Measurement(ratio, rules.reach_error, "mm/mm")
    return make_finding("cnc_reach", label, detail, at=Position(face, point_mm), measurement=measurement)


@dataclass(frozen=True)
class _Pocket:
    depth_mm: float
    tool_mm: float
    """Diameter of the thickest tool that fits."""
    point_mm: FloatArray

    @property
    def ratio(self) -> float:
        return self.depth_mm / self.tool_mm


def deep_pockets(piece: Workpiece, label: str) -> list[Finding]:
    """Report for each set-up the pocket that needs the longest tool in relation to its diameter."""
    findings: list[Finding] = []
    for setup in piece.access.setups:
        deepest = _deepest_pocket(piece, setup)
        if deepest is not None and deepest.ratio > piece.rules.reach_warning:
            findings.append(_deep_pocket(label, deepest, piece.rules))
    return findings


def _deepest_pocket(piece: Workpiece, setup: int) -> _Pocket | None:
    access, rules = piece.access, piece.rules
    up, across = access.directions[setup], np.delete(access.directions[:3], setup % 3, axis=0)
    corners = _corner_points(piece.inner_edges, up)
    pockets: list[_Pocket] = []
    maps: dict[float, HeightMap] = {}
    for tool_mm, thinner_mm in pairwise(rules.tools_mm):
        cell_mm = max(tool_mm / CELLS_PER_TOOL, FINEST_MM)
        if cell_mm not in maps:
            maps[cell_mm] = without_holes(height_map(piece.mesh, up, across, cell_mm), piece.rounds)
        seen = maps[cell_mm]
        residual = np.where(seen.is_near(corners, tool_mm / 2 + cell_mm), 0.0, seen.residual_mm(tool_mm))
        found = [_depth_to_cut(seen, residual, blob, access, setup) for blob in _residual_blobs(seen, residual)]
        pockets += (_Pocket(depth_mm, thinner_mm, point_mm) for depth_mm, point_mm in filter(None, found))
        if not any(found):
            break  # this tool reaches everything, so that thinner ones are not needed
    return max(pockets, key=lambda pocket: pocket.ratio, default=None)


def _corner_points(inner: list[Edge], up: FloatArray) -> FloatArray:
    """Return points (n, 3) on inner edges along the tool, whose residual material the corner rules report."""
    segments = [edge.segments_mm for edge in inner if edge.turn_deg > SHARP_DEG]
    ends = np.concatenate(segments) if segments else np.zeros((0, 2, 3))
    along = ends[:, 1] - ends[:, 0]
    steep = np.abs(along @ up) > ALONG_TOOL * np.linalg.norm(along, axis=1)
    return ends[steep].mean(axis=1)


def _residual_blobs(seen: HeightMap, residual: FloatArray) -> list[BoolArray]:
    """Return the regions in which a tool leaves material, as masks of the map."""
    return [
        blob for blob in blobs(residual > LEAST_RESIDUAL_MM) if residual[blob].sum() * seen.cell_mm**2 >= LEAST_BLOB_MM3
    ]


def _depth_to_cut(
    seen: HeightMap, residual: FloatArray, blob: BoolArray, access: Access, setup: int
) -> tuple[float, FloatArray] | None:
    """Return depth and position of the deepest material that this set-up has to cut; None if others cut all of it.

    A groove along the whole part is as deep as the part is long when seen from its end, and shallow from above.
    """
    row, column = np.unravel_index(int(np.argmax(np.where(blob, residual, 0.0))), blob.shape)
    depth_mm, bottom_mm = float(residual[row, column]), seen.point_mm(int(row), int(column))
    points_mm = access.samples.points_mm
    depths = depth_mm - (points_mm - bottom_mm) @ seen.up
    is_inside = (depths > LEAST_RESIDUAL_MM) & (depths < depth_mm + LEAST_RESIDUAL_MM)
    inside = is_inside & access.seen[setup] & seen.is_under(points_mm, grown(blob))
    needed = inside & access.is_best_from(setup)
    if not inside.any() or needed.sum() == inside.sum():
        return depth_mm, bottom_mm
    if not needed.any():
        return None
    sample = int(np.argmax(np.where(needed, depths, 0.0)))
    return min(float(depths[sample]), depth_mm), points_mm[sample]


def _deep_pocket(label: str, pocket: _Pocket, rules: CncRules) -> Finding:
    is_error = pocket.ratio > rules.reach_error
    limit = rules.reach_error if is_error else rules.reach_warning
    point_mm = as_vector(pocket.point_mm)
    detail = (
        f"{label} has a pocket or slot at {format_point(point_mm)}, {format_mm(pocket.depth_mm)} deep, that fits no "
        f"tool thicker than {format_mm(pocket.tool_mm)}: {pocket.ratio:.1f} times its diameter, the "
        f"{'maximum' if is_error else 'recommended maximum'} is {limit:g} times; widen it, enlarge its corners or make "
        "it shallower"
    )
    return make_finding(
        "cnc_reach",
        label,
        detail,
        at=Position(None, point_mm),
        measurement=Measurement(pocket.ratio, limit, "mm/mm"),
        severity="error" if is_error else "warning",
    )

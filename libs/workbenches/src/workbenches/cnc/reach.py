"""Pockets and slots: a tool that fits in must also be long enough, and a long thin tool bends."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from geometry.formatting import format_mm, format_point

from workbenches.cnc.access import Access
from workbenches.cnc.workpiece import Workpiece
from workbenches.configuration import CncRules
from workbenches.edges import SHARP_DEG, Edge
from workbenches.grids import blobs
from workbenches.height_map import HeightMap, height_map, without_holes
from workbenches.part_frame import vector_of
from workbenches.part_mesh import Flags, Floats
from workbenches.report import Measure, Spot, report

CELLS_PER_TOOL = 10
FINEST_MM = 0.5
LEFT_STANDING_MM = 0.2
"""Less than this is the grid, not the part."""
LEAST_BLOB_MM3 = 2.0
ALONG_TOOL = 0.3
"""Cosine to the tool above which an inner edge is one of its corners."""


def unreachable(label: str, access: Access, rules: CncRules) -> list[Finding]:
    """Report faces that no tool gets at from any of the six sides, or only one that would be too long."""
    found: list[Finding] = []
    for face in np.unique(access.samples.faces):
        on_face = access.samples.faces == face
        missed = np.flatnonzero(on_face & ~access.covered)
        share = 1 - len(missed) / int(on_face.sum())
        if share >= rules.seen_share:
            continue
        hidden = missed[np.isinf(access.slenderness[missed])]
        if len(hidden):
            found.append(_hidden(label, int(face), share, vector_of(access.samples.places_mm[hidden[0]]), rules))
        else:
            worst = int(missed[np.argmax(access.slenderness[missed])])
            found.append(_too_slender(label, int(face), access, worst, rules))
    return found


def _hidden(label: str, face: int, share: float, spot: Vector, rules: CncRules) -> Finding:
    detail = (
        f"{label} has a face around {format_point(spot)} of which tools from its six sides get at {share:.0%}, "
        f"{rules.seen_share:.0%} is needed; open it to one side, widen the way to it, or split the part"
    )
    return report("cnc_unreachable", label, detail, at=Spot(face, spot), measure=Measure(share, rules.seen_share))


def _too_slender(label: str, face: int, access: Access, sample: int, rules: CncRules) -> Finding:
    spot, ratio = vector_of(access.samples.places_mm[sample]), float(access.slenderness[sample])
    detail = (
        f"{label} has a wall around {format_point(spot)} so deep in a gap so narrow that the tool would be {ratio:.1f} times "
        f"as long as thick, at most {rules.reach_error:g} times is possible; widen the gap, make it shallower, or open "
        "it to another side"
    )
    return report("cnc_reach", label, detail, at=Spot(face, spot), measure=Measure(ratio, rules.reach_error, "mm/mm"))


@dataclass(frozen=True)
class _Deep:
    depth_mm: float
    tool_mm: float
    place_mm: Floats

    @property
    def ratio(self) -> float:
        return self.depth_mm / self.tool_mm


def deep_pockets(piece: Workpiece, label: str) -> list[Finding]:
    """Report for each clamping the place that asks for the longest tool in comparison with its diameter."""
    found: list[Finding] = []
    for way in piece.access.setups:
        deepest = _deepest(piece, way)
        if deepest is not None and deepest.ratio > piece.rules.reach_warning:
            found.append(_finding(label, deepest, piece.rules))
    return found


def _deepest(piece: Workpiece, way: int) -> _Deep | None:
    access, rules = piece.access, piece.rules
    across = np.delete(access.ways[:3], way % 3, axis=0)
    corners = _corner_places(piece.inner_edges, access.ways[way])
    found: list[_Deep] = []
    maps: dict[float, HeightMap] = {}
    for tool_mm, thinner_mm in pairwise(rules.tools_mm):
        cell_mm = max(tool_mm / CELLS_PER_TOOL, FINEST_MM)
        if cell_mm not in maps:
            maps[cell_mm] = without_holes(height_map(piece.mesh, access.ways[way], across, cell_mm), piece.rounds)
        seen = maps[cell_mm]
        left = _left_standing(seen, tool_mm, seen.near(corners, tool_mm / 2 + cell_mm))
        if left is None:
            break  # a tool that leaves nothing standing makes all thinner ones needless
        found.append(_Deep(left[0], thinner_mm, left[1]))
    return max(found, key=lambda deep: deep.ratio, default=None)


def _corner_places(inner: list[Edge], way: Floats) -> Floats:
    """Return (n, 3): where inner edges run along the tool. What is left in a corner is the corner rules' business."""
    pieces = [edge.pieces_mm for edge in inner if edge.turn_deg > SHARP_DEG]
    ends = np.concatenate(pieces) if pieces else np.zeros((0, 2, 3))
    along = ends[:, 1] - ends[:, 0]
    steep = np.abs(along @ way) > ALONG_TOOL * np.linalg.norm(along, axis=1)
    return ends[steep].mean(axis=1)


def _left_standing(seen: HeightMap, tool_mm: float, ignored: Flags) -> tuple[float, Floats] | None:
    """Return how deep the deepest place is that a tool cannot get at, and where."""
    filled = np.where(ignored, 0.0, seen.filled(tool_mm))
    large = [
        blob for blob in blobs(filled > LEFT_STANDING_MM) if filled[blob].sum() * seen.cell_mm**2 >= LEAST_BLOB_MM3
    ]
    if not large:
        return None
    deep = np.where(np.logical_or.reduce(large), filled, 0.0)
    row, column = np.unravel_index(int(np.argmax(deep)), deep.shape)
    return float(deep[row, column]), seen.place_mm(int(row), int(column))


def _finding(label: str, deep: _Deep, rules: CncRules) -> Finding:
    is_error = deep.ratio > rules.reach_error
    limit = rules.reach_error if is_error else rules.reach_warning
    spot = vector_of(deep.place_mm)
    detail = (
        f"{label} has a pocket or slot at {format_point(spot)}, {format_mm(deep.depth_mm)} deep, into which no tool thicker than "
        f"{format_mm(deep.tool_mm)} fits: {deep.ratio:.1f} times its diameter, {'at most' if is_error else 'better at most'} "
        f"{limit:g} times; widen it, enlarge its corners or make it shallower"
    )
    return report(
        "cnc_reach",
        label,
        detail,
        at=Spot(None, spot),
        measure=Measure(deep.ratio, limit, "mm/mm"),
        severity="error" if is_error else "warning",
    )

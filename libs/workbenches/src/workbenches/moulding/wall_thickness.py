"""Walls of a moulding: thick ones sink, thin ones do not fill, unequal ones warp."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding, WorkbenchRule
from geometry.formatting import format_mm, format_point

from workbenches.configuration import MouldRules
from workbenches.edges import SHARP_DEG, Edge
from workbenches.interface import Order
from workbenches.part_frame import vector_of
from workbenches.part_mesh import Flags, Floats, PartMesh, Samples
from workbenches.report import Measure, Spot, report
from workbenches.thickness import Thickness, thickness_of

SAMPLES = 3000
SLACK_MM = 0.01
FEW = 0.01
"""Share of all walls below which a thickness is a seam or a rounding."""
TURNS = 4
"""Directions in which the width is measured."""
MANY = 0.05


@dataclass(frozen=True, eq=False)
class Walls:
    """The walls of a part; what is measured across its narrow sides is none."""

    thickness: Thickness
    is_wall: Flags
    """(n,)"""

    @property
    def nominal_mm(self) -> float:
        """The thickness that most of the part has; 0 without walls."""
        return self.at(0.5)[0] if self.is_wall.any() else 0.0

    def at(self, share: float) -> tuple[float, int]:
        """Return the thickness that `share` of the walls do not exceed, and the sample that has it."""
        walls = np.flatnonzero(self.is_wall)
        order = walls[np.argsort(self.thickness.thickness_mm[walls], kind="stable")]
        sample = int(order[min(int(share * len(order)), len(order) - 1)])
        return float(self.thickness.thickness_mm[sample]), sample


def walls_of(mesh: PartMesh) -> Walls:
    """Measure a part. Where it is narrower sideways than through, the wall is the one that is measured sideways."""
    thickness = thickness_of(mesh, mesh.samples(SAMPLES))
    through = np.where(thickness.is_wall, thickness.thickness_mm, 0.0)
    sideways = _sideways_mm(mesh, thickness.samples, through)
    return Walls(thickness, thickness.is_wall & (through <= sideways * 1.05))


def _sideways_mm(mesh: PartMesh, samples: Samples, through_mm: Floats) -> Floats:
    """Return (n,): how wide the material is across the ray through each sample, half-way, at its narrowest."""
    middles = samples.places_mm - samples.normals * through_mm[:, None] / 2
    flattest = np.eye(3)[np.argmin(np.abs(samples.normals), axis=1)]
    first = np.cross(samples.normals, flattest)
    first /= np.linalg.norm(first, axis=1)[:, None]
    second = np.cross(samples.normals, first)
    widths: list[Floats] = []
    for turn in np.arange(TURNS) * np.pi / TURNS:
        way = np.cos(turn) * first + np.sin(turn) * second
        widths.append(mesh.first_hits(middles, way).distance_mm + mesh.first_hits(middles, -way).distance_mm)
    return np.minimum.reduce(widths)


def wall_findings(walls: Walls, order: Order, rules: MouldRules) -> list[Finding]:
    """Report walls that are too thin or too thick for the resin, and walls of too different thickness."""
    if not walls.is_wall.any():
        return []
    least_mm, most_mm = rules.walls_mm[order.material.id]
    found: list[Finding] = []
    thin_mm, thin = walls.at(FEW)
    thick_mm, thick = walls.at(1 - FEW)
    if thin_mm < least_mm - SLACK_MM:
        why = f"{order.material.id} fills walls from {format_mm(least_mm)} on: make it thicker"
        found.append(_finding(order.label, walls, thin, (least_mm, why)))
    if thick_mm > most_mm + SLACK_MM:
        why = f"{order.material.id} sinks beyond {format_mm(most_mm)}: hollow it out, and stiffen it with ribs"
        found.append(_finding(order.label, walls, thick, (most_mm, why)))
    ratio = walls.at(1 - MANY)[0] / walls.at(MANY)[0]
    if ratio > rules.uniformity_warning + 1e-3:
        found.append(_unequal(order.label, walls, ratio, rules))
    return found


def _finding(label: str, walls: Walls, sample: int, limit: tuple[float, str]) -> Finding:
    limit_mm, why = limit
    measured = float(walls.thickness.thickness_mm[sample])
    spot = vector_of(walls.thickness.samples.places_mm[sample])
    return report(
        "mould_wall",
        label,
        f"{label} has a wall of {format_mm(measured)} at {format_point(spot)}; {why}",
        at=Spot(int(walls.thickness.samples.faces[sample]), spot),
        measure=Measure(measured, limit_mm, "mm"),
    )


def _unequal(label: str, walls: Walls, ratio: float, rules: MouldRules) -> Finding:
    (thin_mm, _), (thick_mm, thick) = walls.at(MANY), walls.at(1 - MANY)
    spot = vector_of(walls.thickness.samples.places_mm[thick])
    detail = (
        f"{label} has walls from {format_mm(thin_mm)} to {format_mm(thick_mm)}, the thickest at {format_point(spot)}: {ratio:.1f} times, "
        f"up to {rules.uniformity_warning:g} times stays flat; make walls alike"
    )
    return report(
        "mould_uniformity",
        label,
        detail,
        at=Spot(int(walls.thickness.samples.faces[thick]), spot),
        measure=Measure(ratio, rules.uniformity_warning, "mm/mm"),
        severity="warning",
    )


def ribs(label: str, mesh: PartMesh, walls: Walls, inner: list[Edge], rules: MouldRules) -> list[Finding]:
    """Report ribs that are so thick that the wall they stand on sinks."""
    foot = {face for edge in inner if edge.turn_deg > SHARP_DEG for face in edge.faces}
    nominal_mm, samples, opposite = walls.nominal_mm, walls.thickness.samples, walls.thickness.opposite_faces
    found: list[Finding] = []
    told: set[int] = set()
    for face in sorted(foot):
        on_face = walls.is_wall & (samples.faces == face)
        if not on_face.any() or mesh.shapes[face].kind != "plane":
            continue
        other = int(np.bincount(opposite[on_face]).argmax())
        thick_mm = float(np.median(walls.thickness.thickness_mm[on_face]))
        is_rib = other in foot and other not in told and thick_mm < nominal_mm * 0.999
        if is_rib and thick_mm > rules.rib_warning * nominal_mm + SLACK_MM:
            told.add(face)
            spot = vector_of(samples.places_mm[np.flatnonzero(on_face)[0]])
            limit_mm = rules.rib_warning * nominal_mm
            detail = f"{label} has a rib of {format_mm(thick_mm)} at {format_point(spot)} on walls of {format_mm(nominal_mm)}"
            mend = f"{format_mm(limit_mm)} leaves no sink mark: make it thinner"
            found.append(_warning("mould_rib", label, f"{detail}; {mend}", (face, spot, thick_mm, limit_mm)))
    return found


def sharp_inner_edges(label: str, walls: Walls, inner: list[Edge], rules: MouldRules) -> list[Finding]:
    """Report, in one warning, inner edges without a radius: they crack, and plastic flows badly round them."""
    sharp = [edge for edge in inner if edge.turn_deg > SHARP_DEG]
    if not sharp or not walls.nominal_mm:
        return []
    longest = max(sharp, key=lambda edge: edge.length_mm)
    spot, limit_mm = vector_of(longest.middle_mm), rules.corner_per_wall * walls.nominal_mm
    detail = (
        f"{label} has {len(sharp)} sharp inner edge(s), the longest at {format_point(spot)}, radius 0 mm; a radius of "
        f"{format_mm(limit_mm)}, half the wall, keeps it from cracking"
    )
    return [_warning("mould_corner", label, detail, (longest.faces[0], spot, 0.0, limit_mm))]


def _warning(
    rule: WorkbenchRule, label: str, detail: str, measure: tuple[int, tuple[float, float, float], float, float]
) -> Finding:
    face, spot, measured, limit = measure
    return report(rule, label, detail, at=Spot(face, spot), measure=Measure(measured, limit, "mm"), severity="warning")

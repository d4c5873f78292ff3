"""Rules for the walls of a moulding: thick ones sink, thin ones do not fill, unequal ones warp."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from contracts.models.design import Finding, WorkbenchRule
from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.workshop_figures import MouldRules

from workbenches.edges import SHARP_DEG, Edge
from workbenches.findings import Measurement, Position, Severity, make_finding
from workbenches.interface import PartOrder
from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace
from workbenches.thickness import HALF_WAY, SLACK_MM, Thickness, Wall, measure_thickness, thinnest_wall, wall_at

FEW = 0.01
"""Share of all walls above which a thickness is not just that of a joint."""
TURNS = 4
"""Directions in which the width is measured."""
MANY = 0.05
COAXIAL_MM = 0.05
PARALLEL = 0.9999


@dataclass(frozen=True, eq=False)
class Walls:
    """The walls of a part. A thickness measured across a narrow side is not that of a wall."""

    mesh: PartMesh
    thickness: Thickness
    is_wall: BoolArray
    """(n,)"""

    @property
    def nominal_mm(self) -> float:
        """The median thickness; 0 without walls."""
        return self.quantile(0.5)[0] if self.is_wall.any() else 0.0

    def quantile(self, share: float) -> tuple[float, int]:
        """Return the thickness that a share of the walls' area does not exceed, and its sample."""
        walls = np.flatnonzero(self.is_wall)
        order = walls[np.argsort(self.thickness.thickness_mm[walls], kind="stable")]
        areas: FloatArray = np.cumsum(self.thickness.samples.areas_mm2[order])
        sample = int(order[min(int((areas < share * areas[-1]).sum()), len(order) - 1)])
        return float(self.thickness.thickness_mm[sample]), sample


@lru_cache(maxsize=2)
def walls_of(mesh: PartMesh) -> Walls:
    """Measure a part. Where it is narrower sideways than through, the wall is the one measured sideways."""
    thickness = measure_thickness(mesh)
    is_wall = thickness.is_wall
    is_wall[is_wall] = thickness.thickness_mm[is_wall] <= _sideways_mm(mesh, thickness, is_wall) * 1.05
    return Walls(mesh, thickness, is_wall)


def _sideways_mm(mesh: PartMesh, thickness: Thickness, chosen: BoolArray) -> FloatArray:
    """Return (n,): the smallest width of the material across the ray through each chosen sample, half-way."""
    normals = thickness.samples.normals[chosen]
    middles = thickness.samples.points_mm[chosen] - normals * thickness.thickness_mm[chosen][:, None] * HALF_WAY
    flattest = mesh.axes[np.argmin(np.abs(normals @ mesh.axes.T), axis=1)]
    first = np.cross(normals, flattest)
    first /= np.linalg.norm(first, axis=1)[:, None]
    second = np.cross(normals, first)
    turns = np.arange(TURNS)[:, None, None] * np.pi / TURNS
    sideways = (np.cos(turns) * first + np.sin(turns) * second).reshape(-1, 3)
    origins = np.tile(middles, (TURNS, 1))
    there, back = (mesh.first_hits(origins, way, through=None).distance_mm for way in (sideways, -sideways))
    return (there + back).reshape(TURNS, -1).min(axis=0)


def wall_thickness(walls: Walls, order: PartOrder, rules: MouldRules) -> list[Finding]:
    """Report walls that are too thin or too thick for the resin, and walls of too different thickness."""
    if not walls.is_wall.any():
        return []
    resin, (least_mm, most_mm) = order.material.id, rules.walls_mm[order.material.id]
    findings: list[Finding] = []
    thin = thinnest_wall(walls.mesh, walls.thickness, least_mm)
    thick_mm, thick = walls.quantile(1 - FEW)
    if thin is not None:
        reason = f"{resin} fills walls of at least {format_mm(least_mm)}: make it thicker"
        findings.append(_unsuitable_wall(order.label, thin, least_mm, reason))
    if thick_mm > most_mm + SLACK_MM:
        reason = f"{resin} sinks in walls beyond {format_mm(most_mm)}: hollow it out, and stiffen it with ribs"
        findings.append(_unsuitable_wall(order.label, wall_at(walls.thickness, thick), most_mm, reason))
    ratio = walls.quantile(1 - MANY)[0] / walls.quantile(MANY)[0]
    if ratio > rules.uniformity_warning + 1e-3:
        findings.append(_unequal_walls(order.label, walls, ratio, rules))
    return findings


def _unsuitable_wall(label: str, wall: Wall, limit_mm: float, reason: str) -> Finding:
    detail = f"{label} has a wall of {format_mm(wall.thickness_mm)} at {format_point(wall.at.point_mm)}; {reason}"
    measurement = Measurement(wall.thickness_mm, limit_mm, "mm")
    return make_finding("mould_wall", label, detail, at=wall.at, measurement=measurement)


def _unequal_walls(label: str, walls: Walls, ratio: float, rules: MouldRules) -> Finding:
    (thin_mm, _), (thick_mm, thick) = walls.quantile(MANY), walls.quantile(1 - MANY)
    point_mm = as_vector(walls.thickness.samples.points_mm[thick])
    detail = (
        f"{label} has walls from {format_mm(thin_mm)} to {format_mm(thick_mm)}, the thickest at "
        f"{format_point(point_mm)}: {ratio:.1f} times, up to {rules.uniformity_warning:g} times does not warp; make "
        "the walls equal"
    )
    at = Position(int(walls.thickness.samples.faces[thick]), point_mm)
    measurement = Measurement(ratio, rules.uniformity_warning, "mm/mm")
    return make_finding("mould_uniformity", label, detail, at=at, measurement=measurement, severity="warning")


def thick_ribs(label: str, mesh: PartMesh, walls: Walls, inner: list[Edge], rules: MouldRules) -> list[Finding]:
    """Report ribs so thick that the wall under them sinks."""
    feet = {face for edge in inner if edge.turn_deg > SHARP_DEG for face in edge.faces}
    nominal_mm, samples, opposite = walls.nominal_mm, walls.thickness.samples, walls.thickness.opposite_faces
    limit_mm = rules.rib_warning * nominal_mm
    ribs: list[tuple[float, int, int]] = []
    for face in feet:
        on_face = walls.is_wall & (samples.faces == face)
        if not on_face.any() or mesh.surfaces[face].kind != "plane":
            continue
        other = int(np.bincount(opposite[on_face]).argmax())
        thick_mm = float(np.average(walls.thickness.thickness_mm[on_face], weights=samples.areas_mm2[on_face]))
        if other in feet and limit_mm + SLACK_MM < thick_mm < nominal_mm * 0.999:
            ribs.append((thick_mm, face, other))
    findings: list[Finding] = []
    reported: set[int] = set()
    for thick_mm, face, other in sorted(ribs, reverse=True):
        if reported.isdisjoint((face, other)):
            reported |= {face, other}
            at = Position(face, as_vector(samples.points_mm[np.flatnonzero(samples.faces == face)[0]]))
            detail = (
                f"{label} has a rib of {format_mm(thick_mm)} at {format_point(at.point_mm)} on walls of "
                f"{format_mm(nominal_mm)}; up to {format_mm(limit_mm)} leaves no sink mark: make it thinner"
            )
            findings.append(_advice("mould_rib", label, detail, at, (thick_mm, limit_mm), severity="warning"))
    return findings


def thick_bosses(label: str, rounds: list[RoundFace], walls: Walls, rules: MouldRules) -> list[Finding]:
    """Report bosses, hollow pillars for screws, whose wall is thicker than a rib may be."""
    findings: list[Finding] = []
    limit_mm = rules.rib_warning * walls.nominal_mm
    for pillar in (face for face in rounds if face.is_full and not face.is_inner):
        for hole in (face for face in rounds if face.is_hole and _are_coaxial(pillar, face)):
            wall_mm = pillar.radius_mm - hole.radius_mm
            if not limit_mm + SLACK_MM < wall_mm < pillar.radius_mm:
                continue
            at = Position(pillar.face, as_vector(pillar.point_mm))
            detail = (
                f"{label} has a boss with a wall of {format_mm(wall_mm)} at {format_point(at.point_mm)} on walls of "
                f"{format_mm(walls.nominal_mm)}; up to {format_mm(limit_mm)} leaves no sink mark: make it thinner, and "
                "stiffen it with ribs"
            )
            findings.append(_advice("mould_boss", label, detail, at, (wall_mm, limit_mm), severity="info"))
    return findings


def _are_coaxial(one: RoundFace, other: RoundFace) -> bool:
    offset = other.axis_point_mm - one.axis_point_mm
    aside = offset - one.axis * float(offset @ one.axis)
    return abs(float(one.axis @ other.axis)) > PARALLEL and float(np.linalg.norm(aside)) < COAXIAL_MM


def sharp_inner_edges(label: str, walls: Walls, inner: list[Edge], rules: MouldRules) -> list[Finding]:
    """Report, in one warning, inner edges without a radius: they crack, and plastic flows badly around them."""
    sharp = [edge for edge in inner if edge.turn_deg > SHARP_DEG]
    if not sharp or not walls.nominal_mm:
        return []
    longest = max(sharp, key=lambda edge: edge.length_mm)
    at, limit_mm = Position(longest.faces[0], as_vector(longest.middle_mm)), rules.corner_per_wall * walls.nominal_mm
    detail = (
        f"{label} has {len(sharp)} sharp inner edge(s), the longest at {format_point(at.point_mm)}, radius 0 mm; a "
        f"radius of {format_mm(limit_mm)}, half the wall, keeps it from cracking"
    )
    return [_advice("mould_corner", label, detail, at, (0.0, limit_mm), severity="warning")]


def _advice(  # noqa: PLR0913 - all fields of a finding
    rule: WorkbenchRule, label: str, detail: str, at: Position, measured_mm: tuple[float, float], *, severity: Severity
) -> Finding:
    return make_finding(rule, label, detail, at=at, measurement=Measurement(*measured_mm, "mm"), severity=severity)

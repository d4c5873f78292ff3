"""Wall thickness: measured straight through the material to the face on the other side."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice

import numpy as np
from contracts.models.design import Finding, WorkbenchRule
from geometry.arrays import BoolArray, FloatArray, IntArray, as_vector
from geometry.formatting import format_mm, format_point
from geometry.occt.distances import ClosestPoints, closest_on_faces
from parts_catalog.methods.workshop_figures import WallLimits

from workbenches.edges import edges_of
from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_mesh import PartMesh, Samples

OPPOSED = -0.7
"""Largest cosine between the outward normals of a wall's two sides."""
SLACK_MM = 2e-3
"""What rounding and the approximation of offset surfaces may take from a wall."""
REACH = 2.5
"""A tip counts as a wall where it is thinner than a limit even this many limits from its edge: below 23 degrees."""
RELIEF = 2.0
"""A wall thickens at most by this factor within its own thickness; what does is a ridge, lower than it is thick."""
TURNS = 8
HALF_WAY = 0.4783
"""About half of a wall: rays along its very middle would graze faces that lie there in a symmetric part."""
AT_ONCE = 64
"""Samples that are looked at together."""
PAIRS = 2
"""Pairs of faces whose exact distance is computed."""


@dataclass(frozen=True)
class Thickness:
    """Wall thickness at points on the surface."""

    samples: Samples
    thickness_mm: FloatArray
    """(n,), inf at points without an opposite face."""
    lean_rad: FloatArray
    """(n,), between the two sides: 0 where they are parallel, pi without an opposite face."""
    opposite_faces: IntArray
    """(n,), the face on the other side, -1 without one."""

    @property
    def is_wall(self) -> BoolArray:
        """(n,), whether there is a face that looks the other way."""
        return -np.cos(self.lean_rad) < OPPOSED

    def effective_mm(self, limit_mm: float) -> FloatArray:
        """Return (n,): the thickness, but of a tip that of its material `REACH` limits from its edge.

        Faces that meet at an angle become thin at their edge however stout the part is. Twice the reach times the
        tangent of half that angle grows from 0 for parallel sides, and does not depend on where a sample lies.
        """
        return np.maximum(self.thickness_mm, 2 * REACH * limit_mm * np.tan(self.lean_rad / 2))


@dataclass(frozen=True)
class Wall:
    """A wall of a part, at one point."""

    thickness_mm: float
    at: Position


@lru_cache(maxsize=2)
def measure_thickness(mesh: PartMesh) -> Thickness:
    """Measure the thickness of the material below every sample."""
    samples = mesh.samples
    hits = mesh.first_hits(samples.points_mm, -samples.normals, through="material")
    cosine = np.einsum("nx,nx->n", hits.normals, samples.normals)
    lean = np.where(hits.is_hit, np.arccos((-cosine).clip(-1, 1)), np.pi)
    return Thickness(samples, np.maximum(hits.distance_mm, 0.0), lean, hits.faces)


def thinnest_wall(mesh: PartMesh, thickness: Thickness, limit_mm: float) -> Wall | None:
    """Return the thinnest wall below a limit; None if there is none."""
    effective = thickness.effective_mm(limit_mm)
    near = np.flatnonzero(effective < limit_mm * 1.25)
    sound = _beside_ridges(mesh, thickness, near[np.argsort(effective[near], kind="stable")])
    first = list(islice(sound, 1))
    walls = [replace(wall_at(thickness, sample), thickness_mm=float(effective[sample])) for sample in first]
    walls += [_between(mesh, thickness, sample, limit_mm) for sample in _pairs(thickness, chain(first, sound))]
    thinnest = min(filter(None, walls), key=lambda wall: wall.thickness_mm, default=None)
    return thinnest if thinnest and thinnest.thickness_mm < limit_mm - SLACK_MM else None


def thin_walls(label: str, rule: WorkbenchRule, mesh: PartMesh, limits: WallLimits) -> list[Finding]:
    """Report the thinnest wall if it is below a limit."""
    thickness = measure_thickness(mesh)
    for limit_mm, is_error in ((limits.error_below_mm, True), (limits.warning_below_mm, False)):
        thin = thinnest_wall(mesh, thickness, limit_mm)
        if thin is None:
            continue
        detail = (
            f"{label} has a wall of {format_mm(thin.thickness_mm)} at {format_point(thin.at.point_mm)}, the "
            f"{'minimum' if is_error else 'recommended minimum'} is {format_mm(limit_mm)}; make it "
            f"{format_mm(limit_mm - thin.thickness_mm)} thicker"
        )
        measurement = Measurement(thin.thickness_mm, limit_mm, "mm")
        severity = "error" if is_error else "warning"
        return [make_finding(rule, label, detail, at=thin.at, measurement=measurement, severity=severity)]
    return []


def wall_at(thickness: Thickness, sample: int) -> Wall:
    """Return the wall below a sample."""
    face, point_mm = int(thickness.samples.faces[sample]), as_vector(thickness.samples.points_mm[sample])
    return Wall(float(thickness.thickness_mm[sample]), Position(face, point_mm))


def _beside_ridges(mesh: PartMesh, thickness: Thickness, near: IntArray) -> Iterator[int]:
    """Yield the samples that are not on ridges, in their order; few of them are looked at."""
    for start in range(0, len(near), AT_ONCE):
        some = near[start : start + AT_ONCE]
        yield from map(int, some[~_are_ridges(mesh, thickness, some)])


def _are_ridges(mesh: PartMesh, thickness: Thickness, chosen: IntArray) -> BoolArray:
    """Return (n,): whether the material beside each chosen sample is so much thicker that there is no wall."""
    normals, thick = thickness.samples.normals[chosen], thickness.thickness_mm[chosen]
    middles = thickness.samples.points_mm[chosen] - normals * thick[:, None] * HALF_WAY
    first = np.cross(normals, mesh.axes[np.argmin(np.abs(normals @ mesh.axes.T), axis=1)])
    first /= np.linalg.norm(first, axis=1)[:, None]
    second = np.cross(normals, first)
    turns = np.arange(TURNS)[:, None, None] * 2 * np.pi / TURNS
    beside = (middles + thick[:, None] * (np.cos(turns) * first + np.sin(turns) * second)).reshape(-1, 3)
    ways = np.tile(normals, (TURNS, 1))
    up, down = (mesh.first_hits(beside, way, through=None, exact=False) for way in (ways, -ways))
    is_inside = (np.einsum("nx,nx->n", up.normals, ways) > 0) & (np.einsum("nx,nx->n", down.normals, ways) < 0)
    is_thick = up.distance_mm + down.distance_mm >= RELIEF * np.tile(thick, TURNS)
    return (is_inside & is_thick).reshape(TURNS, -1).any(axis=0)


def _pairs(thickness: Thickness, samples: Iterable[int]) -> list[int]:
    """Return the first sample of each pair of faces, of the first few pairs."""
    chosen: dict[tuple[int, int], int] = {}
    for sample in samples:
        one, other = int(thickness.samples.faces[sample]), int(thickness.opposite_faces[sample])
        if one != other:
            chosen.setdefault((min(one, other), max(one, other)), sample)
        if len(chosen) == PAIRS:
            break
    return list(chosen.values())


@lru_cache(maxsize=8)
def _closest(mesh: PartMesh, one: int, other: int) -> ClosestPoints:
    """Return the closest points of two faces; methods and limits ask for the same ones."""
    return closest_on_faces(mesh.faces[one], mesh.faces[other])


def _between(mesh: PartMesh, thickness: Thickness, sample: int, limit_mm: float) -> Wall | None:
    """Return the wall between the closest points of a sample's two faces; None if they do not face each other.

    Of faces that meet it is the tip at their edge.
    """
    one, other = int(thickness.samples.faces[sample]), int(thickness.opposite_faces[sample])
    found = _closest(mesh, one, other)
    across = np.array(found.second_mm) - np.array(found.first_mm)
    gap_mm = float(np.linalg.norm(across))
    if gap_mm < SLACK_MM:
        return _at_edge(mesh, (one, other), limit_mm)
    first, second = mesh.normal_at(one, found.first_mm), mesh.normal_at(other, found.second_mm)
    cosines = (float(-first @ across) / gap_mm, float(second @ across) / gap_mm, float(-first @ second))
    lean = float(np.arccos(np.clip(min(cosines), -1, 1)))
    if min(cosines) < -OPPOSED:
        return None
    thick_mm = max(gap_mm, 2 * REACH * limit_mm * float(np.tan(lean / 2)))
    return Wall(thick_mm, Position(one, found.first_mm))


def _at_edge(mesh: PartMesh, faces: tuple[int, int], limit_mm: float) -> Wall | None:
    """Return the tip where two faces meet, at the sharpest place of their edge; None if it is blunt."""
    points = [edge.segments_mm.reshape(-1, 3) for edge in edges_of(mesh) if not edge.is_concave and edge.joins(faces)]
    if not points:
        return None
    ends = [as_vector(point) for point in np.unique(np.vstack(points), axis=0)]
    cosines = [float(-mesh.normal_at(faces[0], end) @ mesh.normal_at(faces[1], end)) for end in ends]
    sharpest = int(np.argmax(cosines))
    if cosines[sharpest] < -OPPOSED:
        return None
    lean = float(np.arccos(np.clip(cosines[sharpest], -1, 1)))
    return Wall(2 * REACH * limit_mm * float(np.tan(lean / 2)), Position(faces[0], ends[sharpest]))

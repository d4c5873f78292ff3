"""A part on the lathe: its axis, its outline and bore about it, and which of its faces are turned."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from geometry.arrays import BoolArray, FloatArray
from geometry.occt.surfaces import axis_of
from parts_catalog.methods.turning.figures import TURNING_RULES, TurningRules

from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace, round_faces

COAXIAL_MM = 0.01
PARALLEL = 1 - 1e-6
STATIONS = 120
"""Places along the axis at which the outline is measured."""
TURNS = 48
OUTSIDE_MM = 1.0
UNEVEN = 0.0037
"""Of the length, by which stations shift: steps lie at round shares of it, and no station should. Ends are alike."""
SAME = 1e-3
"""Relative difference of areas and volumes that are equal but for how OCCT computed their edges."""
THREAD = 0.3
"""Largest cosine between the normals of a thread and the planes through the axis: leads of up to 17 degrees."""


@dataclass(frozen=True)
class Axis:
    """An axis of revolution."""

    point_mm: FloatArray
    """(3,), a point of it."""
    direction: FloatArray
    """(3,), unit vector."""

    def radial(self, points_mm: FloatArray) -> FloatArray:
        """Return (n, 3): the offset of each point from the axis."""
        offsets = points_mm - self.point_mm
        return offsets - np.outer(offsets @ self.direction, self.direction)

    def is_that_of(self, point_mm: FloatArray, direction: FloatArray) -> bool:
        """Tell whether a line is this axis."""
        parallel = abs(float(direction @ self.direction)) > PARALLEL
        return parallel and float(np.linalg.norm(self.radial(point_mm[None])[0])) < COAXIAL_MM


@dataclass(frozen=True)
class TurnedOutline:
    """Radii of the part at stations along its axis."""

    along_mm: FloatArray
    """(n,)"""
    lengths_mm: FloatArray
    """(n,), for which each station stands."""
    outer_mm: FloatArray
    """(n,), the largest radius at each station."""
    inner_mm: FloatArray
    """(n,), the smallest radius of the bore at each station, 0 where the axis lies in material."""
    milled_mm3: float
    """What the turned body has and the part does not."""

    @property
    def milled_share(self) -> float:
        """Share of the turned body that the part does not have; all of it where every ray misses a small part."""
        turned_mm3 = float(np.pi * (self.lengths_mm * (self.outer_mm**2 - self.inner_mm**2)).sum())
        return self.milled_mm3 / turned_mm3 if turned_mm3 > 0.0 else 1.0


@dataclass(frozen=True, eq=False)
class Spindle:
    """A part about its axis; each property is computed once."""

    mesh: PartMesh
    axis: Axis
    rules: TurningRules

    @cached_property
    def rounds(self) -> list[RoundFace]:
        """Its cylindrical faces."""
        return round_faces(self.mesh)

    @cached_property
    def range_mm(self) -> tuple[float, float]:
        """From where to where it reaches along the axis."""
        along = (self.mesh.vertices_mm - self.axis.point_mm) @ self.axis.direction
        return float(along.min()), float(along.max())

    @cached_property
    def radius_mm(self) -> float:
        """Of the cylinder around it."""
        round_mm = [face.radius_mm for face in self.rounds if self.is_coaxial(face) and not face.is_inner]
        farthest = np.linalg.norm(self.axis.radial(self.mesh.vertices_mm), axis=1).max()
        return max([float(farthest), *round_mm])

    @cached_property
    def tilt(self) -> FloatArray:
        """(n,), of each sample's normal out of the plane through it and the axis, as a cosine with its sign."""
        samples = self.mesh.samples
        radial = self.axis.radial(samples.points_mm)
        lengths = np.linalg.norm(radial, axis=1)
        sideways = np.cross(self.axis.direction, radial) / np.maximum(lengths, 1e-9)[:, None]
        return np.where(lengths > COAXIAL_MM, np.einsum("nx,nx->n", samples.normals, sideways), 0.0)

    @cached_property
    def turned(self) -> BoolArray:
        """(f,), whether each face is one of revolution about the axis."""
        return np.array([self._mean(face, np.abs(self.tilt)) < self.rules.round_share for face in self._faces])

    @cached_property
    def threads(self) -> list[int]:
        """Faces that wind about the axis: all of their normals lean a few degrees out of the planes through it."""
        found: list[int] = []
        for face in self._faces:
            tilts = self.tilt[self.mesh.samples.faces == face]
            if self.mesh.surfaces[face].kind != "other" or self.turned[face] or not len(tilts):
                continue
            if float(np.abs(tilts).max()) < THREAD:
                found.append(face)
        return found

    @cached_property
    def milled(self) -> list[int]:
        """Faces that are neither turned nor threads."""
        return [face for face in self._faces if not self.turned[face] and face not in self.threads]

    @cached_property
    def outline(self) -> TurnedOutline:
        """Measured by rays from outside and from the axis."""
        low, high = self.range_mm
        shares: FloatArray = (np.arange(STATIONS) + 0.5) / STATIONS
        along: FloatArray = low + (high - low) * (shares + UNEVEN * np.sin(2 * np.pi * shares))
        lengths: FloatArray = (high - low) / STATIONS * (1 + 2 * np.pi * UNEVEN * np.cos(2 * np.pi * shares))
        outer, inner = self._outer_mm(along), self._inner_mm(along)
        largest, smallest = outer.max(axis=1), inner.min(axis=1)
        missing = (largest**2 - smallest**2)[:, None] - np.maximum(outer**2 - inner**2, 0)  # a ray may meet nothing
        return TurnedOutline(along, lengths, largest, smallest, float(np.pi * (lengths * missing.mean(axis=1)).sum()))

    def outer_at(self, along_mm: float) -> float:
        """Return the largest radius at one place along the axis."""
        return float(self._outer_mm(np.array([along_mm])).max())

    def is_coaxial(self, face: RoundFace) -> bool:
        """Tell whether a cylinder lies about the axis."""
        return self.axis.is_that_of(face.axis_point_mm, face.axis)

    def ends_of(self, face: int) -> tuple[float, float]:
        """Return from where to where a face reaches along the axis."""
        corners = self.mesh.vertices_mm[self.mesh.triangles[self.mesh.face_of == face]].reshape(-1, 3)
        along = (corners - self.axis.point_mm) @ self.axis.direction
        return float(along.min()), float(along.max())

    @property
    def _faces(self) -> range:
        return range(len(self.mesh.surfaces))

    def _mean(self, face: int, values: FloatArray) -> float:
        on_face = self.mesh.samples.faces == face
        areas = self.mesh.samples.areas_mm2[on_face]
        return float((values[on_face] * areas).sum() / areas.sum()) if areas.size else 0.0

    @cached_property
    def _turns(self) -> FloatArray:
        """(t, 3), directions across the axis."""
        across = self.mesh.axes[int(np.argmin(np.abs(self.mesh.axes @ self.axis.direction)))]
        first = np.cross(self.axis.direction, across)
        first /= np.linalg.norm(first)
        second = np.cross(self.axis.direction, first)
        angles = (np.arange(TURNS) + 0.5) * 2 * np.pi / TURNS  # a mirrored part meets the same rays
        return np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second)

    def _outer_mm(self, along_mm: FloatArray) -> FloatArray:
        """Return (n, t): the radius at which rays towards the axis meet the part, 0 where they miss it."""
        start_mm = self.radius_mm + OUTSIDE_MM
        centers = self.axis.point_mm + np.outer(along_mm, self.axis.direction)
        origins = (centers[:, None] + start_mm * self._turns[None]).reshape(-1, 3)
        rays = np.tile(-self._turns, (len(along_mm), 1))
        hits = self.mesh.first_hits(origins, rays, through=None)
        radii = np.where(hits.is_hit, start_mm - hits.distance_mm, 0.0)
        return np.maximum(radii, 0.0).reshape(len(along_mm), -1)

    def _inner_mm(self, along_mm: FloatArray) -> FloatArray:
        """Return (n, t): the radius at which rays from the axis enter the part, 0 where the axis lies in it."""
        centers = self.axis.point_mm + np.outer(along_mm, self.axis.direction)
        origins = np.repeat(centers, TURNS, axis=0)
        rays = np.tile(self._turns, (len(along_mm), 1))
        hits = self.mesh.first_hits(origins, rays, through=None)
        enters = hits.is_hit & (np.einsum("nx,nx->n", hits.normals, rays) < 0)
        radii = np.where(enters, hits.distance_mm, np.where(hits.is_hit, 0.0, np.inf)).reshape(len(along_mm), -1)
        closed = np.isfinite(radii)
        return np.where(closed, radii, np.where(closed, radii, 0.0).max(axis=1)[:, None])


@lru_cache(maxsize=2)
def spindle_of(mesh: PartMesh) -> Spindle | None:
    """Return a part about the axis of most of its round faces; None if it has none.

    Among axes with equally much, and for balls, it is that of the smallest bar, and of the least to be milled away.
    """
    lines, areas = _lines(mesh)
    if lines:
        largest = max(areas)
        lines = [line for line, area in zip(lines, areas, strict=True) if area > largest * (1 - SAME)]
    else:
        balls = [surface.axis_point_mm for surface in mesh.surfaces if surface.kind == "sphere"]
        lines = [Axis(np.array(center), direction) for center in balls for direction in mesh.axes]
    spindles = [Spindle(mesh, line, TURNING_RULES) for line in lines]
    if not spindles:
        return None
    least_mm3 = min(_around_mm3(spindle) for spindle in spindles)
    smallest = [spindle for spindle in spindles if _around_mm3(spindle) < least_mm3 * (1 + SAME)]
    return smallest[0] if len(smallest) == 1 else min(smallest, key=lambda spindle: spindle.outline.milled_mm3)


def _lines(mesh: PartMesh) -> tuple[list[Axis], list[float]]:
    """Return the axes of its faces of revolution, and the area about each."""
    lines: list[Axis] = []
    areas: list[float] = []
    for face, area in zip(mesh.faces, mesh.face_areas_mm2, strict=True):
        line = axis_of(face)
        if line is None:
            continue
        point, direction = np.array(line[0]), np.array(line[1])
        same = next((number for number, axis in enumerate(lines) if axis.is_that_of(point, direction)), None)
        if same is None:
            lines.append(Axis(point - direction * float(point @ direction), direction))
            areas.append(float(area))
        else:
            areas[same] += float(area)
    return lines, areas


def _around_mm3(spindle: Spindle) -> float:
    low, high = spindle.range_mm
    return float(np.pi) * spindle.radius_mm**2 * (high - low)

"""The triangulated surface of one part, with the face of each triangle, and ray casting on it."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
# trimesh leaves most of its types open; everything that this module exports is typed.

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import embreex  # noqa: F401  # pyright: ignore[reportUnusedImport] - trimesh silently falls back to slow rays without it
import numpy as np
import trimesh
from build123d import Solid
from geometry.arrays import BoolArray, FloatArray, IntArray
from geometry.occt.meshes import face_meshes
from geometry.occt.surfaces import FaceSurface, surface_of

DEFLECTION_MM = 0.05
ANGLE_RAD = 0.35
SAMPLE_SEED = 20261121
OFF_SURFACE_MM = 1e-3
"""Distance of a ray's origin from the surface: more than the rounding errors of embree's float32."""

OFF_FACETS_MM = 1.2 * DEFLECTION_MM
"""The same for rays along a round wall, which its facets would block."""
FACET_TILT = 0.05
"""Sine of the angle by which facets of a short round wall may lean although the wall does not."""


@dataclass(frozen=True)
class Samples:
    """Points on the surface."""

    points_mm: FloatArray
    """(n, 3)"""
    normals: FloatArray
    """(n, 3), outwards, unit length."""
    faces: IntArray
    """(n,), the face of each point."""


@dataclass(frozen=True)
class Hits:
    """The first intersections of rays with the surface."""

    is_hit: BoolArray
    """(n,)"""
    distance_mm: FloatArray
    """(n,), inf without a hit."""
    faces: IntArray
    """(n,), -1 without a hit."""
    normals: FloatArray
    """(n, 3), of the surface, outwards; 0 without a hit."""


@dataclass(frozen=True, eq=False)
class PartMesh:
    """The surface of one solid."""

    solid: Solid
    vertices_mm: FloatArray
    """(v, 3); faces share no vertices."""
    triangles: IntArray
    """(t, 3), counter-clockwise seen from outside."""
    face_of: IntArray
    """(t,), the face of each triangle, in the order of `solid.faces()`."""

    @classmethod
    def of(cls, solid: Solid) -> "PartMesh":
        """Triangulate a valid solid once, for all checks."""
        faces = face_meshes(solid, DEFLECTION_MM, ANGLE_RAD)
        starts = np.cumsum([0, *(len(face.vertices_mm) for face in faces)])
        triangles = [face.triangles + start for face, start in zip(faces, starts, strict=False)]
        numbers = [np.full(len(face.triangles), number) for number, face in enumerate(faces)]
        return cls(
            solid,
            np.vstack([face.vertices_mm for face in faces]),
            np.vstack(triangles).astype(np.int64),
            np.concatenate(numbers).astype(np.int64),
        )

    @cached_property
    def surfaces(self) -> Sequence[FaceSurface]:
        """The surface of each face."""
        return [surface_of(face) for face in self.solid.faces()]

    @cached_property
    def areas_mm2(self) -> FloatArray:
        """(t,)"""
        return np.linalg.norm(self._crosses, axis=1) / 2

    @cached_property
    def normals(self) -> FloatArray:
        """(t, 3), outwards, unit length."""
        return self._crosses / np.maximum(np.linalg.norm(self._crosses, axis=1), 1e-30)[:, None]

    @cached_property
    def _crosses(self) -> FloatArray:
        corners = self.vertices_mm[self.triangles]
        return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])

    @cached_property
    def _rays(self) -> Any:  # noqa: ANN401 - trimesh's intersector
        mesh = trimesh.Trimesh(self.vertices_mm, self.triangles, process=False)
        return mesh.ray

    def samples(self, count: int) -> Samples:
        """Return about `count` points, spread by area, at least two on every face; the same at every call."""
        random = np.random.default_rng(SAMPLE_SEED)
        chosen = random.choice(len(self.triangles), size=count, p=self.areas_mm2 / self.areas_mm2.sum())
        largest = self._largest_triangles
        chosen = np.concatenate([chosen, largest, largest])
        weights = random.dirichlet((1.0, 1.0, 1.0), size=len(chosen))
        points = np.einsum("nc,ncx->nx", weights, self.vertices_mm[self.triangles[chosen]])
        return Samples(points, self.normals[chosen], self.face_of[chosen])

    @cached_property
    def _largest_triangles(self) -> IntArray:
        """(faces,): the index of the largest triangle of each face."""
        order = np.lexsort((-self.areas_mm2, self.face_of))
        _, first = np.unique(self.face_of[order], return_index=True)
        return order[first].astype(np.int64)

    def first_hits(self, origins_mm: FloatArray, directions: FloatArray) -> Hits:
        """Cast one ray from each origin (n, 3) along each unit vector (n, 3)."""
        hit_triangle: IntArray = self._rays.intersects_first(origins_mm, directions)
        is_hit = hit_triangle >= 0
        distance, faces, normals = (
            np.full(len(origins_mm), np.inf),
            np.full(len(origins_mm), -1),
            np.zeros((len(origins_mm), 3)),
        )
        hit = hit_triangle[is_hit]
        normals[is_hit], faces[is_hit] = self.normals[hit], self.face_of[hit]
        corner = self.vertices_mm[self.triangles[hit, 0]]
        along = np.einsum("nx,nx->n", directions[is_hit], self.normals[hit])
        gap = np.einsum("nx,nx->n", corner - origins_mm[is_hit], self.normals[hit])
        distance[is_hit] = gap / np.where(np.abs(along) < 1e-12, 1e-12, along)
        return Hits(is_hit, distance, faces.astype(np.int64), normals)

    def is_visible(self, samples: Samples, direction: FloatArray) -> BoolArray:
        """Return (n,): whether each sample is visible from far away in `direction`."""
        origins = samples.points_mm + samples.normals * OFF_FACETS_MM
        rays = np.tile(direction, (len(origins), 1))
        facing = samples.normals @ direction > -FACET_TILT
        visible = np.zeros(len(origins), dtype=np.bool_)
        visible[facing] = ~np.asarray(self._rays.intersects_any(origins[facing], rays[facing]), dtype=np.bool_)
        return visible

"""One part as the workbenches look at it: triangles that know their face, and rays through them."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
# trimesh leaves most of its types open; what leaves this module is typed.

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import embreex  # noqa: F401  # pyright: ignore[reportUnusedImport] - fails here, and not by being slow, when it is away
import numpy as np
import trimesh
from build123d import Solid
from geometry.occt.meshes import face_meshes
from geometry.occt.surfaces import FaceSurface, surface_of
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

DEFLECTION_MM = 0.05
ANGLE_RAD = 0.35
SAMPLE_SEED = 20261121
OFF_SURFACE_MM = 1e-3
"""A ray begins this far from the surface it leaves: farther than float32, in which embree counts, can be wrong."""

OFF_FACETS_MM = 1.2 * DEFLECTION_MM
"""A ray along a round wall begins farther away still: the facets of the wall stand in its way."""
FACET_TILT = 0.05
"""Sine by which the facets of a short round wall may lean over although the wall does not."""


@dataclass(frozen=True)
class Samples:
    """Places on the surface."""

    places_mm: Floats
    """(n, 3)"""
    normals: Floats
    """(n, 3), outwards, unit length."""
    faces: Ints
    """(n,), the face of each."""


@dataclass(frozen=True)
class Hits:
    """Where rays struck first."""

    struck: Flags
    """(n,), whether a ray struck anything."""
    distance_mm: Floats
    """(n,), inf where it did not."""
    faces: Ints
    """(n,), -1 where it did not."""
    normals: Floats
    """(n, 3), of the surface struck, outwards; 0 where none was."""


@dataclass(frozen=True, eq=False)
class PartMesh:
    """The surface of one solid."""

    solid: Solid
    vertices_mm: Floats
    """(v, 3); faces share none."""
    triangles: Ints
    """(t, 3), counter-clockwise seen from outside."""
    face_of: Ints
    """(t,), the face that each triangle lies on, in the order of `solid.faces()`."""

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
    def shapes(self) -> Sequence[FaceSurface]:
        """What each face is."""
        return [surface_of(face) for face in self.solid.faces()]

    @cached_property
    def areas_mm2(self) -> Floats:
        """(t,)"""
        return np.linalg.norm(self._crosses, axis=1) / 2

    @cached_property
    def normals(self) -> Floats:
        """(t, 3), outwards, unit length."""
        return self._crosses / np.maximum(np.linalg.norm(self._crosses, axis=1), 1e-30)[:, None]

    @cached_property
    def _crosses(self) -> Floats:
        corners = self.vertices_mm[self.triangles]
        return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])

    @cached_property
    def _rays(self) -> Any:  # noqa: ANN401 - trimesh's intersector
        mesh = trimesh.Trimesh(self.vertices_mm, self.triangles, process=False)
        return mesh.ray

    def samples(self, count: int) -> Samples:
        """Return about `count` places, spread by area, at least two on every face; the same at every call."""
        random = np.random.default_rng(SAMPLE_SEED)
        chosen = random.choice(len(self.triangles), size=count, p=self.areas_mm2 / self.areas_mm2.sum())
        largest = self._largest_triangles
        chosen = np.concatenate([chosen, largest, largest])
        weights = random.dirichlet((1.0, 1.0, 1.0), size=len(chosen))
        places = np.einsum("nc,ncx->nx", weights, self.vertices_mm[self.triangles[chosen]])
        return Samples(places, self.normals[chosen], self.face_of[chosen])

    @cached_property
    def _largest_triangles(self) -> Ints:
        """(faces,), of each face the index of its largest triangle."""
        order = np.lexsort((-self.areas_mm2, self.face_of))
        _, first = np.unique(self.face_of[order], return_index=True)
        return order[first].astype(np.int64)

    def first_hits(self, origins_mm: Floats, directions: Floats) -> Hits:
        """Send one ray from each origin (n, 3) along each unit vector (n, 3)."""
        struck_triangle: Ints = self._rays.intersects_first(origins_mm, directions)
        struck = struck_triangle >= 0
        distance, faces, normals = (
            np.full(len(origins_mm), np.inf),
            np.full(len(origins_mm), -1),
            np.zeros((len(origins_mm), 3)),
        )
        hit = struck_triangle[struck]
        normals[struck], faces[struck] = self.normals[hit], self.face_of[hit]
        corner = self.vertices_mm[self.triangles[hit, 0]]
        along = np.einsum("nx,nx->n", directions[struck], self.normals[hit])
        gap = np.einsum("nx,nx->n", corner - origins_mm[struck], self.normals[hit])
        distance[struck] = gap / np.where(np.abs(along) < 1e-12, 1e-12, along)
        return Hits(struck, distance, faces.astype(np.int64), normals)

    def sees_sky(self, samples: Samples, direction: Floats) -> Flags:
        """(n,), whether a straight line leaves each sample along `direction` without striking the part."""
        origins = samples.places_mm + samples.normals * OFF_FACETS_MM
        rays = np.tile(direction, (len(origins), 1))
        facing = samples.normals @ direction > -FACET_TILT
        free = np.zeros(len(origins), dtype=np.bool_)
        free[facing] = ~np.asarray(self._rays.intersects_any(origins[facing], rays[facing]), dtype=np.bool_)
        return free

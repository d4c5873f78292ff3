"""The surface of one part: triangles with the face of each, samples and ray casting, exact on curved faces too."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
# trimesh leaves most of its types open; everything that this module exports is typed.

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import embreex  # noqa: F401  # pyright: ignore[reportUnusedImport] - trimesh silently falls back to slow rays without it
import numpy as np
import trimesh
from build123d import CenterOf, Face, Solid
from contracts.models.geometry import Vector
from geometry.arrays import BoolArray, FloatArray, IntArray
from geometry.lattice import lattice_points
from geometry.occt.distances import distance_of_face_mm
from geometry.occt.measures import face_area_mm2, volume_integrals
from geometry.occt.merged_faces import ANGLE_RAD, DEFLECTION_MM, merge_faces
from geometry.occt.meshes import face_meshes, joined
from geometry.occt.surface_points import ExactSurface
from geometry.occt.surfaces import FaceSurface, surface_of

from workbenches.part_frame import bounds_mm, own_axes

SAMPLES = 4000
"""About so many samples on a part whose faces are all large and along its axes."""
LEAST_SAMPLES = 12
"""On a face, whose lattice is halved until it has them."""
FINEST = 2**-6
OFF_SURFACE_MM = 1e-3
"""Distance of a ray's origin from the surface: more than the rounding errors of embree's float32."""

OFF_FACETS_MM = 1.2 * DEFLECTION_MM
"""The same for rays along a round wall, which its facets would block."""
SKIN_MM = 4 * DEFLECTION_MM
"""A facet that a ray meets so close to its origin may be of the origin's own face."""
RIM_MM2 = 0.25
"""Area of what lies in the seam where faces meet, and of faces that are left over there."""
OWN_MM = 5 * OFF_SURFACE_MM
"""Where a ray from a surface meets that surface itself."""
ATTEMPTS = 3
"""Facets of a ray's own face that it may meet before it leaves it."""
TILT = 1e-3
"""Sine of the angle by which a wall may lean away and still be seen."""

Medium = Literal["material", "air"]


@dataclass(frozen=True)
class Samples:
    """Points on the surface, the same for equal solids however they are drawn."""

    points_mm: FloatArray
    """(n, 3)"""
    normals: FloatArray
    """(n, 3), outwards, unit length."""
    faces: IntArray
    """(n,), the face of each point."""
    areas_mm2: FloatArray
    """(n,), the part of the surface for which each point stands."""

    def share_of(self, face: int, chosen: BoolArray) -> float:
        """Return the share of a face's area for which chosen (n,) points stand."""
        on_face = self.faces == face
        return float(self.areas_mm2[on_face & chosen].sum() / self.areas_mm2[on_face].sum())

    def are_most(self, face: int, chosen: BoolArray, share: float) -> bool:
        """Tell whether chosen (n,) points stand for this share of a face, but for its rim or a single point."""
        others = (self.faces == face) & ~chosen
        is_rim = np.count_nonzero(others) <= 1 or self.areas_mm2[others].sum() < RIM_MM2
        return bool(is_rim) or self.share_of(face, chosen) >= share


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

    drawn: Solid
    solid: Solid
    """The same with each surface in one face."""
    origins: Sequence[tuple[int, ...]]
    """Of which faces of the solid as it was drawn each face consists."""
    vertices_mm: FloatArray
    """(v, 3); faces share no vertices."""
    parameters: FloatArray
    """(v, 2): u and v of each vertex on its face's surface."""
    triangles: IntArray
    """(t, 3), counter-clockwise seen from outside."""
    face_of: IntArray
    """(t,), the face of each triangle, in the order of `solid.faces()`."""

    @classmethod
    def of(cls, solid: Solid) -> "PartMesh":
        """Triangulate a valid solid once, for all checks."""
        merged, origins = merge_faces(solid)
        faces = face_meshes(merged, DEFLECTION_MM, ANGLE_RAD)
        whole = joined(faces)
        numbers = [np.full(len(face.triangles), number) for number, face in enumerate(faces)]
        return cls(
            solid,
            merged,
            origins,
            whole.vertices_mm,
            whole.parameters,
            whole.triangles.astype(np.int64),
            np.concatenate(numbers).astype(np.int64),
        )

    @cached_property
    def faces(self) -> Sequence[Face]:
        """The faces of `solid`."""
        return list(self.solid.faces())

    @cached_property
    def volume_mm3(self) -> float:
        """The exact volume."""
        return volume_integrals(self.solid).volume_mm3

    @cached_property
    def surfaces(self) -> Sequence[FaceSurface]:
        """The surface of each face."""
        return [surface_of(face) for face in self.faces]

    @cached_property
    def face_areas_mm2(self) -> FloatArray:
        """(f,), exact."""
        return np.array([face_area_mm2(face.wrapped) for face in self.faces])

    @cached_property
    def area_mm2(self) -> float:
        """The exact area of the whole surface."""
        return float(self.face_areas_mm2.sum())

    @cached_property
    def axes(self) -> FloatArray:
        """(3, 3), the part's own; see `own_axes`."""
        return own_axes(self.solid, self.surfaces, self.face_areas_mm2)

    @cached_property
    def extents_mm(self) -> FloatArray:
        """(3,), the part's length along each of its own axes."""
        low, high = self._bounds_mm
        return high - low

    def range_mm(self, direction: FloatArray) -> tuple[float, float]:
        """Return from where to where the part reaches along one of its six directions."""
        low, high = self._bounds_mm
        axis = int(np.argmax(np.abs(self.axes @ direction)))
        if self.axes[axis] @ direction > 0:
            return float(low[axis]), float(high[axis])
        return -float(high[axis]), -float(low[axis])

    @cached_property
    def areas_mm2(self) -> FloatArray:
        """(t,)"""
        return np.linalg.norm(self._crosses, axis=1) / 2

    @cached_property
    def normals(self) -> FloatArray:
        """(t, 3), of the triangles, outwards, unit length."""
        return self._crosses / np.maximum(np.linalg.norm(self._crosses, axis=1), 1e-30)[:, None]

    @cached_property
    def samples(self) -> Samples:
        """Points where a lattice along the part's own axes meets its surface, some on every face."""
        corners = (self.vertices_mm - np.array(tuple(self.solid.center(CenterOf.MASS)))) @ self.axes.T
        spacing_mm = self._spacing_mm
        found = [lattice_points(corners[self.triangles], axis, spacing_mm, self.face_of) for axis in range(3)]
        missed = self._largest_triangles(np.unique(np.concatenate([self.face_of[each.triangles] for each in found])))
        triangles = np.concatenate([*(each.triangles for each in found), missed])
        weights = np.concatenate([*(each.weights for each in found), np.full((len(missed), 3), 1 / 3)])
        directions = np.repeat(self.axes, [len(each.triangles) for each in found], axis=0)
        directions = np.vstack([directions, self.normals[missed]])
        points, normals, _ = self._on_surface(triangles, weights, directions)
        areas = spacing_mm[triangles] ** 2 / np.abs(normals @ self.axes.T).sum(axis=1)
        faces = self.face_of[triangles]
        sums = np.bincount(faces, weights=areas, minlength=len(self.face_areas_mm2))
        return Samples(points, normals, faces, areas * (self.face_areas_mm2 / np.maximum(sums, 1e-30))[faces])

    def first_hits(
        self, origins_mm: FloatArray, directions: FloatArray, *, through: Medium | None, exact: bool = True
    ) -> Hits:
        """Cast one ray from each origin (n, 3) along each unit vector (n, 3).

        From points on the surface, `through` tells where the rays go: a facet that they meet from the wrong side right
        at their origin is that of the face on which the origin lies, as is one whose exact surface they meet there; one
        at whose face they pass by is left out.
        Hits that are not `exact` lie on facets.
        """
        hit, distance = self._cast(origins_mm, directions, np.full(len(origins_mm), OFF_SURFACE_MM))
        wrong = (hit >= 0) & (distance < SKIN_MM) & (through is not None)
        enters = np.einsum("nx,nx->n", self.normals[hit[wrong]], directions[wrong]) < 0
        wrong[wrong] = enters == (through == "material")
        hit[wrong], distance[wrong] = self._cast(origins_mm[wrong], directions[wrong], distance[wrong] + OFF_SURFACE_MM)
        if not exact:
            return self._hits(hit, distance, self._normals_at(hit))
        on_facets = distance.copy()
        normals, passed = self._refine(origins_mm, directions, hit, distance)
        for _ in range(ATTEMPTS):
            own = (distance < OWN_MM) & (through is not None)
            again = (passed | own) & (on_facets < SKIN_MM)
            if not again.any():
                break
            origins, ways = origins_mm[again], directions[again]
            hit[again], distance[again] = self._cast(origins, ways, on_facets[again] + OFF_SURFACE_MM)
            on_facets[again], beyond = distance[again], distance[again]
            normals[again], passed[again] = self._refine(origins, ways, hit[again], beyond)
            distance[again] = beyond
        return self._hits(hit, distance, normals)

    def drawn_face(self, face: int, point_mm: Vector) -> int:
        """Return which face of the solid as it was drawn holds a point of a face."""
        choices = self.origins[face]
        if len(choices) == 1:
            return choices[0]
        faces = self.drawn.faces()
        return min(choices, key=lambda choice: distance_of_face_mm(faces[choice], point_mm))

    def exact_points(
        self, triangles: IntArray, parameters: FloatArray, points_mm: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return points (n, 3) on the exact surfaces of triangles (n,) at u and v (n, 2), and their outward normals.

        Points in flat faces are those that are given (n, 3).
        """
        points, normals, faces = points_mm.copy(), self.normals[triangles], self.face_of[triangles]
        for face in np.unique(faces[~self._is_flat[faces]]):
            on_face = np.flatnonzero(faces == face)
            surface = self._exact[int(face)]
            found = surface.at(parameters[on_face])
            exact = surface.normals(found)
            is_regular = exact.any(axis=1)
            points[on_face], normals[on_face[is_regular]] = found.points_mm, exact[is_regular]
        return points, normals

    def normal_at(self, face: int, point_mm: Vector) -> FloatArray:
        """Return the outward normal (3,) of a face at a point on it."""
        surface = self._exact[face]
        return surface.normals(surface.at(surface.parameters_of(point_mm)))[0]

    def is_visible(self, samples: Samples, direction: FloatArray) -> BoolArray:
        """Return (n,): whether each sample is visible from far away in `direction`."""
        origins = samples.points_mm + samples.normals * self._off_facets_mm[samples.faces][:, None]
        visible = samples.normals @ direction > -TILT
        visible[visible] = self.is_clear(origins[visible], direction)
        return visible

    def is_clear(self, points_mm: FloatArray, direction: FloatArray) -> BoolArray:
        """Return (n,): whether nothing lies beyond each point (n, 3) in `direction`."""
        rays = np.tile(direction, (len(points_mm), 1))
        return ~np.asarray(self._rays.intersects_any(points_mm, rays), dtype=np.bool_)

    @cached_property
    def _bounds_mm(self) -> tuple[FloatArray, FloatArray]:
        return bounds_mm(self.solid, self.axes)

    @cached_property
    def _crosses(self) -> FloatArray:
        corners = self.vertices_mm[self.triangles]
        return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])

    @cached_property
    def _rays(self) -> Any:  # noqa: ANN401 - trimesh's intersector
        mesh = trimesh.Trimesh(self.vertices_mm, self.triangles, process=False)
        return mesh.ray

    @cached_property
    def _exact(self) -> Sequence[ExactSurface]:
        return [ExactSurface(face) for face in self.faces]

    @cached_property
    def _is_flat(self) -> BoolArray:
        return np.array([surface.is_plane for surface in self._exact])

    @cached_property
    def _off_facets_mm(self) -> FloatArray:
        """(f,), beyond the facets of each face: OCCT holds the deflection on simple surfaces only."""
        off_mm = np.where(self._is_flat, OFF_SURFACE_MM, OFF_FACETS_MM)
        for face in np.flatnonzero([surface.kind == "other" for surface in self.surfaces]):
            triangles = np.flatnonzero(self.face_of == face)
            middles = self._exact[int(face)].at(self.parameters[self.triangles[triangles]].mean(axis=1)).points_mm
            above = np.einsum(
                "tx,tx->t", middles - self.vertices_mm[self.triangles[triangles, 0]], self.normals[triangles]
            )
            off_mm[face] = OFF_FACETS_MM / DEFLECTION_MM * float(np.abs(above).max(initial=DEFLECTION_MM))
        return off_mm

    @cached_property
    def _spacing_mm(self) -> FloatArray:
        """(t,): of the lattice on each triangle's face, the part's own spacing or a half, a quarter, ... of it."""
        spacing_mm = np.sqrt(self.area_mm2 / SAMPLES)
        wanted = np.sqrt(np.maximum(self.face_areas_mm2, 1e-9) / LEAST_SAMPLES)
        halvings = np.ceil(np.log2(np.maximum(spacing_mm / wanted, 1.0)))
        return (spacing_mm * np.maximum(2.0**-halvings, FINEST))[self.face_of]

    def _largest_triangles(self, sampled: IntArray) -> IntArray:
        """Return the largest triangle of each face that is not in `sampled`."""
        order = np.lexsort((-self.areas_mm2, self.face_of))
        faces, first = np.unique(self.face_of[order], return_index=True)
        return order[first[~np.isin(faces, sampled)]].astype(np.int64)

    def _cast(self, origins_mm: FloatArray, directions: FloatArray, off_mm: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return (n,), the triangle that each ray meets beyond `off_mm` (n,), -1 without one, and (n,) how far off."""
        if not len(origins_mm):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        hit = np.asarray(self._rays.intersects_first(origins_mm + off_mm[:, None] * directions, directions), np.int64)
        is_hit = hit >= 0
        normals, corners = self.normals[hit[is_hit]], self.vertices_mm[self.triangles[hit[is_hit], 0]]
        along = np.einsum("nx,nx->n", directions[is_hit], normals)
        gap = np.einsum("nx,nx->n", corners - origins_mm[is_hit], normals)
        distance = np.full(len(origins_mm), np.inf)
        distance[is_hit] = gap / np.where(np.abs(along) < 1e-12, 1e-12, along)
        return hit, distance

    def _hits(self, triangles: IntArray, distance_mm: FloatArray, normals: FloatArray) -> Hits:
        is_hit = triangles >= 0
        return Hits(is_hit, distance_mm, np.where(is_hit, self.face_of[triangles], -1).astype(np.int64), normals)

    def _normals_at(self, triangles: IntArray) -> FloatArray:
        return np.where((triangles >= 0)[:, None], self.normals[triangles], 0.0)

    def _refine(
        self, origins_mm: FloatArray, directions: FloatArray, hit: IntArray, distance: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Move hits onto the exact surface, in `distance`; return normals, and (n,) which rays pass it by."""
        normals, passed = self._normals_at(hit), np.zeros(len(hit), dtype=np.bool_)
        curved = hit >= 0
        curved[curved] = ~self._is_flat[self.face_of[hit[curved]]]
        points = origins_mm[curved] + distance[curved][:, None] * directions[curved]
        weights = self._weights_at(hit[curved], points)
        points, normals[curved], is_met = self._on_surface(hit[curved], weights, directions[curved])
        distance[curved] = np.einsum("nx,nx->n", points - origins_mm[curved], directions[curved])
        passed[curved] = ~is_met
        return normals, passed

    def _weights_at(self, triangles: IntArray, points_mm: FloatArray) -> FloatArray:
        """Return (n, 3): the barycentric coordinates of points in their triangles."""
        corners = self.vertices_mm[self.triangles[triangles]]
        areas = np.stack(
            [
                np.einsum(
                    "nx,nx->n",
                    np.cross(corners[:, (number + 1) % 3] - points_mm, corners[:, (number + 2) % 3] - points_mm),
                    self.normals[triangles],
                )
                for number in range(3)
            ],
            axis=1,
        ).clip(0)
        return areas / np.maximum(areas.sum(axis=1), 1e-30)[:, None]

    def _on_surface(
        self, triangles: IntArray, weights: FloatArray, directions: FloatArray
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Move points on triangles along directions (n, 3) onto the exact surface, or else by the shortest way.

        Returns them, their normals, and (n,) which of them the directions lead to.
        """
        points = np.einsum("nc,ncx->nx", weights, self.vertices_mm[self.triangles[triangles]])
        normals = self.normals[triangles]
        parameters = np.einsum("nc,ncx->nx", weights, self.parameters[self.triangles[triangles]])
        faces, all_met = self.face_of[triangles], np.ones(len(triangles), dtype=np.bool_)
        for face in np.unique(faces[~self._is_flat[faces]]):
            on_face = np.flatnonzero(faces == face)
            surface = self._exact[int(face)]
            met, is_met = surface.met_by(parameters[on_face], points[on_face], directions[on_face], SKIN_MM)
            all_met[on_face] = is_met
            for found, chosen in ((surface.at(parameters[on_face]), ~is_met), (met, is_met)):
                exact = surface.normals(found)
                usable = chosen & (np.einsum("nx,nx->n", exact, normals[on_face]) > 0)
                points[on_face[usable]], normals[on_face[usable]] = found.points_mm[usable], exact[usable]
        return points, normals, all_met

"""Geoms as sets of points: what they contain, and places on their surface."""

from dataclasses import dataclass

import numpy as np
from contracts.models.geometry import Quaternion
from contracts.models.scene import BoxGeom, CylinderGeom, Geom, HullGeom, SphereGeom
from numpy.typing import NDArray

from geometry.convexity import Array, hull_of

PLANE_ERROR_MM = 1e-6
"""How far a hull's corner may lie beyond its planes: garbage planes once made bad pieces look good."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex polyhedron."""

    normals: Array
    """(m, 3), outward."""
    offsets_mm: Array
    """(m,): `normals @ x <= offsets_mm` inside."""
    corners_mm: Array
    """(f, 3, 3): its triangles."""

    @classmethod
    def around(cls, points_mm: Array) -> "Hull":
        """Return the convex hull of points (n, 3); raise a `RuntimeError` if they are flat."""
        normals, offsets, triangles = hull_of(points_mm)
        beyond = float((points_mm @ normals.T - offsets).max())
        if beyond > PLANE_ERROR_MM * max(1.0, float(np.ptp(points_mm))):
            raise ArithmeticError(f"a hull's corner lies {beyond:g} mm beyond its own planes")
        return cls(normals, offsets, points_mm[triangles])

    def contains(self, points_mm: Array) -> Mask:
        """Tell for points (n, 3) which lie inside."""
        low, high = self.corners_mm.min(axis=(0, 1)), self.corners_mm.max(axis=(0, 1))
        inside = ((points_mm >= low) & (points_mm <= high)).all(axis=1)
        near = np.flatnonzero(inside)
        inside[near] = (points_mm[near] @ self.normals.T <= self.offsets_mm).all(axis=1)
        return inside

    def places(self, count: int, random: np.random.Generator) -> Array:
        """Return its corners and `count` random places on its faces, evenly by area."""
        first, second, third = self.corners_mm.transpose(1, 0, 2)
        areas = np.linalg.norm(np.cross(second - first, third - first), axis=1)
        chosen = self.corners_mm[random.choice(len(areas), size=count, p=areas / areas.sum())]
        weights = random.dirichlet((1.0, 1.0, 1.0), count)
        inner = np.einsum("nk,nki->ni", weights, chosen)
        return np.vstack([np.unique(self.corners_mm.reshape(-1, 3), axis=0), inner])


Body = Hull | BoxGeom | CylinderGeom | SphereGeom
"""A geom whose hull has been taken."""


def body_of(geom: Geom) -> Body:
    """Return what `contained` and `places_on` ask: a hull is taken once for many questions."""
    return Hull.around(np.array(geom.vertices_mm)) if isinstance(geom, HullGeom) else geom


def contained(geom: Body, points_mm: Array) -> Mask:
    """Tell for points (n, 3) which lie inside a geom."""
    if isinstance(geom, Hull):
        return geom.contains(points_mm)
    offsets = points_mm - np.array(geom.center_mm)
    if isinstance(geom, SphereGeom):
        return np.asarray(np.linalg.norm(offsets, axis=1) <= geom.radius_mm)
    local = offsets @ rotation(geom.quaternion)
    if isinstance(geom, BoxGeom):
        return np.asarray((np.abs(local) <= np.array(geom.size_mm) / 2).all(axis=1))
    return (np.hypot(local[:, 0], local[:, 1]) <= geom.radius_mm) & (np.abs(local[:, 2]) <= geom.length_mm / 2)


def places_on(geom: Body, count: int, random: np.random.Generator) -> Array:
    """Return places (n, 3) on a geom's surface, its corners among them."""
    if isinstance(geom, Hull):
        return geom.places(count, random)
    directions = random.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    center = np.array(geom.center_mm)
    if isinstance(geom, SphereGeom):
        return center + geom.radius_mm * directions
    turned = rotation(geom.quaternion).T
    if isinstance(geom, BoxGeom):
        half = np.array(geom.size_mm) / 2
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        on_faces = directions / np.abs(directions).max(axis=1, keepdims=True)
        return center + (np.vstack([corners, on_faces]) * half) @ turned
    return center + _on_cylinder(geom, directions, random) @ turned


def rotation(quaternion: Quaternion) -> Array:
    """Return the matrix (3, 3) whose columns are the geom's own axes in the world."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _on_cylinder(geom: CylinderGeom, directions: Array, random: np.random.Generator) -> Array:
    around = directions[:, :2] / np.linalg.norm(directions[:, :2], axis=1, keepdims=True)
    heights = random.uniform(-0.5, 0.5, len(directions))
    heights[::2] = np.copysign(0.5, heights[::2])  # every other one on a rim
    return np.column_stack([geom.radius_mm * around, geom.length_mm * heights])

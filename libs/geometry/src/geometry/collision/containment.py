"""Point containment and surface sampling of collision geoms."""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import BoxGeom, CylinderGeom, Geom, HullGeom, SphereGeom

from geometry.arrays import BoolArray, FloatArray
from geometry.rotations import matrix_of
from geometry.spatial import convex_hull

PLANE_ERROR_MM = 1e-6
"""Largest distance of a hull's corner beyond its planes: wrong planes once made bad pieces look good."""


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex polyhedron."""

    normals: FloatArray
    """(m, 3), outward."""
    offsets_mm: FloatArray
    """(m,): `normals @ x <= offsets_mm` inside."""
    corners_mm: FloatArray
    """(f, 3, 3): corners of its triangles."""

    @classmethod
    def around(cls, points_mm: FloatArray) -> "Hull":
        """Return the convex hull of points (n, 3); raise a `RuntimeError` if they are flat."""
        normals, offsets, triangles = convex_hull(points_mm)
        beyond = float((points_mm @ normals.T - offsets).max())
        if beyond > PLANE_ERROR_MM * max(1.0, float(np.ptp(points_mm))):
            raise ArithmeticError(f"a corner of a hull is {beyond:g} mm beyond the hull's planes")
        return cls(normals, offsets, points_mm[triangles])

    def contains(self, points_mm: FloatArray) -> BoolArray:
        """Return (n,): which of the points (n, 3) are inside."""
        low, high = self.corners_mm.min(axis=(0, 1)), self.corners_mm.max(axis=(0, 1))
        inside = ((points_mm >= low) & (points_mm <= high)).all(axis=1)
        near = np.flatnonzero(inside)
        inside[near] = (points_mm[near] @ self.normals.T <= self.offsets_mm).all(axis=1)
        return inside

    def surface_points(self, count: int, random: np.random.Generator) -> FloatArray:
        """Return the corners and `count` random points on the faces, evenly by area."""
        first, second, third = self.corners_mm.transpose(1, 0, 2)
        areas = np.linalg.norm(np.cross(second - first, third - first), axis=1)
        chosen = self.corners_mm[random.choice(len(areas), size=count, p=areas / areas.sum())]
        weights = random.dirichlet((1.0, 1.0, 1.0), count)
        inner = np.einsum("nk,nki->ni", weights, chosen)
        return np.vstack([np.unique(self.corners_mm.reshape(-1, 3), axis=0), inner])


ConvexBody = Hull | BoxGeom | CylinderGeom | SphereGeom
"""A geom prepared for queries."""


def convex_body(geom: Geom) -> ConvexBody:
    """Prepare a geom for `is_inside` and `surface_points`: a hull is computed once for many queries."""
    return Hull.around(np.array(geom.vertices_mm)) if isinstance(geom, HullGeom) else geom


def is_inside(body: ConvexBody, points_mm: FloatArray) -> BoolArray:
    """Return (n,): which of the points (n, 3) are inside a body."""
    if isinstance(body, Hull):
        return body.contains(points_mm)
    offsets = points_mm - np.array(body.center_mm)
    if isinstance(body, SphereGeom):
        return np.asarray(np.linalg.norm(offsets, axis=1) <= body.radius_mm)
    local = offsets @ matrix_of(body.quaternion)
    if isinstance(body, BoxGeom):
        return np.asarray((np.abs(local) <= np.array(body.size_mm) / 2).all(axis=1))
    return (np.hypot(local[:, 0], local[:, 1]) <= body.radius_mm) & (np.abs(local[:, 2]) <= body.length_mm / 2)


def surface_points(body: ConvexBody, count: int, random: np.random.Generator) -> FloatArray:
    """Return about `count` points (n, 3) on a body's surface, and its corners."""
    if isinstance(body, Hull):
        return body.surface_points(count, random)
    directions = random.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    center = np.array(body.center_mm)
    if isinstance(body, SphereGeom):
        return center + body.radius_mm * directions
    axes = matrix_of(body.quaternion).T
    if isinstance(body, BoxGeom):
        half = np.array(body.size_mm) / 2
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        on_faces = directions / np.abs(directions).max(axis=1, keepdims=True)
        return center + (np.vstack([corners, on_faces]) * half) @ axes
    return center + _on_cylinder(body, directions, random) @ axes


def _on_cylinder(geom: CylinderGeom, directions: FloatArray, random: np.random.Generator) -> FloatArray:
    around = directions[:, :2] / np.linalg.norm(directions[:, :2], axis=1, keepdims=True)
    heights = random.uniform(-0.5, 0.5, len(directions))
    heights[::2] = np.copysign(0.5, heights[::2])  # every other point on a rim
    return np.column_stack([geom.radius_mm * around, geom.length_mm * heights])

"""Points and normals on the exact surface of a face, for many parameters at once, and where rays meet it."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass
from typing import Any

import numpy as np
from build123d import Face
from contracts.models.geometry import Vector
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_SurfaceType as Kind
from OCP.gp import gp_Pnt, gp_Vec
from OCP.ShapeAnalysis import ShapeAnalysis_Surface
from OCP.TopAbs import TopAbs_Orientation

from geometry.arrays import BoolArray, FloatArray
from geometry.occt.measures import point_of
from geometry.occt.surfaces import is_plane

STEPS = 4
"""Of Newton's method, which starts within a mesh's deflection."""
CONVERGED_MM = 1e-6


@dataclass(frozen=True)
class SurfacePoints:
    """Points on a surface."""

    points_mm: FloatArray
    """(n, 3)"""
    along_u: FloatArray
    """(n, 3), derivatives."""
    along_v: FloatArray
    """(n, 3)"""


class ExactSurface:
    """The surface of a face; planes, cylinders, cones, spheres and tori are evaluated without OCCT, which is slow."""

    def __init__(self, face: Face) -> None:
        self._surface = BRepAdaptor_Surface(face.wrapped)
        self._sign = -1.0 if face.wrapped.Orientation() == TopAbs_Orientation.TopAbs_REVERSED else 1.0
        self._untrimmed = BRep_Tool.Surface_s(face.wrapped)
        self._kind = self._surface.GetType()
        self.is_plane = is_plane(face)

    def at(self, parameters: FloatArray) -> SurfacePoints:
        """Evaluate at u and v (n, 2)."""
        u, v = parameters.T
        match self._kind:
            case Kind.GeomAbs_Cylinder:
                cylinder = self._surface.Cylinder()
                radius = np.full(len(u), float(cylinder.Radius()))
                return _revolved(cylinder.Position(), u, (radius, 0 * u), (v, 0 * u + 1))
            case Kind.GeomAbs_Cone:
                cone = self._surface.Cone()
                lean = float(cone.SemiAngle())
                radius = float(cone.RefRadius()) + v * np.sin(lean)
                return _revolved(
                    cone.Position(), u, (radius, 0 * u + np.sin(lean)), (v * np.cos(lean), 0 * u + np.cos(lean))
                )
            case Kind.GeomAbs_Sphere:
                sphere = self._surface.Sphere()
                radius = float(sphere.Radius())
                return _revolved(
                    sphere.Position(),
                    u,
                    (radius * np.cos(v), -radius * np.sin(v)),
                    (radius * np.sin(v), radius * np.cos(v)),
                )
            case Kind.GeomAbs_Torus:
                torus = self._surface.Torus()
                small = float(torus.MinorRadius())
                radius = float(torus.MajorRadius()) + small * np.cos(v)
                return _revolved(
                    torus.Position(), u, (radius, -small * np.sin(v)), (small * np.sin(v), small * np.cos(v))
                )
            case _:
                return self._evaluated(parameters)

    def parameters_of(self, point_mm: Vector) -> FloatArray:
        """Return (1, 2): u and v of the point of the surface that is closest to a point."""
        found = ShapeAnalysis_Surface(self._untrimmed).ValueOfUV(gp_Pnt(*point_mm), CONVERGED_MM)
        return np.array([[found.X(), found.Y()]])

    def normals(self, found: SurfacePoints) -> FloatArray:
        """Return unit normals (n, 3), outwards; 0 where the surface has none, such as the tip of a cone."""
        crosses = self._sign * np.cross(found.along_u, found.along_v)
        lengths = np.linalg.norm(crosses, axis=1)
        scale = np.linalg.norm(found.along_u, axis=1) * np.linalg.norm(found.along_v, axis=1)
        is_regular = lengths > 1e-9 * np.maximum(scale, 1e-12)
        return np.where(is_regular[:, None], crosses / np.maximum(lengths, 1e-300)[:, None], 0.0)

    def met_by(
        self, parameters: FloatArray, origins_mm: FloatArray, directions: FloatArray, far_mm: float
    ) -> tuple[SurfacePoints, BoolArray]:
        """Return where rays meet the surface near `parameters` (n, 2), and (n,) whether they do within `far_mm`."""
        found, current = self.at(parameters), parameters.copy()
        start = found.points_mm.copy()
        for _ in range(STEPS):
            miss = _across(found.points_mm - origins_mm, directions)
            left = np.flatnonzero(np.abs(miss).max(axis=1, initial=0.0) > CONVERGED_MM)
            if not len(left):
                break
            along_u, along_v = (_across(each[left], directions[left]) for each in (found.along_u, found.along_v))
            current[left] -= _solved(along_u, along_v, miss[left])
            better = self.at(current[left])
            found.points_mm[left], found.along_u[left], found.along_v[left] = (
                better.points_mm,
                better.along_u,
                better.along_v,
            )
        miss = np.linalg.norm(_across(found.points_mm - origins_mm, directions), axis=1)
        moved = np.linalg.norm(found.points_mm - start, axis=1)
        return found, (miss < 10 * CONVERGED_MM) & (moved < far_mm)

    def _evaluated(self, parameters: FloatArray) -> SurfacePoints:
        rows = np.empty((len(parameters), 9))
        point, along_u, along_v = gp_Pnt(), gp_Vec(), gp_Vec()
        for row, (u, v) in zip(rows, parameters, strict=True):
            self._surface.D1(float(u), float(v), point, along_u, along_v)
            row[:] = (
                *(point.X(), point.Y(), point.Z()),
                *(along_u.X(), along_u.Y(), along_u.Z()),
                *(along_v.X(), along_v.Y(), along_v.Z()),
            )
        return SurfacePoints(rows[:, :3], rows[:, 3:6], rows[:, 6:])


def _revolved(
    position: Any,  # noqa: ANN401 - a gp_Ax3
    u: FloatArray,
    radius: tuple[FloatArray, FloatArray],
    height: tuple[FloatArray, FloatArray],
) -> SurfacePoints:
    """Evaluate a surface of revolution from radius and height at v, each with its derivative."""
    x, y, z = (
        np.array(point_of(axis)) for axis in (position.XDirection(), position.YDirection(), position.Direction())
    )
    outwards = np.outer(np.cos(u), x) + np.outer(np.sin(u), y)
    around = np.outer(np.cos(u), y) - np.outer(np.sin(u), x)
    points = np.array(point_of(position.Location())) + radius[0][:, None] * outwards + np.outer(height[0], z)
    return SurfacePoints(points, radius[0][:, None] * around, radius[1][:, None] * outwards + np.outer(height[1], z))


def _across(vectors: FloatArray, directions: FloatArray) -> FloatArray:
    return vectors - np.einsum("nx,nx->n", vectors, directions)[:, None] * directions


def _solved(along_u: FloatArray, along_v: FloatArray, miss: FloatArray) -> FloatArray:
    """Return (n, 2): the steps in u and v that make up for `miss`; 0 where the ray grazes the surface."""
    uu, uv, vv = (np.einsum("nx,nx->n", *pair) for pair in ((along_u, along_u), (along_u, along_v), (along_v, along_v)))
    um, vm = (np.einsum("nx,nx->n", along, miss) for along in (along_u, along_v))
    determinant = uu * vv - uv * uv
    is_regular = determinant > 1e-12 * np.maximum(uu * vv, 1e-30)
    safe = np.where(is_regular, determinant, 1.0)
    steps = np.stack([(vv * um - uv * vm) / safe, (uu * vm - uv * um) / safe], axis=1)
    return np.where(is_regular[:, None], steps, 0.0)

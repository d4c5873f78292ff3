"""Triangles and faces of a solid, asked of OCCT: one triangulation, each triangle with the face it lies on."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from build123d import Face, Solid
from contracts.models.geometry import Vector
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.GeomAbs import GeomAbs_SurfaceType
from OCP.TopAbs import TopAbs_Orientation
from OCP.TopLoc import TopLoc_Location

FaceKind = Literal["plane", "cylinder", "cone", "sphere", "torus", "other"]
_KINDS: dict[Any, FaceKind] = {
    GeomAbs_SurfaceType.GeomAbs_Plane: "plane",
    GeomAbs_SurfaceType.GeomAbs_Cylinder: "cylinder",
    GeomAbs_SurfaceType.GeomAbs_Cone: "cone",
    GeomAbs_SurfaceType.GeomAbs_Sphere: "sphere",
    GeomAbs_SurfaceType.GeomAbs_Torus: "torus",
}


@dataclass(frozen=True)
class FaceTriangles:
    """One face's part of the triangulation."""

    vertices_mm: NDArray[np.float64]
    """(n, 3)"""
    triangles: NDArray[np.int64]
    """(m, 3), counter-clockwise seen from outside the solid."""


@dataclass(frozen=True)
class FaceShape:
    """What surface a face lies on."""

    kind: FaceKind
    axis_point_mm: Vector | None = None
    """A point of the axis of a cylinder or cone, the centre of a sphere or torus."""
    axis: Vector | None = None
    """Unit vector; of a plane its outward normal."""
    radius_mm: float | None = None
    """Of a cylinder or sphere; the smaller one of a torus."""
    span_deg: float | None = None
    """How far round its axis a cylinder or cone goes."""
    length_mm: float | None = None
    """Of a cylinder, along its axis."""


def triangulate(solid: Solid, deflection_mm: float, angle_rad: float) -> list[FaceTriangles]:
    """Return the triangles of each face, in the order of `solid.faces()`. Neighbouring faces share no vertices."""
    BRepMesh_IncrementalMesh(solid.wrapped, deflection_mm, False, angle_rad, False)
    return [_triangles(face) for face in solid.faces()]


def _triangles(face: Face) -> FaceTriangles:
    location = TopLoc_Location()
    mesh = BRep_Tool.Triangulation_s(face.wrapped, location)
    if mesh is None:
        return FaceTriangles(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    moved = location.Transformation()
    points = (mesh.Node(number).Transformed(moved) for number in range(1, mesh.NbNodes() + 1))
    vertices = np.array([(point.X(), point.Y(), point.Z()) for point in points])
    triangles = np.array([mesh.Triangle(number).Get() for number in range(1, mesh.NbTriangles() + 1)]) - 1
    if face.wrapped.Orientation() == TopAbs_Orientation.TopAbs_REVERSED:
        triangles = triangles[:, [0, 2, 1]]
    return FaceTriangles(vertices, triangles.astype(np.int64))


def shape_of(face: Face) -> FaceShape:
    """Return what a face is, as far as workshops care."""
    surface = BRepAdaptor_Surface(face.wrapped)
    kind = _KINDS.get(surface.GetType(), "other")
    if kind == "plane":
        normal = face.normal_at()
        return FaceShape(kind, axis=(normal.X, normal.Y, normal.Z))
    span_deg = float(np.degrees(surface.LastUParameter() - surface.FirstUParameter()))
    if kind == "cylinder":
        cylinder = surface.Cylinder()
        point, axis = _axis(cylinder.Axis())
        length = abs(surface.LastVParameter() - surface.FirstVParameter())
        return FaceShape(kind, point, axis, cylinder.Radius(), span_deg, length)
    if kind == "cone":
        point, axis = _axis(surface.Cone().Axis())
        return FaceShape(kind, point, axis, None, span_deg)
    if kind == "sphere":
        sphere = surface.Sphere()
        center = sphere.Location()
        return FaceShape(kind, (center.X(), center.Y(), center.Z()), None, sphere.Radius())
    if kind == "torus":
        torus = surface.Torus()
        point, axis = _axis(torus.Axis())
        return FaceShape(kind, point, axis, torus.MinorRadius(), span_deg)
    return FaceShape(kind)


def _axis(axis: Any) -> tuple[Vector, Vector]:  # noqa: ANN401 - a gp_Ax1
    place, direction = axis.Location(), axis.Direction()
    return (place.X(), place.Y(), place.Z()), (direction.X(), direction.Y(), direction.Z())

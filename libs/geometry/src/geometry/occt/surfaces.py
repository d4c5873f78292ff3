"""The surfaces that faces lie on: their kind, axis and dimensions."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from build123d import Face, GeomType
from contracts.models.geometry import Vector
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_SurfaceType
from OCP.GeomLib import GeomLib_IsPlanarSurface

from geometry.occt.measures import point_of

FLAT_MM = 1e-6
"""How far a flat spline leaves its plane."""

SurfaceKind = Literal["plane", "cylinder", "cone", "sphere", "torus", "other"]
_KINDS: dict[Any, SurfaceKind] = {
    GeomAbs_SurfaceType.GeomAbs_Plane: "plane",
    GeomAbs_SurfaceType.GeomAbs_Cylinder: "cylinder",
    GeomAbs_SurfaceType.GeomAbs_Cone: "cone",
    GeomAbs_SurfaceType.GeomAbs_Sphere: "sphere",
    GeomAbs_SurfaceType.GeomAbs_Torus: "torus",
}


@dataclass(frozen=True)
class Cylinder:
    """An infinite cylinder."""

    point_mm: Vector
    axis: Vector
    radius_mm: float


@dataclass(frozen=True)
class Sphere:
    """A sphere."""

    center_mm: Vector
    radius_mm: float


@dataclass(frozen=True)
class FaceSurface:
    """The surface of a face, as far as manufacturing rules need it."""

    kind: SurfaceKind
    axis_point_mm: Vector | None = None
    """A point on the axis of a cylinder or cone, the centre of a sphere or torus."""
    axis: Vector | None = None
    """Unit vector; of a plane its outward normal."""
    radius_mm: float | None = None
    """Of a cylinder or sphere; the smaller one of a torus."""
    span_deg: float | None = None
    """Angle that the face covers around the axis of a cylinder or cone."""
    length_mm: float | None = None
    """Of a cylinder, along its axis."""


def plane_of(face: Face) -> tuple[Vector, Vector]:
    """Return the unit normal and a point of the plane that a flat face lies in."""
    plane = BRepAdaptor_Surface(face.wrapped).Plane()
    return point_of(plane.Axis().Direction()), point_of(plane.Location())


def cylinder_of(face: Face) -> Cylinder:
    """Return the cylinder that a face of type CYLINDER lies on."""
    cylinder = BRepAdaptor_Surface(face.wrapped).Cylinder()
    return Cylinder(*_line_of(cylinder.Axis()), float(cylinder.Radius()))


def sphere_of(face: Face) -> Sphere:
    """Return the sphere that a face of type SPHERE lies on."""
    sphere = BRepAdaptor_Surface(face.wrapped).Sphere()
    return Sphere(point_of(sphere.Location()), float(sphere.Radius()))


def axis_of(face: Face) -> tuple[Vector, Vector] | None:
    """Return a point and the direction of a face's axis of revolution; None for a surface without exactly one."""
    surface = BRepAdaptor_Surface(face.wrapped)
    if face.geom_type == GeomType.CYLINDER:
        return _line_of(surface.Cylinder().Axis())
    if face.geom_type == GeomType.CONE:
        return _line_of(surface.Cone().Axis())
    if face.geom_type == GeomType.TORUS:
        return _line_of(surface.Torus().Axis())
    if face.geom_type == GeomType.REVOLUTION:
        return _line_of(surface.AxeOfRevolution())
    return None


def extrusion_direction(face: Face) -> Vector:
    """Return the direction of extrusion of a face of type EXTRUSION."""
    return point_of(BRepAdaptor_Surface(face.wrapped).Direction())


def is_plane(face: Face) -> bool:
    """Tell whether a face is flat, however its surface is written: drafts and lofts leave flat splines."""
    kind = BRepAdaptor_Surface(face.wrapped).GetType()
    if kind in _KINDS:
        return kind == GeomAbs_SurfaceType.GeomAbs_Plane
    return GeomLib_IsPlanarSurface(BRep_Tool.Surface_s(face.wrapped), FLAT_MM).IsPlanar()


def surface_of(face: Face) -> FaceSurface:
    """Return kind, axis and dimensions of the surface of a face."""
    surface = BRepAdaptor_Surface(face.wrapped)
    kind = "plane" if is_plane(face) else _KINDS.get(surface.GetType(), "other")
    if kind == "plane":
        normal = face.normal_at()
        return FaceSurface(kind, axis=(normal.X, normal.Y, normal.Z))
    span_deg = float(np.degrees(surface.LastUParameter() - surface.FirstUParameter()))
    if kind == "cylinder":
        cylinder = surface.Cylinder()
        length_mm = abs(surface.LastVParameter() - surface.FirstVParameter())
        return FaceSurface(kind, *_line_of(cylinder.Axis()), cylinder.Radius(), span_deg, length_mm)
    if kind == "cone":
        return FaceSurface(kind, *_line_of(surface.Cone().Axis()), None, span_deg)
    if kind == "sphere":
        sphere = surface.Sphere()
        return FaceSurface(kind, point_of(sphere.Location()), None, sphere.Radius())
    if kind == "torus":
        torus = surface.Torus()
        return FaceSurface(kind, *_line_of(torus.Axis()), torus.MinorRadius(), span_deg)
    return FaceSurface(kind)


def _line_of(axis: Any) -> tuple[Vector, Vector]:  # noqa: ANN401 - a gp_Ax1
    return point_of(axis.Location()), point_of(axis.Direction())

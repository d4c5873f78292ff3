"""What kind of surface a face lies on, and where its axis is."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass

from build123d import Face, GeomType
from contracts.models.geometry import Vector
from OCP.BRepAdaptor import BRepAdaptor_Surface


@dataclass(frozen=True)
class Cylinder:
    """An endless cylinder."""

    point_mm: Vector
    axis: Vector
    radius_mm: float


@dataclass(frozen=True)
class Sphere:
    """A sphere."""

    center_mm: Vector
    radius_mm: float


def cylinder_of(face: Face) -> Cylinder:
    """Return the cylinder that a face of type CYLINDER lies on."""
    found = BRepAdaptor_Surface(face.wrapped).Cylinder()
    point, axis = found.Axis().Location(), found.Axis().Direction()
    return Cylinder((point.X(), point.Y(), point.Z()), (axis.X(), axis.Y(), axis.Z()), float(found.Radius()))


def sphere_of(face: Face) -> Sphere:
    """Return the sphere that a face of type SPHERE lies on."""
    found = BRepAdaptor_Surface(face.wrapped).Sphere()
    center = found.Location()
    return Sphere((center.X(), center.Y(), center.Z()), float(found.Radius()))


def axis_of(face: Face) -> tuple[Vector, Vector] | None:
    """Return a point of the axis about which a face's surface is turned, and its direction; None if it has no one."""
    surface = BRepAdaptor_Surface(face.wrapped)
    if face.geom_type == GeomType.CYLINDER:
        axis = surface.Cylinder().Axis()
    elif face.geom_type == GeomType.CONE:
        axis = surface.Cone().Axis()
    elif face.geom_type == GeomType.TORUS:
        axis = surface.Torus().Axis()
    elif face.geom_type == GeomType.REVOLUTION:
        axis = surface.AxeOfRevolution()
    else:
        return None
    point, direction = axis.Location(), axis.Direction()
    return (point.X(), point.Y(), point.Z()), (direction.X(), direction.Y(), direction.Z())


def extrusion_of(face: Face) -> Vector:
    """Return the direction along which a face of type EXTRUSION is drawn."""
    direction = BRepAdaptor_Surface(face.wrapped).Direction()
    return (direction.X(), direction.Y(), direction.Z())

"""Size, topology counts and volume integrals of shapes, computed by OCCT and never by methods of the shape's class.

An agent may subclass build123d's classes and override what they report.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass
from math import dist, isfinite
from typing import Any

from build123d import Edge, Location, Solid
from contracts.models.geometry import Box, Vector
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepGProp import BRepGProp
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Shape

Placement = tuple[int, int, tuple[float, ...]]
RELATIVE_ERROR = 1e-9
"""Requested of the adaptive integration; the plain one takes a fixed number of points on each face."""
_KINDS = ("SOLID", "FACE", "EDGE", "VERTEX")


@dataclass(frozen=True)
class Counts:
    """Numbers of a shape's solids, faces, edges and vertices; shared ones are counted once."""

    solids: int
    faces: int
    edges: int
    vertices: int


@dataclass(frozen=True)
class Measures:
    """Bounding box, volume, area and edge length of a shape."""

    low_mm: tuple[float, float, float]
    size_mm: tuple[float, float, float]
    volume_mm3: float
    area_mm2: float
    length_mm: float
    """Of all edges; an edge between two faces is counted twice."""


@dataclass(frozen=True)
class VolumeIntegrals:
    """Moments of a solid of density one, in millimetres."""

    volume_mm3: float
    center_mm: Vector
    inertia_mm5: tuple[float, float, float, float, float, float]
    """xx, yy, zz, xy, xz, yz of the inertia tensor about the centre, along the world's axes."""


def placement(wrapped: Any) -> tuple[object, Placement]:  # noqa: ANN401 - a TopoDS_Shape
    """Return a shape's geometry and a key of its pose: equal while neither changes and the geometry is referenced."""
    geometry = wrapped.TShape()
    moved = wrapped.Location().Transformation()
    numbers = tuple(moved.Value(row, column) for row in (1, 2, 3) for column in (1, 2, 3, 4))
    return geometry, (id(geometry), int(wrapped.Orientation()), numbers)


def counts(wrapped: Any) -> Counts:  # noqa: ANN401 - a TopoDS_Shape
    """Count a shape's solids, faces, edges and vertices."""
    return Counts(*(_count(wrapped, getattr(TopAbs_ShapeEnum, f"TopAbs_{kind}")) for kind in _KINDS))


def measures(wrapped: Any) -> Measures | None:  # noqa: ANN401 - a TopoDS_Shape
    """Measure a shape; None if it has no extent, such as an empty compound."""
    bounds = _bounds(wrapped)
    if bounds.IsVoid():
        return None
    low, high = bounds.CornerMin(), bounds.CornerMax()
    size = (high.X() - low.X(), high.Y() - low.Y(), high.Z() - low.Z())
    sums = []
    for integrate in (BRepGProp.VolumeProperties_s, BRepGProp.SurfaceProperties_s, BRepGProp.LinearProperties_s):
        properties = GProp_GProps()
        integrate(wrapped, properties)
        sums.append(properties.Mass())
    return Measures(point_of(low), size, *sums)


def face_count(solid: Solid) -> int:
    """Count the faces; a shared face counts each time. Fast for any number of faces."""
    explorer, count = TopExp_Explorer(solid.wrapped, TopAbs_ShapeEnum.TopAbs_FACE), 0
    while explorer.More():
        count += 1
        explorer.Next()
    return count


def shared_edges(solid: Solid) -> list[Edge]:
    """Return the edges between two faces: not the seams of round faces, nor poles."""
    edges, owners = ShapeMap(), ShapeMap()
    shared: list[Edge] = []
    for face in solid.faces():
        own = ShapeMap()
        TopExp.MapShapes_s(face.wrapped, TopAbs_ShapeEnum.TopAbs_EDGE, own)
        for index in range(1, own.Size() + 1):
            edge = own.FindKey(index)
            if edges.Contains(edge) and not owners.Contains(edge):
                owners.Add(edge)
                shared.append(Edge(edge))
            edges.Add(edge)
    return shared


def first_vertex(solid: Solid) -> Vector | None:
    """Return the position of some vertex. Fast for any number of vertices."""
    explorer = TopExp_Explorer(solid.wrapped, TopAbs_ShapeEnum.TopAbs_VERTEX)
    return point_of(BRep_Tool.Pnt_s(TopoDS.Vertex(explorer.Current()))) if explorer.More() else None


def bounding_box(solid: Solid) -> Box | None:
    """Return the tightest axis-aligned box, from the exact surfaces; None if it is empty, flat or not finite."""
    return shape_bounds(solid.wrapped)


def shape_bounds(shape: Any) -> Box | None:  # noqa: ANN401 - a TopoDS_Shape
    """Return `bounding_box` of an OCCT shape."""
    bounds = _bounds(shape)
    if bounds.IsVoid():
        return None
    low, high = point_of(bounds.CornerMin()), point_of(bounds.CornerMax())
    if not all(isfinite(below) and isfinite(above) and below < above for below, above in zip(low, high, strict=True)):
        return None
    return Box(min_mm=low, max_mm=high)


def bounds_in_frame(solid: Solid, frame: Location) -> Box | None:
    """Return `bounding_box` along the axes of a frame, in its coordinates."""
    return shape_bounds(solid.wrapped.Moved(frame.inverse().wrapped))


def spread_of(shape: Any) -> tuple[Vector, float]:  # noqa: ANN401 - a TopoDS_Shape
    """Return the middle of the box around a shape that may be flat, and the box's diagonal."""
    bounds = _bounds(shape)
    low, high = point_of(bounds.CornerMin()), point_of(bounds.CornerMax())
    x, y, z = ((below + above) / 2 for below, above in zip(low, high, strict=True))
    return (x, y, z), dist(low, high)


def volume_integrals(solid: Solid) -> VolumeIntegrals:
    """Integrate volume, centre and inertia over the exact B-rep."""
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(solid.wrapped, properties, RELATIVE_ERROR, False, False)
    tensor = properties.MatrixOfInertia()
    cells = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3))
    xx, yy, zz, xy, xz, yz = (float(tensor.Value(row, column)) for row, column in cells)
    return VolumeIntegrals(float(properties.Mass()), point_of(properties.CentreOfMass()), (xx, yy, zz, xy, xz, yz))


def face_area_mm2(face: Any) -> float:  # noqa: ANN401 - a TopoDS_Face
    """Integrate the area of a face, exactly on its surface."""
    properties = GProp_GProps()
    BRepGProp.SurfaceProperties_s(face, properties, RELATIVE_ERROR, False)
    return float(properties.Mass())


def point_of(found: Any) -> Vector:  # noqa: ANN401 - a gp_Pnt, gp_Dir or gp_Vec
    """Return the coordinates of an OCCT point or direction."""
    return (float(found.X()), float(found.Y()), float(found.Z()))


def _bounds(shape: TopoDS_Shape) -> Bnd_Box:
    bounds = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, bounds, False, False)
    return bounds


def _count(wrapped: Any, kind: Any) -> int:  # noqa: ANN401 - OCP's classes
    distinct = ShapeMap()
    TopExp.MapShapes_s(wrapped, kind, distinct)
    return distinct.Size()

"""How solids of any shape stand to each other, asked of OCCT: how near, how much shared, over which area in touch."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from build123d import Edge, Solid, Vertex
from contracts.models.geometry import Box, Vector
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepGProp import BRepGProp
from OCP.collections import List_TopoDS_Shape
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Shape

from geometry.occt.shapes import GeometryFailedError


@dataclass(frozen=True)
class Nearest:
    """Where two shapes come nearest."""

    gap_mm: float
    """0 where they touch or overlap."""
    first_mm: Vector
    second_mm: Vector


@dataclass(frozen=True)
class Contact:
    """The area over which two solids lie upon each other."""

    area_mm2: float
    center_mm: Vector


@dataclass(frozen=True)
class Shared:
    """The piece that two solids share."""

    volume_mm3: float
    center_mm: Vector
    box: Box | None
    """Around the piece; None where there is none."""

    @property
    def depth_mm(self) -> float:
        """The piece's least extent along x, y or z."""
        return min(self.box.size_mm) if self.box is not None else 0.0


def box_around(solid: Solid) -> Box | None:
    """Return the tightest axis-aligned box, from the true surfaces; None if it is empty, flat or not finite."""
    return _around(solid.wrapped)


def face_count(solid: Solid) -> int:
    """Count the faces; one that occurs twice counts twice. Fast, whatever there is."""
    explorer, count = TopExp_Explorer(solid.wrapped, TopAbs_ShapeEnum.TopAbs_FACE), 0
    while explorer.More():
        count += 1
        explorer.Next()
    return count


def first_place(solid: Solid) -> Vector | None:
    """Return where some vertex is, at once however many there are."""
    explorer = TopExp_Explorer(solid.wrapped, TopAbs_ShapeEnum.TopAbs_VERTEX)
    return _point(BRep_Tool.Pnt_s(TopoDS.Vertex(explorer.Current()))) if explorer.More() else None


def nearest(first: Solid, second: Solid) -> Nearest:
    """Return the exact distance of two solids, and a pair of points that have it."""
    return _nearest(first.wrapped, second.wrapped)


def distance_to_point_mm(solid: Solid, point_mm: Vector) -> float:
    """Return how far a point lies outside a solid; negative: how deep inside."""
    vertex = Vertex(*point_mm).wrapped
    outside = _nearest(solid.wrapped, vertex).gap_mm
    if outside > 0:
        return outside
    return -min(_nearest(shell.wrapped, vertex).gap_mm for shell in solid.shells())


def shared(first: Solid, second: Solid) -> Shared:
    """Return what two solids share. Milliseconds for plain shapes: ask for less first."""
    common = BRepAlgoAPI_Common(first.wrapped, second.wrapped)
    if not common.IsDone():
        raise GeometryFailedError("the intersection of two solids could not be computed")
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(common.Shape(), properties)
    return Shared(float(properties.Mass()), _point(properties.CentreOfMass()), _around(common.Shape()))


def contact(first: Solid, second: Solid, within_mm: float) -> Contact:
    """Return the area over which the faces of two solids lie upon each other, at most `within_mm` apart."""
    common = BRepAlgoAPI_Common()
    common.SetArguments(_faces(first))
    common.SetTools(_faces(second))
    common.SetFuzzyValue(within_mm)
    common.Build()
    if not common.IsDone():
        raise GeometryFailedError("the contact of two solids could not be computed")
    properties = GProp_GProps()
    BRepGProp.SurfaceProperties_s(common.Shape(), properties)
    return Contact(float(properties.Mass()), _point(properties.CentreOfMass()))


def lengths_inside(solid: Solid, segments: Sequence[tuple[Vector, Vector]]) -> list[float]:
    """Return how much of each segment lies in a solid, in mm."""
    return [_length_inside(solid, start, end) for start, end in segments]


def _length_inside(solid: Solid, start: Vector, end: Vector) -> float:
    edge = Edge.make_line(start, end)
    common = BRepAlgoAPI_Common(edge.wrapped, solid.wrapped)
    if not common.IsDone():
        raise GeometryFailedError("the way of a line through a solid could not be computed")
    properties = GProp_GProps()
    BRepGProp.LinearProperties_s(common.Shape(), properties)
    return float(properties.Mass())


def _nearest(first: TopoDS_Shape, second: TopoDS_Shape) -> Nearest:
    found = BRepExtrema_DistShapeShape(first, second)
    if not found.IsDone() or not found.NbSolution():
        raise GeometryFailedError("the distance of two solids could not be computed")
    return Nearest(float(found.Value()), _point(found.PointOnShape1(1)), _point(found.PointOnShape2(1)))


def _faces(solid: Solid) -> List_TopoDS_Shape:
    faces = List_TopoDS_Shape()
    for face in solid.faces():
        faces.Append(face.wrapped)
    return faces


def _around(shape: TopoDS_Shape) -> Box | None:
    bounds = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, bounds, False, False)
    if bounds.IsVoid():
        return None
    low, high = _point(bounds.CornerMin()), _point(bounds.CornerMax())
    if not all(isfinite(below) and isfinite(above) and below < above for below, above in zip(low, high, strict=True)):
        return None
    return Box(min_mm=low, max_mm=high)


def _point(found: object) -> Vector:
    return (float(found.X()), float(found.Y()), float(found.Z()))

"""Distances and intersections of solids of any shape, computed by OCCT."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Sequence
from dataclasses import dataclass

from build123d import Edge, Solid, Vertex
from contracts.models.geometry import Box, Vector
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepGProp import BRepGProp
from OCP.GProp import GProp_GProps
from OCP.TopoDS import TopoDS_Shape

from geometry.occt.brep import GeometryFailedError
from geometry.occt.measures import point_of, shape_bounds


@dataclass(frozen=True)
class ClosestPoints:
    """The distance of two shapes, and a pair of points that have it."""

    gap_mm: float
    """0 where the shapes touch or overlap."""
    first_mm: Vector
    second_mm: Vector


@dataclass(frozen=True)
class Intersection:
    """The common volume of two solids."""

    volume_mm3: float
    center_mm: Vector
    box: Box | None
    """Bounding box; None if the volume is empty."""

    @property
    def depth_mm(self) -> float:
        """The smallest extent along x, y or z."""
        return min(self.box.size_mm) if self.box is not None else 0.0


def closest_points(first: Solid, second: Solid) -> ClosestPoints:
    """Return the exact distance of two solids, and a pair of points that have it."""
    return _closest_points(first.wrapped, second.wrapped)


def signed_distance_mm(solid: Solid, point_mm: Vector) -> float:
    """Return the distance of a point from a solid's surface, negative inside."""
    vertex = Vertex(*point_mm).wrapped
    outside = _closest_points(solid.wrapped, vertex).gap_mm
    if outside > 0:
        return outside
    return -min(_closest_points(shell.wrapped, vertex).gap_mm for shell in solid.shells())


def intersection(first: Solid, second: Solid) -> Intersection:
    """Return the common volume of two solids. Takes milliseconds even for plain shapes: compare boxes first."""
    common = BRepAlgoAPI_Common(first.wrapped, second.wrapped)
    if not common.IsDone():
        raise GeometryFailedError("the intersection of two solids could not be computed")
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(common.Shape(), properties)
    center_mm = point_of(properties.CentreOfMass())
    return Intersection(float(properties.Mass()), center_mm, shape_bounds(common.Shape()))


def lengths_inside(solid: Solid, segments: Sequence[tuple[Vector, Vector]]) -> list[float]:
    """Return the length of each segment that lies inside a solid, in mm."""
    return [_length_inside(solid, start, end) for start, end in segments]


def _length_inside(solid: Solid, start: Vector, end: Vector) -> float:
    edge = Edge.make_line(start, end)
    common = BRepAlgoAPI_Common(edge.wrapped, solid.wrapped)
    if not common.IsDone():
        raise GeometryFailedError("the intersection of a line and a solid could not be computed")
    properties = GProp_GProps()
    BRepGProp.LinearProperties_s(common.Shape(), properties)
    return float(properties.Mass())


def _closest_points(first: TopoDS_Shape, second: TopoDS_Shape) -> ClosestPoints:
    extrema = BRepExtrema_DistShapeShape(first, second)
    if not extrema.IsDone() or not extrema.NbSolution():
        raise GeometryFailedError("the distance of two solids could not be computed")
    return ClosestPoints(float(extrema.Value()), point_of(extrema.PointOnShape1(1)), point_of(extrema.PointOnShape2(1)))

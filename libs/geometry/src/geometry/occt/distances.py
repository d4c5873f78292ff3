"""Distances and intersections of solids of any shape, computed by OCCT."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from build123d import Face, Solid, Vertex
from contracts.models.geometry import Box, Vector
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepClass3d import BRepClass3d_SolidClassifier
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepGProp import BRepGProp
from OCP.ElCLib import ElCLib
from OCP.gp import gp_Dir, gp_Lin, gp_Pnt, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.IntCurvesFace import IntCurvesFace_ShapeIntersector
from OCP.TopAbs import TopAbs_State
from OCP.TopoDS import TopoDS_Shape

from geometry.occt.brep import GeometryFailedError
from geometry.occt.measures import point_of, shape_bounds

TOLERANCE_MM = 1e-6


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
    area_mm2: float = 0.0
    """Of the surface of the common volume."""

    @property
    def depth_mm(self) -> float:
        """The smallest extent along x, y or z."""
        return min(self.box.size_mm) if self.box is not None else 0.0

    @property
    def thickness_mm(self) -> float:
        """The mean thickness of a common volume that is a thin layer, such as that of a pin in too narrow a bore."""
        return 2 * self.volume_mm3 / self.area_mm2 if self.area_mm2 > 0 else 0.0


def closest_points(first: Solid, second: Solid) -> ClosestPoints:
    """Return the exact distance of two solids, and a pair of points that have it."""
    return _closest_points(first.wrapped, second.wrapped)


def closest_on_faces(first: Face, second: Face) -> ClosestPoints:
    """Return the exact distance of two faces, and a pair of points that have it."""
    return _closest_points(first.wrapped, second.wrapped)


def distance_of_face_mm(face: Face, point_mm: Vector) -> float:
    """Return the distance of a point from a face."""
    return _closest_points(face.wrapped, Vertex(*point_mm).wrapped).gap_mm


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
    skin = GProp_GProps()
    BRepGProp.SurfaceProperties_s(common.Shape(), skin)
    return Intersection(float(properties.Mass()), center_mm, shape_bounds(common.Shape()), float(skin.Mass()))


def lengths_inside(solid: Solid, segments: Sequence[tuple[Vector, Vector]]) -> list[float]:
    """Return the length of each segment that lies inside a solid, in mm."""
    surface = IntCurvesFace_ShapeIntersector()
    surface.Load(solid.wrapped, TOLERANCE_MM)
    inside = BRepClass3d_SolidClassifier(solid.wrapped)
    return [_length_inside(surface, inside, gp_Pnt(*start), gp_Pnt(*end)) for start, end in segments]


def _length_inside(
    surface: IntCurvesFace_ShapeIntersector, inside: BRepClass3d_SolidClassifier, start: gp_Pnt, end: gp_Pnt
) -> float:
    length = start.Distance(end)
    line = gp_Lin(start, gp_Dir(gp_Vec(start, end)))
    surface.Perform(line, 0.0, length)
    crossings = sorted(float(surface.WParameter(number)) for number in range(1, surface.NbPnt() + 1))
    total = 0.0
    for low, high in pairwise([0.0, *crossings, length]):
        if high - low > TOLERANCE_MM:
            inside.Perform(ElCLib.Value_s((low + high) / 2, line), TOLERANCE_MM)
            total += high - low if inside.State() == TopAbs_State.TopAbs_IN else 0.0
    return total


def _closest_points(first: TopoDS_Shape, second: TopoDS_Shape) -> ClosestPoints:
    extrema = BRepExtrema_DistShapeShape(first, second)
    if not extrema.IsDone() or not extrema.NbSolution():
        raise GeometryFailedError("the distance of two solids could not be computed")
    return ClosestPoints(float(extrema.Value()), point_of(extrema.PointOnShape1(1)), point_of(extrema.PointOnShape2(1)))

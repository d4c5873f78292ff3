"""Plane sections of a solid, and their edges sampled as points with tangents."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportArgumentType=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass
from math import acos, ceil

import numpy as np
from build123d import Edge, Face, GeomType, Plane, Solid, Vector, Wire
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepTools import BRepTools_WireExplorer
from OCP.GCPnts import GCPnts_QuasiUniformDeflection
from OCP.gp import gp_Pnt, gp_Vec
from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS

from geometry.arrays import FloatArray

FINER = 3
"""Points per point that the sagitta requires: convex outsides need no extra pieces, so they may be rounder."""
MAX_STEP_RAD = 1.3
"""Even the smallest circle has five corners."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Points along one edge of a section, in the plane's x and y."""

    points_mm: FloatArray
    """(k * FINER + 1, 2), both ends included; a line has only its ends."""
    tangents: FloatArray
    """(n, 2), unit, in the order of the points."""


def section_of(solid: Solid, plane: Plane, low: tuple[float, float], high: tuple[float, float]) -> list[Face]:
    """Return the section of a solid within a rectangle of a plane, given by two corners in the plane's x and y."""
    corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    window = Face(Wire.make_polygon([plane.from_local_coords(Vector(*corner)) for corner in corners]))
    common = BRepAlgoAPI_Common(solid.wrapped, window.wrapped)
    if not common.IsDone():
        return []
    explorer = TopExp_Explorer(common.Shape(), TopAbs_ShapeEnum.TopAbs_FACE)
    faces: list[Face] = []
    while explorer.More():
        faces.append(Face(TopoDS.Face(explorer.Current())))
        explorer.Next()
    return faces


def wires_of(face: Face, plane: Plane, sagitta_mm: float) -> list[list[Curve]]:
    """Return the wires of a flat face as consecutive edges.

    Between every `FINER`-th point, tangents meet at most `sagitta_mm` off a circle and chords deviate by at most that
    from any curve.
    """
    wires: list[list[Curve]] = []
    for wire in face.wires():
        explorer = BRepTools_WireExplorer(TopoDS.Wire(wire.wrapped), TopoDS.Face(face.wrapped))
        curves: list[Curve] = []
        while explorer.More():
            edge = TopoDS.Edge(explorer.Current())
            is_reversed = explorer.Orientation() == TopAbs_Orientation.TopAbs_REVERSED
            curves.append(_curve(Edge(edge), plane, sagitta_mm, is_reversed))
            explorer.Next()
        wires.append(curves)
    return wires


def _curve(edge: Edge, plane: Plane, sagitta_mm: float, is_reversed: bool) -> Curve:
    adaptor = BRepAdaptor_Curve(edge.wrapped)
    origin, axes = np.array(tuple(plane.origin)), np.array([tuple(plane.x_dir), tuple(plane.y_dir)])
    points: list[FloatArray] = []
    tangents: list[FloatArray] = []
    for parameter in _parameters(edge, adaptor, sagitta_mm):
        point, tangent = gp_Pnt(), gp_Vec()
        adaptor.D1(parameter, point, tangent)
        points.append(axes @ (np.array([point.X(), point.Y(), point.Z()]) - origin))
        direction = axes @ np.array([tangent.X(), tangent.Y(), tangent.Z()])
        tangents.append(direction / np.linalg.norm(direction))
    if is_reversed:
        return Curve(np.array(points[::-1]), -np.array(tangents[::-1]))
    return Curve(np.array(points), np.array(tangents))


def _parameters(edge: Edge, adaptor: BRepAdaptor_Curve, sagitta_mm: float) -> list[float]:
    first, last = float(adaptor.FirstParameter()), float(adaptor.LastParameter())
    if edge.geom_type == GeomType.LINE:
        return [first, last]
    if edge.geom_type == GeomType.CIRCLE:
        radius = float(adaptor.Circle().Radius())
        step = min(MAX_STEP_RAD, 2 * acos(radius / (radius + sagitta_mm)))
        count = ceil((last - first) / step)
        return [float(value) for value in np.linspace(first, last, FINER * count + 1)]
    points = GCPnts_QuasiUniformDeflection(adaptor, sagitta_mm)
    coarse = [float(points.Parameter(index)) for index in range(1, points.NbPoints() + 1)]
    fine = np.arange(FINER * (len(coarse) - 1) + 1) / FINER
    return [float(value) for value in np.interp(fine, range(len(coarse)), coarse)]

"""The faces over which two solids touch: area, second moments and outline of the real contact patch, by OCCT."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass

import numpy as np
from build123d import Face, GeomType, Location, Solid
from contracts.models.geometry import Vector
from OCP.Bnd import Bnd_Box
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepGProp import BRepGProp
from OCP.collections import List_TopoDS_Shape
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopoDS import TopoDS, TopoDS_Shape

from geometry.arrays import FloatArray, crossed
from geometry.occt.brep import GeometryFailedError
from geometry.occt.measures import point_of
from geometry.occt.surfaces import plane_of

POINTS_ON_EDGE = 9
"""Sampled on each edge of a patch, both ends included; a circle's diameter is found within 2 %."""

PARALLEL = 1e-6
"""Sine of the largest angle between flat faces that count as parallel: others are compared with a fuzzy tolerance."""
EQUAL = 1e-3
"""Second moments that differ by a smaller share have no principal axes."""


@dataclass(frozen=True, eq=False)
class ContactPatch:
    """The faces that two solids have in common, as a sheet."""

    area_mm2: float
    center_mm: Vector
    tensor_mm4: FloatArray
    """(3, 3), inertia tensor of a sheet of one unit per mm² about its centre, along the world's axes: its component
    along a unit vector is the integral of the squared distance from that axis."""
    outline_mm: FloatArray
    """(n, 3), points on the edges of the patch; none if there is no patch."""

    @property
    def second_moments_mm4(self) -> tuple[FloatArray, FloatArray]:
        """Principal second moments (3,), least first, and their axes (3, 3), one a row.

        Where the first two are equal, as of a square, their axes follow the longest edge.
        """
        moments, columns = np.linalg.eigh(self.tensor_mm4)
        axes = columns.T
        if moments[1] - moments[0] < EQUAL * moments[1]:
            edges = self.outline_mm[POINTS_ON_EDGE - 1 :: POINTS_ON_EDGE] - self.outline_mm[::POINTS_ON_EDGE]
            flat = edges - np.outer(edges @ axes[2], axes[2])
            lengths = np.linalg.norm(flat, axis=1)
            longest = int(np.argmax(lengths))
            if lengths[longest] > 0:
                first = flat[longest] / lengths[longest]
                axes = np.array([first, np.cross(axes[2], first), axes[2]])
        return np.maximum(moments, 0.0), axes

    def reaches_mm(self, axes: FloatArray) -> FloatArray:
        """Return the largest distance of the patch from each axis (n, 3) through its centre."""
        offsets = self.outline_mm - np.array(self.center_mm)
        return np.array([np.linalg.norm(crossed(offsets, axis), axis=1).max() for axis in axes])


def contact_patch(first: Solid, second: Solid, within_mm: float) -> ContactPatch:
    """Return the patch over which faces of two solids coincide, up to a distance of `within_mm`.

    Faces are compared in pairs. All faces at once fail where a step is at most `within_mm` high, whose edges merge; a
    face that is at most as wide is left out for the same reason. `GeometryFailedError` if a pair fails.
    """
    properties = GProp_GProps()
    outline_mm: list[FloatArray] = []
    theirs = [(face, _box_of(face)) for face in _faces(second, within_mm)]
    for face in _faces(first, within_mm):
        box = _box_of(face)
        box.Enlarge(within_mm)
        for other, other_box in theirs:
            common = None if box.IsOut(other_box) else _common(face, other, within_mm)
            if common is not None:
                sheet = GProp_GProps()
                BRepGProp.SurfaceProperties_s(common, sheet)
                properties.Add(sheet)
                outline_mm.append(_outline(common))
    matrix = properties.MatrixOfInertia()
    tensor = np.array([[float(matrix.Value(row, column)) for column in (1, 2, 3)] for row in (1, 2, 3)])
    center_mm = point_of(properties.CentreOfMass())
    return ContactPatch(float(properties.Mass()), center_mm, tensor, np.vstack([np.zeros((0, 3)), *outline_mm]))


def _common(face: Face, other: Face, within_mm: float) -> TopoDS_Shape | None:
    """Return what two faces have in common; None where nothing."""
    moved, fuzzy_mm = other.wrapped, within_mm
    if face.geom_type == GeomType.PLANE == other.geom_type:
        normal, point = (np.array(each) for each in plane_of(face))
        their_normal, their_point = (np.array(each) for each in plane_of(other))
        if np.linalg.norm(crossed(normal, their_normal)) <= PARALLEL:
            gap_mm = float((their_point - point) @ normal)
            if abs(gap_mm) > within_mm:
                return None
            moved, fuzzy_mm = other.moved(Location(tuple(-gap_mm * normal))).wrapped, 0.0
    common = BRepAlgoAPI_Common()
    common.SetArguments(_list_of(face.wrapped))
    common.SetTools(_list_of(moved))
    common.SetFuzzyValue(fuzzy_mm)
    common.SetNonDestructive(True)
    common.Build()
    if not common.IsDone():
        place = ", ".join(f"{value:.1f}" for value in face.center())
        raise GeometryFailedError(f"the contact of two solids near ({place}) mm could not be computed")
    return common.Shape()


def _outline(shape: TopoDS_Shape) -> FloatArray:
    points: list[Vector] = []
    explorer = TopExp_Explorer(shape, TopAbs_ShapeEnum.TopAbs_EDGE)
    while explorer.More():
        curve = BRepAdaptor_Curve(TopoDS.Edge(explorer.Current()))
        places = np.linspace(curve.FirstParameter(), curve.LastParameter(), POINTS_ON_EDGE)
        points += [point_of(curve.Value(float(place))) for place in places]
        explorer.Next()
    return np.array(points).reshape(-1, 3)


def _faces(solid: Solid, within_mm: float) -> list[Face]:
    """Return the faces of a solid that are wider than the gap that glue fills."""
    return [face for face in solid.faces() if 2 * face.area > within_mm * sum(edge.length for edge in face.edges())]


def _box_of(face: Face) -> Bnd_Box:
    box = Bnd_Box()
    BRepBndLib.Add_s(face.wrapped, box)
    return box


def _list_of(shape: TopoDS_Shape) -> List_TopoDS_Shape:
    shapes = List_TopoDS_Shape()
    shapes.Append(shape)
    return shapes

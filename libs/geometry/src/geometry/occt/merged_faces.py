"""Solids with each surface in one face, however the faces were split when the solid was drawn."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import numpy as np
from build123d import Face, Solid
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.Geom import Geom_BSplineSurface
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS

from geometry.occt.brep import OCCT_ERRORS, is_valid
from geometry.occt.measures import point_of

SAME_MM = 1e-5
SAME_RAD = 1e-6
SAME_VOLUME = 1e-4
"""Relative change of the volume beyond which merging has failed; edges that OCCT computed twice differ by less."""


def merge_faces(solid: Solid) -> tuple[Solid, list[tuple[int, ...]]]:
    """Return the solid with neighbouring faces of one surface joined, and the faces that each of its faces was.

    The faces are given by their index in `solid.faces()`. A solid that OCCT cannot join is returned as it is.
    """
    for joins_edges in (True, False):  # some rims of tori cannot be joined, though their faces can
        # A failed attempt leaves traces in what it is given, but not in the surfaces, whose identity counts.
        copy = Solid(TopoDS.Solid(BRepBuilderAPI_Copy(solid.wrapped, False, False).Shape()))
        _share_splines(copy)
        try:
            merger = ShapeUpgrade_UnifySameDomain(copy.wrapped, joins_edges, True, False)
            merger.SetLinearTolerance(SAME_MM)
            merger.SetAngularTolerance(SAME_RAD)
            merger.Build()
            found = merger.Shape()
        except OCCT_ERRORS:
            continue
        merged = Solid(found) if found.ShapeType() == TopAbs_ShapeEnum.TopAbs_SOLID else None
        if merged is not None and len(merged.faces()) == len(solid.faces()):
            break
        if merged is not None and _is_same(solid, merged):
            return merged, _origins(copy, merged, merger.History())
    return solid, [(index,) for index in range(len(solid.faces()))]


def _share_splines(solid: Solid) -> None:
    """Give faces on equal splines one surface: OCCT joins the pieces of a spline by its identity."""
    known: dict[bytes, Geom_BSplineSurface] = {}
    for face in solid.faces():
        location = TopLoc_Location()
        surface = BRep_Tool.Surface_s(face.wrapped, location)
        if not isinstance(surface, Geom_BSplineSurface) or surface.IsUClosed() or surface.IsVClosed():
            continue
        shared = known.setdefault(_digest(surface, location), surface)
        if shared is not surface:
            _move_to(shared, face, surface, location)


def _move_to(shared: Geom_BSplineSurface, face: Face, surface: Geom_BSplineSurface, location: TopLoc_Location) -> None:
    builder = BRep_Builder()
    for edge in face.edges():
        curve = BRep_Tool.CurveOnSurface_s(edge.wrapped, surface, location, 0.0, 0.0)
        builder.UpdateEdge(edge.wrapped, curve, shared, location, BRep_Tool.Tolerance_s(edge.wrapped))
    builder.UpdateFace(face.wrapped, shared, location, BRep_Tool.Tolerance_s(face.wrapped))


def _digest(surface: Geom_BSplineSurface, location: TopLoc_Location) -> bytes:
    """Return the place, the poles and the knots of a spline, rounded."""
    moved = location.Transformation()
    poles = [
        point_of(surface.Pole(row, column).Transformed(moved))
        for row in range(1, surface.NbUPoles() + 1)
        for column in range(1, surface.NbVPoles() + 1)
    ]
    knots = [surface.UKnot(number) for number in range(1, surface.NbUKnots() + 1)]
    knots += [surface.VKnot(number) for number in range(1, surface.NbVKnots() + 1)]
    return np.round(np.array([*np.ravel(poles), *knots]) / SAME_MM).astype(np.int64).tobytes()


def _is_same(solid: Solid, merged: Solid) -> bool:
    return is_valid(merged) and abs(merged.volume - solid.volume) <= SAME_VOLUME * solid.volume


def _origins(solid: Solid, merged: Solid, history: object) -> list[tuple[int, ...]]:
    place = {face.wrapped.TShape(): number for number, face in enumerate(merged.faces())}
    origins: list[list[int]] = [[] for _ in place]
    for index, face in enumerate(solid.faces()):
        became = list(history.Modified(face.wrapped)) or [face.wrapped]
        for shape in became:
            number = place.get(shape.TShape())
            if number is not None:
                origins[number].append(index)
    return [tuple(found) for found in origins]

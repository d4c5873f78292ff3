"""Solids with each surface in one face, however the faces were split when the solid was drawn."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import numpy as np
from build123d import Face, Solid
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_Copy
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.Geom import Geom_BSplineSurface
from OCP.ShapeCustom import ShapeCustom
from OCP.ShapeFix import ShapeFix_Shape
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS

from geometry.occt.brep import OCCT_ERRORS, is_valid
from geometry.occt.measures import face_area_mm2, point_of, volume_integrals
from geometry.occt.meshes import FaceTriangles, face_meshes
from geometry.occt.surfaces import surface_of

Joined = tuple[Solid, list[tuple[int, ...]]]
"""A solid, and the faces of another that each of its faces was."""
SAME_MM = 1e-5
SAME_RAD = 1e-6
SAME_VOLUME = 1e-4
"""Relative change of the volume beyond which merging has failed; edges that OCCT computed twice differ by less."""
DEFLECTION_MM, ANGLE_RAD = 0.05, 0.2
"""Of the triangles by which joined faces are tried; those that are made of the result should be the same."""
UNCOVERED, UNCOVERED_MM2 = 0.02, 0.1
"""By how much the area of a face's triangles may differ from its own."""


def merge_faces(solid: Solid) -> tuple[Solid, list[tuple[int, ...]]]:
    """Return the solid with neighbouring faces of one surface joined, and the faces that each of its faces was.

    The faces are given by their index in `solid.faces()`. Faces that OCCT joins wrongly stay as they were.
    """
    best: Joined = (solid, [(index,) for index in range(len(solid.faces()))])
    for prepare in (_copy, _redrawn):  # each joins some seams that the other does not
        if prepare is _redrawn and not _shares_round_surface(best[0]):
            break
        for joins_edges in (True, False):  # some rims of tori cannot be joined, though their faces can
            joined = _join_soundly(prepare(solid), joins_edges, fewer_than=len(best[1]))
            if joined is not None:
                best = joined if joined[1] else best
                break
    return best


def _shares_round_surface(solid: Solid) -> bool:
    """Tell whether two faces lie on one surface of revolution: only across its seam are faces left apart."""
    known: set[tuple[object, ...]] = set()
    for face in solid.faces():
        surface = surface_of(face)
        if surface.axis_point_mm is None:
            continue
        point, axis = np.array(surface.axis_point_mm), np.array(surface.axis or (0.0, 0.0, 0.0))
        line = np.concatenate([np.outer(axis, axis).ravel(), point - axis * (axis @ point)])  # the same both ways
        key = (surface.kind, round(surface.radius_mm or 0.0, 3), *np.round(line, 3).tolist())
        if key in known:
            return True
        known.add(key)
    return False


def _join_soundly(solid: Solid, joins_edges: bool, fewer_than: int) -> Joined | None:
    """Join all faces but those that OCCT joins wrongly; None if that gives another solid."""
    apart: set[int] = set()
    while (joined := _join(solid, joins_edges, apart, fewer_than)) is not None:
        merged, origins = joined
        if not origins:
            return joined
        of_several = [place for place, each in enumerate(origins) if len(each) > 1]
        wrong = {index for place in _wrong_faces(merged, of_several) for index in origins[place]} - apart
        if not wrong:
            return joined if _is_same(solid, merged) else None
        apart |= wrong
    return None


def _join(solid: Solid, joins_edges: bool, apart: set[int], fewer_than: int) -> Joined | None:
    """Join faces but those `apart`, without origins if that leaves as many; None if OCCT cannot."""
    # A failed attempt leaves traces in what it is given, but not in the surfaces, whose identity counts.
    copy = _copy(solid)
    _share_splines(copy)
    try:
        merger = ShapeUpgrade_UnifySameDomain(copy.wrapped, joins_edges, True, False)
        merger.SetLinearTolerance(SAME_MM)
        merger.SetAngularTolerance(SAME_RAD)
        faces = copy.faces()
        for edge in (edge for index in apart for edge in faces[index].edges()):
            merger.KeepShape(edge.wrapped)
        merger.Build()
        found = merger.Shape()
    except OCCT_ERRORS:
        return None
    if found.ShapeType() != TopAbs_ShapeEnum.TopAbs_SOLID:
        return None
    merged = Solid(found)
    if len(merged.faces()) >= fewer_than:
        return merged, []
    origins = _origins(copy, merged, merger.History())
    return (merged if is_valid(merged) else _fixed(merged)), origins


def _copy(solid: Solid) -> Solid:
    return Solid(TopoDS.Solid(BRepBuilderAPI_Copy(solid.wrapped, False, False).Shape()))


def _redrawn(solid: Solid) -> Solid:
    """Return the solid with right-handed surfaces, and curves as they are in files."""
    return _fixed(Solid(TopoDS.Solid(ShapeCustom.DirectFaces_s(solid.wrapped))))


def _fixed(solid: Solid) -> Solid:
    """Return the solid with its curves and wires fixed; as it is if that takes or adds faces."""
    fix = ShapeFix_Shape(solid.wrapped)
    fix.Perform()
    found = fix.Shape()
    is_solid = found.ShapeType() == TopAbs_ShapeEnum.TopAbs_SOLID
    return Solid(found) if is_solid and len(Solid(found).faces()) == len(solid.faces()) else solid


def _wrong_faces(solid: Solid, places: list[int]) -> list[int]:
    """Return which of some faces OCCT itself finds invalid, or cannot mesh."""
    check = BRepCheck_Analyzer(solid.wrapped)
    faces, meshes = solid.faces(), face_meshes(solid, DEFLECTION_MM, ANGLE_RAD)
    return [
        place
        for place in places
        if not check.IsValid(faces[place].wrapped) or not _covers(meshes[place], face_area_mm2(faces[place].wrapped))
    ]


def _covers(mesh: FaceTriangles, area_mm2: float) -> bool:
    corners = mesh.vertices_mm[mesh.triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return abs(np.linalg.norm(across, axis=1).sum() / 2 - area_mm2) <= max(UNCOVERED * area_mm2, UNCOVERED_MM2)


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
    volume_mm3 = volume_integrals(solid).volume_mm3
    return is_valid(merged) and abs(volume_integrals(merged).volume_mm3 - volume_mm3) <= SAME_VOLUME * volume_mm3


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

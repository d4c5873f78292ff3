"""Faces of revolution that run through their own axis, and outlines that cross themselves.

OCCT counts what such a face encloses as a void, or twice, and meshes such an outline at random.
"""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import numpy as np
from build123d import Face, GeomType, Solid
from contracts.models.geometry import Vector
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepCheck import BRepCheck_Status, BRepCheck_Wire
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.TopoDS import TopoDS_Edge

from geometry.arrays import as_vector
from geometry.occt.measures import point_of
from geometry.occt.surfaces import axis_of

PLACES = 60
"""Along the profile of a face."""
BESIDE_MM = 1e-3


def crossed_axis(solid: Solid) -> Vector | None:
    """Return a point where a face of revolution runs through its axis; None if none does."""
    return next((point for face in solid.faces() if (point := _crossing(face)) is not None), None)


def crossed_outline(solid: Solid) -> Vector | None:
    """Return a point where the outline of a face crosses itself; None if none does."""
    for face in solid.faces():
        for wire in face.wires():
            one, other = TopoDS_Edge(), TopoDS_Edge()
            status = BRepCheck_Wire(wire.wrapped).SelfIntersect(face.wrapped, one, other, False)
            if status == BRepCheck_Status.BRepCheck_SelfIntersectingWire and not (one.IsNull() or other.IsNull()):
                return point_of(BRepExtrema_DistShapeShape(one, other).PointOnShape1(1))
    return None


def _crossing(face: Face) -> Vector | None:
    line = axis_of(face)
    if line is None or face.geom_type == GeomType.CYLINDER:
        return None
    origin, axis = np.array(line[0]), np.array(line[1])
    surface = BRepAdaptor_Surface(face.wrapped)
    places = np.linspace(surface.FirstVParameter(), surface.LastVParameter(), PLACES)
    profile = np.array([point_of(surface.Value(surface.FirstUParameter(), float(place))) for place in places])
    along = (profile - origin) @ axis
    radial = profile - origin - np.outer(along, axis)
    beside = np.flatnonzero(np.linalg.norm(radial, axis=1) > BESIDE_MM)
    if not len(beside):
        return None
    is_behind = radial[beside] @ radial[beside[0]] < 0
    if not is_behind.any():
        return None
    return as_vector(origin + along[beside[int(np.argmax(is_behind))]] * axis)

"""Measures of any shape, asked of OCCT itself: what an agent's class says of its shape is not heard."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass
from typing import Any

from OCP.Bnd import Bnd_Box
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepGProp import BRepGProp
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopExp import TopExp

Placement = tuple[int, int, tuple[float, ...]]
_KINDS = ("SOLID", "FACE", "EDGE", "VERTEX")


@dataclass(frozen=True)
class Counts:
    """What a shape consists of, shared pieces counted once."""

    solids: int
    faces: int
    edges: int
    vertices: int


@dataclass(frozen=True)
class Measures:
    """How large a shape is, and where."""

    low_mm: tuple[float, float, float]
    size_mm: tuple[float, float, float]
    volume_mm3: float
    area_mm2: float
    length_mm: float
    """Of its edges, one between two faces counted twice."""


def placement(wrapped: Any) -> tuple[object, Placement]:  # noqa: ANN401 - a TopoDS_Shape
    """Return the geometry that a shape places, and how: equal as long as neither changes and the geometry is held."""
    geometry = wrapped.TShape()
    moved = wrapped.Location().Transformation()
    numbers = tuple(moved.Value(row, column) for row in (1, 2, 3) for column in (1, 2, 3, 4))
    return geometry, (id(geometry), int(wrapped.Orientation()), numbers)


def counts(wrapped: Any) -> Counts:  # noqa: ANN401 - a TopoDS_Shape
    """Count the pieces of a shape."""
    return Counts(*(_count(wrapped, getattr(TopAbs_ShapeEnum, f"TopAbs_{kind}")) for kind in _KINDS))


def measures(wrapped: Any) -> Measures | None:  # noqa: ANN401 - a TopoDS_Shape
    """Measure a shape; None when it has no extent, such as a compound of nothing."""
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(wrapped, box, False, False)
    if box.IsVoid():
        return None
    low, high = box.CornerMin(), box.CornerMax()
    corner = (low.X(), low.Y(), low.Z())
    size = (high.X() - low.X(), high.Y() - low.Y(), high.Z() - low.Z())
    masses = []
    for measure in (BRepGProp.VolumeProperties_s, BRepGProp.SurfaceProperties_s, BRepGProp.LinearProperties_s):
        properties = GProp_GProps()
        measure(wrapped, properties)
        masses.append(properties.Mass())
    return Measures(corner, size, *masses)


def _count(wrapped: Any, kind: Any) -> int:  # noqa: ANN401 - OCP's classes
    found = ShapeMap()
    TopExp.MapShapes_s(wrapped, kind, found)
    return found.Size()

"""The only code that talks to OCCT directly; everything else uses build123d and this typed face of it."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from build123d import Face, Location, Solid
from build123d.topology import Shape
from contracts.models.geometry import Vector
from OCP import Standard, Storage
from OCP.BinTools import BinTools
from OCP.BRep import BRep_Builder
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepGProp import BRepGProp
from OCP.BRepTools import BRepTools
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopoDS import TopoDS_Compound, TopoDS_Iterator, TopoDS_Shape

OCCT_ERRORS: tuple[type[Exception], ...] = tuple(
    kind
    for module in (Standard, Storage)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
)
"""What OCCT throws. OCP gives the many kinds no common base but Exception."""


class UnreadableBrepError(ValueError):
    """The bytes are no B-rep."""


class GeometryFailedError(RuntimeError):
    """OCCT could not answer a question about valid shapes."""


@dataclass(frozen=True)
class Contents:
    """What a B-rep holds when all compounds are opened."""

    solids: tuple[Solid, ...]
    others: int
    """Loose shells, faces, edges and vertices."""


@dataclass(frozen=True)
class Overlap:
    """What two solids share."""

    volume_mm3: float
    center_mm: Vector


def write_brep(shape: Shape[Any], location: Location | None = None) -> bytes:
    """Return a shape as OCCT's binary B-rep, moved by `location`: coordinates keep every bit, nothing else survives."""
    if shape.is_null:
        raise UnreadableBrepError("an empty shape has no geometry")
    return _write(shape.wrapped.Moved(location.wrapped) if location else shape.wrapped)


def write_compound(solids: Sequence[Solid]) -> bytes:
    """Return solids as one B-rep, in this order."""
    builder, compound = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(compound)
    for solid in solids:
        builder.Add(compound, solid.wrapped)
    return _write(compound)


def read_brep(data: bytes) -> Contents:
    """Read a B-rep; raise `UnreadableBrepError`. A stored triangulation is dropped: it could tell another story."""
    shape = TopoDS_Shape()
    try:
        BinTools.Read_s(shape, BytesIO(data))
    except OCCT_ERRORS as failure:
        raise UnreadableBrepError("the bytes are no B-rep") from failure
    if shape.IsNull():
        raise UnreadableBrepError("the B-rep holds no shape")
    BRepTools.Clean_s(shape)
    leaves = list(_leaves(shape))
    solids = tuple(Solid(leaf) for leaf in leaves if leaf.ShapeType() == TopAbs_ShapeEnum.TopAbs_SOLID)
    return Contents(solids, len(leaves) - len(solids))


def is_valid(solid: Solid) -> bool:
    """Tell whether the solid is closed and consistent, and right side out."""
    return bool(BRepCheck_Analyzer(solid.wrapped).IsValid()) and solid.volume > 0


def plane_of(face: Face) -> tuple[Vector, Vector]:
    """Return the unit normal and a point of the plane that a flat face lies in."""
    plane = BRepAdaptor_Surface(face.wrapped).Plane()
    normal, point = plane.Axis().Direction(), plane.Location()
    return (normal.X(), normal.Y(), normal.Z()), (point.X(), point.Y(), point.Z())


def distance_mm(first: Solid, second: Solid) -> float:
    """Return the exact distance of two solids; 0 if they touch or overlap."""
    found = BRepExtrema_DistShapeShape(first.wrapped, second.wrapped)
    if not found.IsDone():
        raise GeometryFailedError("the distance of two solids could not be computed")
    return float(found.Value())


def overlap(first: Solid, second: Solid) -> Overlap:
    """Return the volume that two solids share and its centre. A few milliseconds: ask for less first."""
    common = BRepAlgoAPI_Common(first.wrapped, second.wrapped)
    if not common.IsDone():
        raise GeometryFailedError("the intersection of two solids could not be computed")
    properties = GProp_GProps()
    BRepGProp.VolumeProperties_s(common.Shape(), properties)
    center = properties.CentreOfMass()
    return Overlap(float(properties.Mass()), (center.X(), center.Y(), center.Z()))


def _write(shape: TopoDS_Shape) -> bytes:
    BRepTools.Clean_s(shape)
    stream = BytesIO()
    BinTools.Write_s(shape, stream)
    return stream.getvalue()


def _leaves(shape: TopoDS_Shape) -> Iterator[TopoDS_Shape]:
    if shape.ShapeType() not in (TopAbs_ShapeEnum.TopAbs_COMPOUND, TopAbs_ShapeEnum.TopAbs_COMPSOLID):
        yield shape
        return
    iterator = TopoDS_Iterator(shape)
    while iterator.More():
        yield from _leaves(iterator.Value())
        iterator.Next()

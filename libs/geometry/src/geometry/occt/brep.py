"""B-reps as bytes or STEP files: writing, reading and validity, with the exceptions that OCCT throws."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from build123d import Location, Solid
from build123d.topology import Shape
from OCP import Standard, Storage
from OCP.BinTools import BinTools
from OCP.BRep import BRep_Builder
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepTools import BRepTools
from OCP.IFSelect import IFSelect_ReturnStatus
from OCP.STEPControl import STEPControl_Reader
from OCP.TopAbs import TopAbs_ShapeEnum
from OCP.TopoDS import TopoDS_Compound, TopoDS_Iterator, TopoDS_Shape

OCCT_ERRORS: tuple[type[Exception], ...] = tuple(
    kind
    for module in (Standard, Storage)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Exception)
)
"""All exceptions of OCCT. OCP gives them no common base class but Exception."""
STEP_HEADER = b"ISO-10303-21"


class UnreadableBrepError(ValueError):
    """The bytes or the file hold no B-rep."""


class GeometryFailedError(RuntimeError):
    """An OCCT algorithm failed on valid shapes."""


@dataclass(frozen=True)
class Contents:
    """The shapes of a B-rep or STEP file, once all compounds are flattened."""

    solids: tuple[Solid, ...]
    others: int
    """Loose shells, faces, edges and vertices."""


def write_brep(shape: Shape[Any], location: Location | None = None) -> bytes:
    """Return a shape, moved by `location`, as OCCT's binary B-rep: coordinates are exact, all else is dropped."""
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
    """Read a B-rep; raise `UnreadableBrepError`. A stored triangulation is dropped: it may not match the surfaces."""
    shape = TopoDS_Shape()
    try:
        BinTools.Read_s(shape, BytesIO(data))
    except OCCT_ERRORS as failure:
        raise UnreadableBrepError("the bytes are not a B-rep") from failure
    if shape.IsNull():
        raise UnreadableBrepError("the B-rep holds no shape")
    BRepTools.Clean_s(shape)
    return _contents(shape)


def read_step(path: Path) -> Contents:
    """Read a STEP file, in millimetres; raise `OSError` or `UnreadableBrepError`."""
    if not path.read_bytes().lstrip().startswith(STEP_HEADER):
        raise UnreadableBrepError(f"{path} is not a STEP file")
    reader = STEPControl_Reader()
    if reader.ReadFile(str(path)) != IFSelect_ReturnStatus.IFSelect_RetDone or not reader.TransferRoots():
        raise UnreadableBrepError(f"{path} holds no readable shape")
    return _contents(reader.OneShape())


def is_valid(solid: Solid) -> bool:
    """Tell whether the solid is closed and consistent, and right side out."""
    return bool(BRepCheck_Analyzer(solid.wrapped).IsValid()) and solid.volume > 0


def _contents(shape: TopoDS_Shape) -> Contents:
    leaves = list(_leaves(shape))
    solids = tuple(Solid(leaf) for leaf in leaves if leaf.ShapeType() == TopAbs_ShapeEnum.TopAbs_SOLID)
    return Contents(solids, len(leaves) - len(solids))


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

"""Products of a STEP file: the shapes of its parts with their names, each once, and how often assemblies use it."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import re
from collections import Counter
from dataclasses import dataclass
from io import BytesIO

from OCP.collections import Sequence_TDF_Label
from OCP.IFSelect import IFSelect_ReturnStatus
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_AsciiString, TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label, TDF_Tool
from OCP.TDocStd import TDocStd_Document
from OCP.TopoDS import TopoDS_Shape
from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

from geometry.cad_files.contents import MAX_PIECES, UnusableFileError, clean_name
from geometry.occt.brep import OCCT_ERRORS

_UNNAMED = re.compile(r"(=>\[.*|(COMP)?SOLID|COMPOUND|SHELL|FACE|Open CASCADE .*|NONE|UNNAMED|Unknown)?", re.IGNORECASE)
"""Names that programs give to what has none."""
MAX_DEPTH = 50
"""Of assemblies in assemblies."""


@dataclass(frozen=True)
class Product:
    """A shape without parts of its own, in its own coordinates."""

    name: str
    shape: TopoDS_Shape
    count: int


@dataclass(frozen=True)
class StepShapes:
    """All that a STEP file holds."""

    products: tuple[Product, ...]
    roots: tuple[TopoDS_Shape, ...]
    """The same as placed by assemblies."""


def read_products(text: bytes, name: str) -> StepShapes | None:
    """Read a STEP file, in millimetres; None if OCCT cannot. `name` is that of products without one."""
    document = TDocStd_Document(TCollection_ExtendedString("step"))
    reader = STEPCAFControl_Reader()
    for leave_out in (reader.SetColorMode, reader.SetLayerMode, reader.SetPropsMode, reader.SetGDTMode):
        leave_out(False)
    for leave_out in (reader.SetMatMode, reader.SetViewMode, reader.SetSHUOMode):
        leave_out(False)
    reader.SetNameMode(True)
    try:
        if reader.ReadStream("part.step", BytesIO(text)) != IFSelect_ReturnStatus.IFSelect_RetDone:
            return None
        reader.Transfer(document)
    except OCCT_ERRORS:
        return None
    return _Catalog(document, name).shapes()


class _Catalog:
    """Counts the products of a document. Equal sub-assemblies are counted once and multiplied."""

    def __init__(self, document: TDocStd_Document, name: str) -> None:
        self._document = document
        self._name = name
        self._labels: dict[str, tuple[str, TDF_Label]] = {}
        self._counts: dict[str, Counter[str]] = {}

    def shapes(self) -> StepShapes:
        free = Sequence_TDF_Label()
        XCAFDoc_DocumentTool.ShapeTool_s(self._document.Main()).GetFreeShapes(free)
        roots = [free.Value(index) for index in range(1, free.Length() + 1)]
        counts: Counter[str] = Counter()
        for root in roots:
            counts.update(self._parts_of(root, self._name, 0))
        products = tuple(
            Product(name, XCAFDoc_ShapeTool.GetShape_s(label), counts[key])
            for key, (name, label) in self._labels.items()
            if counts[key]
        )
        return StepShapes(products, tuple(XCAFDoc_ShapeTool.GetShape_s(root) for root in roots))

    def _parts_of(self, label: TDF_Label, around: str, depth: int) -> Counter[str]:
        """Return how often each product is used; `around` is the name of the assembly, for products without one."""
        if depth > MAX_DEPTH:
            raise UnusableFileError("too_complex", f"has assemblies in assemblies, more than {MAX_DEPTH} deep")
        key = _entry(label)
        if key in self._counts:
            return self._counts[key]
        name = _name_of(label) or around
        if not XCAFDoc_ShapeTool.IsAssembly_s(label):
            self._labels[key] = (clean_name(name, self._name), label)
            return Counter({key: 1})
        components, counts = Sequence_TDF_Label(), Counter[str]()
        XCAFDoc_ShapeTool.GetComponents_s(label, components, False)
        for index in range(1, components.Length() + 1):
            component, referred = components.Value(index), TDF_Label()
            if XCAFDoc_ShapeTool.GetReferredShape_s(component, referred):
                counts.update(self._parts_of(referred, name, depth + 1))
        if counts.total() > MAX_PIECES:
            raise UnusableFileError("too_complex", f"multiplies to more than {MAX_PIECES} pieces; quote its parts")
        self._counts[key] = counts
        return counts


def _entry(label: TDF_Label) -> str:
    entry = TCollection_AsciiString()
    TDF_Tool.Entry_s(label, entry)
    return entry.ToCString()


def _name_of(label: TDF_Label) -> str:
    """Return the name of a label, empty for one that has none of its own."""
    found = TDataStd_Name()
    if not label.FindAttribute(TDataStd_Name.GetID_s(), found):
        return ""
    name = str(found.Get().ToExtString())
    return "" if _UNNAMED.fullmatch(name.strip()) else name

"""Files of a build package as other software reads them: trimesh, ezdxf, PDFium, openpyxl, and OCCT by itself."""

# pyright: basic, reportMissingTypeStubs=false, reportPrivateImportUsage=false
# trimesh and pypdfium2 leave most of their types open; every function is fully annotated.

import io
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import ezdxf
import numpy as np
import pypdfium2
import trimesh
from ezdxf import bbox
from ezdxf.document import Drawing
from openpyxl import load_workbook

CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"


@dataclass(frozen=True)
class Piece:
    """One object of a mesh file."""

    volume_mm3: float
    area_mm2: float
    low_mm: tuple[float, ...]
    high_mm: tuple[float, ...]
    is_closed: bool


def pieces_of_3mf(data: bytes) -> dict[str, Piece]:
    """Return the placed objects of a 3MF file by name."""
    scene = trimesh.load(io.BytesIO(data), file_type="3mf")
    assert isinstance(scene, trimesh.Scene)
    return {name: _piece(scene, name) for name in scene.graph.nodes_geometry}


def pieces_of_glb(data: bytes) -> dict[str, Piece]:
    """Return the placed objects of a binary glTF by name, in its own unit, the metre, scaled as their nodes state."""
    scene = trimesh.load(io.BytesIO(data), file_type="glb")
    assert isinstance(scene, trimesh.Scene)
    return {name: _piece(scene, name) for name in scene.graph.nodes_geometry}


def unit_of_3mf(data: bytes) -> str:
    """Return the unit that the model states."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return ElementTree.fromstring(archive.read("3D/3dmodel.model")).attrib["unit"]


def stl_piece(data: bytes) -> Piece:
    """Return the one object of an STL file."""
    mesh = trimesh.load(io.BytesIO(data), file_type="stl")
    assert isinstance(mesh, trimesh.Trimesh)
    return _measured(mesh)


def _piece(scene: trimesh.Scene, node: str) -> Piece:
    transform, geometry = scene.graph[node]
    mesh = scene.geometry[geometry].copy()
    mesh.apply_transform(transform)
    return _measured(mesh)


def _measured(mesh: trimesh.Trimesh) -> Piece:
    low, high = (tuple(corner) for corner in mesh.bounds)
    return Piece(float(mesh.volume), float(mesh.area), low, high, bool(mesh.is_watertight))


def dxf(data: bytes) -> Drawing:
    """Return a drawing without errors."""
    document = ezdxf.read(io.StringIO(data.decode()))
    audit = document.audit()
    assert not audit.errors
    return document


def sizes_on_layer(document: Drawing, layer: str) -> tuple[float, float]:
    """Return width and height of everything on a layer."""
    box = bbox.extents(each for each in document.modelspace() if each.dxf.layer == layer)
    return float(box.size.x), float(box.size.y)


def dxf_texts(document: Drawing) -> list[str]:
    """Return all texts of a drawing."""
    return [each.dxf.text for each in document.modelspace().query("TEXT")]


@dataclass(frozen=True)
class Page:
    """A page of a PDF."""

    text: str
    size_mm: tuple[float, float]
    ink: float
    """Share of its pixels that are not white."""


def page_of(data: bytes) -> Page:
    """Return the only page."""
    (page,) = pages_of(data)
    return page


def pages_of(data: bytes) -> list[Page]:
    """Return all pages."""
    return [_page(page) for page in pypdfium2.PdfDocument(data)]


def _page(page: pypdfium2.PdfPage) -> Page:
    pixels = np.asarray(page.render(scale=2).to_pil().convert("L"))
    width, height = page.get_size()
    text = page.get_textpage().get_text_bounded()
    return Page(text, (width / 72 * 25.4, height / 72 * 25.4), float((pixels < 250).mean()))


def rows_of_sheet(data: bytes, title: str) -> list[dict[str, Any]]:
    """Return the rows of a sheet, each by the names in the first one."""
    head, *rows = load_workbook(io.BytesIO(data))[title].iter_rows(values_only=True)
    return [dict(zip(map(str, head), row, strict=True)) for row in rows]


STEP_READER = """
import json, sys
from OCP.Bnd import Bnd_Box
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GProp import GProp_GProps
from OCP.STEPControl import STEPControl_Reader

reader = STEPControl_Reader()
reader.ReadFile(sys.argv[1])
reader.TransferRoots()
shape, box, volume = reader.OneShape(), Bnd_Box(), GProp_GProps()
BRepBndLib.AddOptimal_s(shape, box)
BRepGProp.VolumeProperties_s(shape, volume)
low, high = box.CornerMin(), box.CornerMax()
size = [high.X() - low.X(), high.Y() - low.Y(), high.Z() - low.Z()]
print(json.dumps([volume.Mass(), sorted(size), BRepCheck_Analyzer(shape).IsValid()]))
"""
"""A program of its own: nothing of ours is imported."""


STEP_TREE_READER = """
import json, sys
from OCP.collections import Sequence_TDF_Label
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label
from OCP.TDocStd import TDocStd_Document
from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

document, reader = TDocStd_Document(TCollection_ExtendedString("XCAF")), STEPCAFControl_Reader()
reader.SetNameMode(True)
reader.ReadFile(sys.argv[1])
reader.Transfer(document)

def tree(label):
    name, referred, parts = TDataStd_Name(), TDF_Label(), Sequence_TDF_Label()
    label.FindAttribute(TDataStd_Name.GetID_s(), name)
    own = referred if XCAFDoc_ShapeTool.GetReferredShape_s(label, referred) else label
    XCAFDoc_ShapeTool.GetComponents_s(own, parts, False)
    return [name.Get().ToExtString(), [tree(part) for part in parts]]

roots = Sequence_TDF_Label()
XCAFDoc_DocumentTool.ShapeTool_s(document.Main()).GetFreeShapes(roots)
print(json.dumps([tree(root) for root in roots]))
"""

Tree = tuple[str, list["Tree"]]
"""A name, and what is in it."""


@dataclass(frozen=True)
class StepShape:
    """What a STEP file has."""

    volume_mm3: float
    size_mm: list[float]
    """From the smallest."""
    is_valid: bool


def step_in_a_fresh_process(data: bytes, folder: Path) -> StepShape:
    """Return what OCCT alone reads from a STEP file, whose unit of length is the millimetre."""
    assert set(re.findall(rb"SI_UNIT\(([^)]*),\.METRE\.\)", data)) == {b".MILLI."}
    return StepShape(*_read_alone(STEP_READER, data, folder))


def step_tree_in_a_fresh_process(data: bytes, folder: Path) -> Tree:
    """Return the names of a STEP file's only assembly, of its sub-assemblies and solids, as OCCT alone reads them."""
    (root,) = _read_alone(STEP_TREE_READER, data, folder)
    return root


def _read_alone(program: str, data: bytes, folder: Path) -> Any:
    path = folder / "part.step"
    path.write_bytes(data)
    read = subprocess.run((sys.executable, "-c", program, path), capture_output=True, text=True, check=True)
    return json.loads(read.stdout.splitlines()[-1])

"""Mesh files: 3MF in millimetres with names and materials, and binary STL."""

# pyright: basic, reportMissingTypeStubs=false, reportOptionalMemberAccess=false
# lib3mf ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from geometry.arrays import FloatArray, IntArray
from lib3mf import Lib3MF, get_wrapper

_GREY = (0.7, 0.7, 0.7, 1.0)
_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


@dataclass(frozen=True, eq=False)
class NamedMesh:
    """A closed mesh with its name and material."""

    name: str
    material: str
    vertices_mm: FloatArray
    """(n, 3)"""
    triangles: IntArray
    """(m, 3), counter-clockwise seen from outside."""


def as_3mf(title: str, meshes: Sequence[NamedMesh]) -> bytes:
    """Return one build item for each mesh, where its coordinates put it; equal meshes give equal bytes."""
    wrapper = _library()
    model = wrapper.CreateModel()
    model.SetUnit(Lib3MF.ModelUnit.MilliMeter)
    model.SetBuildUUID(_uuid(title, "build"))
    model.GetMetaDataGroup().AddMetaData("", "Title", title, "xs:string", True)
    materials = model.AddBaseMaterialGroup()
    numbers: dict[str, int] = {}
    for number, mesh in enumerate(meshes):
        if mesh.material not in numbers:
            numbers[mesh.material] = materials.AddMaterial(mesh.material, wrapper.FloatRGBAToColor(*_GREY))
        made = model.AddMeshObject()
        made.SetName(mesh.name)
        made.SetUUID(_uuid(title, f"object {number}"))
        made.SetGeometry(_positions(mesh.vertices_mm), _triangles(mesh.triangles))
        made.SetObjectLevelProperty(materials.GetResourceID(), numbers[mesh.material])
        model.AddBuildItem(made, wrapper.GetIdentityTransform()).SetUUID(_uuid(title, f"item {number}"))
    return bytes(model.QueryWriter("3mf").WriteToBuffer())


def as_stl(mesh: NamedMesh) -> bytes:
    """Return a binary STL; it has no unit, and millimetres are what printers take."""
    corners = mesh.vertices_mm[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    triangles = np.zeros(len(corners), dtype=_STL_TRIANGLE)
    triangles["normal"] = normals / np.where(lengths > 0, lengths, 1.0)
    triangles["corners"] = corners
    header = mesh.name.encode("ascii", "replace")[:80].ljust(80)
    return header + np.uint32(len(triangles)).tobytes() + triangles.tobytes()


@cache
def _library() -> Lib3MF.Wrapper:
    return get_wrapper()


def _positions(vertices_mm: FloatArray) -> list[Lib3MF.Position]:
    return [Lib3MF.Position((ctypes.c_float * 3)(*each)) for each in vertices_mm.tolist()]


def _triangles(triangles: IntArray) -> list[Lib3MF.Triangle]:
    return [Lib3MF.Triangle((ctypes.c_uint32 * 3)(*each)) for each in triangles.tolist()]


def _uuid(title: str, what: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{title} {what}"))

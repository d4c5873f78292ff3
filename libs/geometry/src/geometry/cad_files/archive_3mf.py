"""3MF archives: objects of meshes and components, placed by build items, in the model's unit."""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from geometry.arrays import FloatArray, IntArray
from geometry.cad_files.contents import MAX_PIECES, MAX_SOLIDS, UnusableFileError, clean_name
from geometry.cad_files.file_format import opened_archive, read_member
from geometry.cad_files.mesh_file import RawMesh, require_few

UNITS_MM = {"micron": 1e-3, "millimeter": 1.0, "centimeter": 10.0, "inch": 25.4, "foot": 304.8, "meter": 1000.0}
MAX_DEPTH = 20
_CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"
_PATH = "{http://schemas.microsoft.com/3dmanufacturing/production/2015/06}path"
_MADE = {"model", "solidsupport"}
"""Types of objects that are parts; the others are support, surfaces and modifiers."""
_FIRST = "3D/3dmodel.model"

Key = tuple[str, str]
"""Model file and id of an object."""


@dataclass
class _Object:
    name: str
    vertices: FloatArray
    triangles: IntArray
    components: list[tuple[Key, FloatArray]]


def read_3mf(data: bytes, name: str) -> list[RawMesh]:
    """Return each mesh of a 3MF file once for each size in which it is used; raise `UnusableFileError`."""
    with opened_archive(data) as archive:
        return list(_Models(archive, name).used_meshes())


class _Models:
    """The model files of an archive, each read when it is named."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._name = name
        self._objects: dict[Key, _Object] = {}
        self._scales: dict[str, float] = {}
        self._triangles = 0

    def used_meshes(self) -> Iterator[RawMesh]:
        """Yield every mesh that the build items use, with its count."""
        root = self._root_model()
        used: dict[tuple[Key, tuple[float, ...]], list[Any]] = {}
        pieces = 0
        for key, matrix in self._items(root):
            for leaf, placed in self._leaves(key, matrix, 0):
                pieces += 1
                if pieces > MAX_PIECES:
                    raise UnusableFileError("too_complex", f"holds more than {MAX_PIECES} pieces")
                # moved and turned copies have the same products of their axes
                shape = (placed[:3] @ placed[:3].T).round(6).ravel().tolist()
                mirrored = float(np.sign(np.linalg.det(placed[:3])))
                used.setdefault((leaf, (*shape, mirrored)), [placed, 0])[1] += 1
        if len(used) > MAX_SOLIDS:
            raise UnusableFileError(
                "too_complex", f"holds {len(used)} different objects, at most {MAX_SOLIDS} are read"
            )
        for (leaf, _), (placed, count) in used.items():
            found = self._objects[leaf]
            moved = found.vertices @ placed[:3] + placed[3]
            triangles = found.triangles if np.linalg.det(placed[:3]) > 0 else found.triangles[:, ::-1]
            yield RawMesh(clean_name(found.name, self._name), moved, triangles, count)

    def _root_model(self) -> ElementTree.Element:
        paths = [each for each in self._archive.namelist() if each.lower().endswith(".model")]
        first = next((each for each in paths if each.lower() == _FIRST.lower()), paths[0] if paths else "")
        if not first:
            raise UnusableFileError("no_shape", "has no model in it; save it again as 3MF")
        self._first = first
        return self._read(first)

    def _read(self, path: str) -> ElementTree.Element:
        """Read a model file, and remember its objects in millimetres."""
        try:
            root = ElementTree.fromstring(read_member(self._archive, path))  # noqa: S314 - in a confined child; expat bounds the growth of entities
        except ElementTree.ParseError as error:
            raise UnusableFileError("damaged", f"is damaged: {path} in it is not XML; save it again") from error
        unit = root.get("unit", "millimeter")
        if unit not in UNITS_MM:
            raise UnusableFileError("damaged", f"has the unknown unit {unit[:40]!r}; save it in millimetres")
        self._scales[path] = UNITS_MM[unit]
        for each in root.iter(f"{_CORE}object"):
            if each.get("type", "model") in _MADE:
                self._objects[path, each.get("id", "")] = self._object(each, path)
        return root

    def _object(self, element: ElementTree.Element, path: str) -> _Object:
        scale = self._scales[path]
        corners = [[each.get(axis) for axis in "xyz"] for each in element.iter(f"{_CORE}vertex")]
        indices = [[each.get(corner) for corner in ("v1", "v2", "v3")] for each in element.iter(f"{_CORE}triangle")]
        self._triangles += len(indices)
        require_few(self._triangles)
        try:
            vertices = np.array(corners, dtype=np.float64).reshape(-1, 3) * scale
            triangles = np.array(indices, dtype=np.int64).reshape(-1, 3)
        except (TypeError, ValueError) as error:
            raise UnusableFileError("damaged", "is damaged: a coordinate is not a number; save it again") from error
        if len(triangles) and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
            raise UnusableFileError("damaged", "is damaged: a triangle names a vertex that is missing; save it again")
        made = _Object(element.get("name", ""), vertices, triangles, [])
        for each in element.iter(f"{_CORE}component"):
            key = (self._path(each, path), each.get("objectid", ""))
            made.components.append((key, _matrix(each.get("transform"), scale)))
        return made

    def _path(self, element: ElementTree.Element, default: str) -> str:
        return (element.get(_PATH) or default).lstrip("/")

    def _items(self, root: ElementTree.Element) -> Iterator[tuple[Key, FloatArray]]:
        scale = self._scales[self._first]
        for item in root.iter(f"{_CORE}item"):
            if item.get("printable", "1") != "0":
                key = (self._path(item, self._first), item.get("objectid", ""))
                yield key, _matrix(item.get("transform"), scale)

    def _leaves(self, key: Key, matrix: FloatArray, depth: int) -> Iterator[tuple[Key, FloatArray]]:
        if depth > MAX_DEPTH:
            raise UnusableFileError("too_complex", f"has objects in objects, more than {MAX_DEPTH} deep")
        if key[0] not in self._scales:
            self._read(key[0])
        found = self._objects.get(key)
        if found is None:
            return  # support or a modifier
        if len(found.triangles):
            yield key, matrix
        for inner, placed in found.components:
            linear = placed[:3] @ matrix[:3]
            yield from self._leaves(inner, np.vstack([linear, placed[3] @ matrix[:3] + matrix[3]]), depth + 1)


def _matrix(text: str | None, scale: float) -> FloatArray:
    """Return (4, 3): a point times the first three rows, plus the last one, in millimetres."""
    if text is None:
        return np.vstack([np.eye(3), np.zeros(3)])
    try:
        matrix = np.array(text.split(), dtype=np.float64).reshape(4, 3)
    except ValueError as error:
        raise UnusableFileError("damaged", "is damaged: a transform has not twelve numbers; save it again") from error
    matrix[3] *= scale
    if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix[:3])) < 1e-12:
        raise UnusableFileError("damaged", "is damaged: a transform makes an object flat; save it again")
    return matrix

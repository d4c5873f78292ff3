"""Triangle meshes of STL and OBJ files: plain arrays of corners, in the file's unit, which is taken for millimetres."""

import re
import struct
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from geometry.arrays import FloatArray, IntArray
from geometry.cad_files.contents import FileFormat, UnusableFileError
from geometry.formatting import format_mm

MAX_TRIANGLES = 200_000
MOST_ROUNDED_MM = 0.02
_STL_HEADER, _STL_TRIANGLE = 84, 50
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class RawMesh:
    """Triangles as a file has them."""

    name: str
    vertices_mm: FloatArray
    """(n, 3)"""
    triangles: IntArray
    """(m, 3)"""
    count: int = 1


def read_stl(data: bytes, name: str) -> RawMesh:
    """Read binary or text STL; raise `UnusableFileError`."""
    size = struct.unpack_from("<I", data, _STL_HEADER - 4)[0] if len(data) >= _STL_HEADER else -1
    is_text = data[:512].lstrip()[:5].lower() == b"solid" and b"facet" in data[:4096].lower()
    if is_text and len(data) != _STL_HEADER + _STL_TRIANGLE * size:
        corners = _text_corners(data)
    elif size < 0 or len(data) < _STL_HEADER + _STL_TRIANGLE * size:
        raise UnusableFileError("truncated", "ends early: it announces more triangles than it has; export it again")
    else:
        require_few(size)
        records = np.frombuffer(data, np.dtype([("n", "<3f4"), ("p", "<9f4"), ("a", "<u2")]), size, _STL_HEADER)
        corners = records["p"].astype(np.float64).reshape(-1, 3)
        _require_near(corners)
    return RawMesh(name, corners, np.arange(len(corners), dtype=np.int64).reshape(-1, 3))


def _require_near(corners: FloatArray) -> None:
    """Raise `UnusableFileError` for a mesh so far away that single precision rounds its shape."""
    farthest_mm = np.abs(corners).max(initial=0.0)
    rounded_mm = float(np.spacing(np.float32(farthest_mm)))
    if MOST_ROUNDED_MM < rounded_mm < np.inf:
        raise UnusableFileError(
            "damaged",
            f"lies {farthest_mm / 1000:.0f} m from the origin, where STL rounds coordinates to {format_mm(rounded_mm)}"
            "; move it to the origin and export it again",
        )


def _text_corners(data: bytes) -> FloatArray:
    if b"endsolid" not in data[-4096:].lower():
        raise UnusableFileError("truncated", "ends early: its last line, endsolid, is missing; export it again")
    found = _VERTEX.findall(data)
    require_few(len(found) // 3)
    if len(found) % 3:
        raise UnusableFileError("damaged", "is damaged: a triangle has not three corners; export it again")
    return _numbers(found)


def read_obj(data: bytes, name: str) -> RawMesh:
    """Read the vertices and faces of an OBJ file; polygons are cut into triangles. Raises `UnusableFileError`."""
    vertices: list[list[bytes]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.replace(b"\\\n", b" ").splitlines():
        key, *fields = line.split() or [b""]
        if key == b"v":
            vertices.append(fields[:3])
        elif key == b"f":
            corners = [_index(field, len(vertices)) for field in fields]
            triangles += [(corners[0], one, two) for one, two in pairwise(corners[1:])]
            require_few(len(triangles))
    indices = np.array(triangles, dtype=np.int64).reshape(-1, 3)
    if len(indices) and not (indices.min() >= 0 and indices.max() < len(vertices)):
        raise UnusableFileError("damaged", "is damaged: a face names a vertex that it does not have; export it again")
    return RawMesh(name, _numbers(vertices), indices)


def require_few(triangles: int) -> None:
    """Raise `UnusableFileError` for more triangles than can be judged."""
    if triangles > MAX_TRIANGLES:
        raise UnusableFileError(
            "too_complex", f"has {triangles} triangles, at most {MAX_TRIANGLES} are read; export it more coarsely"
        )


def _index(field: bytes, known: int) -> int:
    """Return the place of a vertex, which files count from 1, or backwards from the last one."""
    try:
        number = int(field.split(b"/")[0])
    except ValueError:
        return -1
    return number - 1 if number > 0 else known + number


def _numbers(texts: object) -> FloatArray:
    try:
        return np.array(texts, dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise UnusableFileError("damaged", "is damaged: a coordinate is not a number; export it again") from error


MESH_READERS = {"stl": read_stl, "obj": read_obj}
"""By format."""
MESH_FORMATS: tuple[FileFormat, ...] = ("stl", "obj", "3mf")

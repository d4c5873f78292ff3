"""Binary glTF by hand: one flat-shaded mesh per solid, in metres, y up, with its label in the extras."""

import json
import struct
from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from build123d import Solid
from numpy.typing import NDArray

from cad_worker.exports.colors import Finish
from cad_worker.validation.bodies import Block

CHORD_MM = 0.1
"""How far a triangle may lie from a curved surface."""
FLOAT, ARRAY_BUFFER = 5126, 34962
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
Z_UP_TO_Y_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""A quarter turn about -x, as glTF's x y z w."""

Corners = NDArray[np.float32]


class Accessor(TypedDict, total=False):
    """glTF's accessor."""

    bufferView: int
    componentType: int
    count: int
    type: str
    min: list[float]
    max: list[float]


def assembly_glb(label: str, blocks: Sequence[Block], finishes: Sequence[Finish], kind: str) -> bytes:
    """Return all solids under one root node named `label`; `kind` (design or environment) goes to their extras."""
    arrays: list[Corners] = []
    for block in blocks:
        corners = _triangles(block.solid)
        arrays += [corners, _normals(corners)]
    nodes = [
        {"name": block.label, "mesh": index, "extras": {"part": block.label, "kind": kind}}
        for index, block in enumerate(blocks)
    ]
    root = {"name": label, "rotation": Z_UP_TO_Y_UP, "scale": [1e-3] * 3, "children": list(range(len(blocks)))}
    document = {
        "asset": {"version": "2.0", "generator": "millwright"},
        "scene": 0,
        "scenes": [{"nodes": [len(blocks)]}],
        "nodes": [*nodes, root],
        "meshes": [_mesh(index) for index in range(len(blocks))],
        "materials": [_material(finish) for finish in finishes],
        "accessors": [_accessor(index, array) for index, array in enumerate(arrays)],
        "bufferViews": _views(arrays),
        "buffers": [{"byteLength": sum(array.nbytes for array in arrays)}],
    }
    return _pack(json.dumps(document).encode(), b"".join(array.tobytes() for array in arrays))


def _triangles(solid: Solid) -> Corners:
    """Return the corners (3 n, 3) of n triangles in millimetres, without those that are mere lines, as at a pole."""
    vertices, triangles = solid.tessellate(CHORD_MM)
    points = np.array([(vertex.X, vertex.Y, vertex.Z) for vertex in vertices], dtype=np.float32)
    corners = points[np.array(triangles).reshape(-1)].reshape(-1, 3, 3)
    first, second, third = corners.astype(np.float64).transpose(1, 0, 2)
    crossed = np.cross(second - first, third - first)
    return corners[np.linalg.norm(crossed, axis=1) > 0].reshape(-1, 3)


def _normals(corners: Corners) -> Corners:
    """Return a unit normal (3 n, 3) for every corner: that of its triangle."""
    first, second, third = corners.astype(np.float64).reshape(-1, 3, 3).transpose(1, 0, 2)
    normals = np.cross(second - first, third - first)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return np.repeat(normals, 3, axis=0).astype(np.float32)


def _accessor(index: int, array: Corners) -> Accessor:
    accessor = Accessor(bufferView=index, componentType=FLOAT, count=len(array), type="VEC3")
    if index % 2 == 0:  # glTF wants the bounds of positions, not of normals
        accessor["min"] = [float(value) for value in array.min(axis=0)]
        accessor["max"] = [float(value) for value in array.max(axis=0)]
    return accessor


def _views(arrays: Sequence[Corners]) -> list[dict[str, int]]:
    starts = np.cumsum([0, *(array.nbytes for array in arrays)])
    return [
        {"buffer": 0, "byteOffset": int(start), "byteLength": array.nbytes, "target": ARRAY_BUFFER}
        for start, array in zip(starts[:-1], arrays, strict=True)
    ]


def _mesh(index: int) -> dict[str, object]:
    attributes = {"POSITION": 2 * index, "NORMAL": 2 * index + 1}
    return {"primitives": [{"attributes": attributes, "material": index}]}


def _material(finish: Finish) -> dict[str, object]:
    surface = {
        "baseColorFactor": list(finish.rgba),
        "metallicFactor": finish.metallic,
        "roughnessFactor": finish.roughness,
    }
    return {"pbrMetallicRoughness": surface}


def _pack(text: bytes, binary: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text + struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

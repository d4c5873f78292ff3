"""A binary glTF file under construction: one buffer, and the JSON that says what lies in it."""

import json
import struct
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sim_worker.media.colors import Rgba
from sim_worker.media.display_meshes import Mesh

Json: TypeAlias = dict[str, Any]
"""An object of the glTF 2.0 specification; its fields are named there."""

FLOAT, UNSIGNED_INT = 5126, 5125
VERTICES, INDICES = 34962, 34963
LINE_STRIP = 3
MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942


class GltfFile:
    """Collects meshes, nodes and one animation; every `add_...` returns an index."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._views: list[Json] = []
        self._accessors: list[Json] = []
        self._materials: list[Json] = []
        self._meshes: list[Json] = []
        self._nodes: list[Json] = []
        self._samplers: list[Json] = []
        self._channels: list[Json] = []

    def add_numbers(
        self,
        numbers: NDArray[np.generic],
        kind: Literal["SCALAR", "VEC3", "VEC4"],
        target: int | None = None,
        has_range: bool = False,
    ) -> int:
        """Add an array as float32, or as uint32 if it is of whole numbers."""
        component = UNSIGNED_INT if np.issubdtype(numbers.dtype, np.integer) else FLOAT
        packed = np.ascontiguousarray(numbers, dtype="<u4" if component == UNSIGNED_INT else "<f4")
        view: Json = {"buffer": 0, "byteOffset": len(self._buffer), "byteLength": packed.nbytes}
        self._buffer += packed.tobytes()  # its length is a multiple of four, as the specification wants it
        self._views.append(view | ({"target": target} if target else {}))
        rows = packed.reshape(len(packed), -1)
        accessor: Json = {
            "bufferView": len(self._views) - 1,
            "componentType": component,
            "count": packed.size if kind == "SCALAR" else len(packed),
            "type": kind,
        }
        if has_range:
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self._accessors.append(accessor)
        return len(self._accessors) - 1

    def add_material(self, name: str, rgba: Rgba) -> int:
        """Add a matt surface; a translucent one is seen from both sides."""
        surface: Json = {"baseColorFactor": list(rgba), "metallicFactor": 0.0, "roughnessFactor": 0.8}
        material: Json = {"name": name, "pbrMetallicRoughness": surface}
        if rgba[3] < 1.0:
            material |= {"alphaMode": "BLEND", "doubleSided": True}
        self._materials.append(material)
        return len(self._materials) - 1

    def add_solid(self, mesh: Mesh) -> Json:
        """Add the geometry of a solid; return what `add_mesh` paints."""
        attributes: Json = {
            "POSITION": self.add_numbers(mesh.places, "VEC3", VERTICES, has_range=True),
            "NORMAL": self.add_numbers(mesh.normals, "VEC3", VERTICES),
        }
        return {"attributes": attributes, "indices": self.add_numbers(mesh.triangles.ravel(), "SCALAR", INDICES)}

    def add_line(self, places: NDArray[np.float64]) -> Json:
        """Add a line through places (n, 3); return what `add_mesh` paints."""
        return {
            "attributes": {"POSITION": self.add_numbers(places, "VEC3", VERTICES, has_range=True)},
            "mode": LINE_STRIP,
        }

    def add_mesh(self, geometry: Json, material: int) -> int:
        """Paint a geometry."""
        self._meshes.append({"primitives": [geometry | {"material": material}]})
        return len(self._meshes) - 1

    def add_node(self, name: str, **fields: object) -> int:
        """Add a node; the fields are those of the specification."""
        self._nodes.append({"name": name} | fields)
        return len(self._nodes) - 1

    def animate(self, node: int, path: Literal["translation", "rotation"], times: int, values: int) -> None:
        """Move a node along accessors of times and values."""
        self._samplers.append({"input": times, "output": values, "interpolation": "LINEAR"})
        self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": path}})

    def as_glb(self, root: int) -> bytes:
        """Return the file; `root` is the node that holds all others."""
        document: Json = {
            "asset": {"version": "2.0", "generator": "Millwright"},
            "scene": 0,
            "scenes": [{"nodes": [root]}],
            "nodes": self._nodes,
            "meshes": self._meshes,
            "materials": self._materials,
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._buffer)}],
            "animations": [{"name": "run", "samplers": self._samplers, "channels": self._channels}],
        }
        words = json.dumps(document, separators=(",", ":")).encode()
        words += b" " * (-len(words) % 4)
        chunks = struct.pack("<II", len(words), JSON_CHUNK) + words
        chunks += struct.pack("<II", len(self._buffer), BINARY_CHUNK) + bytes(self._buffer)
        return struct.pack("<III", MAGIC, VERSION, 12 + len(chunks)) + chunks

"""Validation of binary glTF files against those rules of the specification that a writer can break."""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
TYPES = {5123: "<u2", 5125: "<u4", 5126: "<f4"}


@dataclass(frozen=True)
class Glb:
    """A parsed file."""

    document: dict[str, Any]
    buffer: bytes

    @classmethod
    def read(cls, glb: bytes) -> "Glb":
        magic, version, length = struct.unpack_from("<4sII", glb)
        assert (magic, version, length) == (b"glTF", 2, len(glb))
        words, kind = struct.unpack_from("<I4s", glb, 12)
        assert (kind, words % 4) == (b"JSON", 0)
        size, kind = struct.unpack_from("<I4s", glb, 20 + words)
        assert (kind, size % 4, 28 + words + size) == (b"BIN\0", 0, len(glb))
        return cls(json.loads(glb[20 : 20 + words]), glb[28 + words :])

    def numbers(self, accessor: int) -> np.ndarray[Any, Any]:
        """Return what an accessor reads, (count, width)."""
        described = self.document["accessors"][accessor]
        width, kind = WIDTHS[described["type"]], TYPES[described["componentType"]]
        start = self.document["bufferViews"][described["bufferView"]]["byteOffset"]
        return np.frombuffer(self.buffer, kind, described["count"] * width, start).reshape(-1, width)

    def node(self, name: str) -> dict[str, Any]:
        """Return a node by its name."""
        (found,) = [node for node in self.document["nodes"] if node["name"] == name]
        return found

    def tracks(self, name: str) -> dict[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """Return times (n,) and values (n, width) of a node's tracks, by path."""
        animation = self.document["animations"][0]
        found: dict[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}
        for channel in animation["channels"]:
            if self.document["nodes"][channel["target"]["node"]]["name"] == name:
                sampler = animation["samplers"][channel["sampler"]]
                found[channel["target"]["path"]] = (
                    self.numbers(sampler["input"])[:, 0],
                    self.numbers(sampler["output"]),
                )
        return found


def errors(glb: Glb) -> list[str]:
    """Return all violations."""
    return [*_of_buffers(glb), *_of_meshes(glb), *_of_nodes(glb), *_of_animations(glb)]


def _of_buffers(glb: Glb) -> Iterator[str]:
    document = glb.document
    if document["buffers"] != [{"byteLength": len(glb.buffer)}]:
        yield "the buffer does not have its declared length"
    for number, view in enumerate(document["bufferViews"]):
        if view["byteOffset"] % 4 or view["byteOffset"] + view["byteLength"] > len(glb.buffer):
            yield f"view {number} is not aligned, or ends beyond the buffer"
    for number, accessor in enumerate(document["accessors"]):
        values = glb.numbers(number)
        if values.nbytes != document["bufferViews"][accessor["bufferView"]]["byteLength"]:
            yield f"accessor {number} does not fill its view"
        if not np.isfinite(values).all():
            yield f"accessor {number} holds numbers that are not finite"
        bounds = (accessor.get("min"), accessor.get("max"))
        if bounds != (None, None) and bounds != (values.min(axis=0).tolist(), values.max(axis=0).tolist()):
            yield f"accessor {number} has wrong bounds"


def _of_meshes(glb: Glb) -> Iterator[str]:
    for number, mesh in enumerate(glb.document["meshes"]):
        (primitive,) = mesh["primitives"]
        places = primitive["attributes"]["POSITION"]
        if "min" not in glb.document["accessors"][places]:
            yield f"mesh {number}: POSITION needs bounds"
        if primitive["material"] >= len(glb.document["materials"]):
            yield f"mesh {number} has no material"
        if "indices" in primitive:
            count = len(glb.numbers(places))
            indices, normals = glb.numbers(primitive["indices"]), glb.numbers(primitive["attributes"]["NORMAL"])
            if indices.max() >= count or len(indices) % 3 or len(normals) != count:
                yield f"mesh {number} has indices without vertices, or vertices without normals"
            if np.abs(np.linalg.norm(normals, axis=1) - 1).max() > 1e-4:
                yield f"mesh {number} has normals that are not of unit length"


def _of_nodes(glb: Glb) -> Iterator[str]:
    nodes = glb.document["nodes"]
    children = [child for node in nodes for child in node.get("children", ())]
    (root,) = glb.document["scenes"][0]["nodes"]
    if sorted([*children, root]) != list(range(len(nodes))):
        yield "not every node is in the tree exactly once"
    for node in nodes:
        if abs(np.linalg.norm(node.get("rotation", (0, 0, 0, 1))) - 1) > 1e-5:
            yield f"{node['name']} has a rotation that is not a unit quaternion"
        if node.get("mesh", 0) >= len(glb.document["meshes"]):
            yield f"{node['name']} has a missing mesh"


def _of_animations(glb: Glb) -> Iterator[str]:
    for animation in glb.document["animations"]:
        targets = [(channel["target"]["node"], channel["target"]["path"]) for channel in animation["channels"]]
        if len(set(targets)) != len(targets) or not targets:
            yield "a property is animated twice, or nothing is"
        for sampler in animation["samplers"]:
            times, values = glb.numbers(sampler["input"])[:, 0], glb.numbers(sampler["output"])
            if "min" not in glb.document["accessors"][sampler["input"]]:
                yield "times need bounds"
            if times[0] < 0 or not (np.diff(times) > 0).all() or len(values) != len(times):
                yield "times do not increase, or lack values"
        for channel in animation["channels"]:
            values = glb.numbers(animation["samplers"][channel["sampler"]]["output"])
            if channel["target"]["path"] == "rotation" and np.abs(np.linalg.norm(values, axis=1) - 1).max() > 1e-4:
                yield "a rotation is not of unit length"

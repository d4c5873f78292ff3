"""Binary glTF of an assembly: one flat-shaded mesh per solid, in metres, y up, with its label in the extras."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pygltflib ships no stubs.

from collections.abc import Sequence

import numpy as np
import pygltflib as gltf
from build123d import Solid
from design_rules.bodies.solid_bodies import SolidBody
from geometry.occt.meshes import face_meshes, joined
from numpy.typing import NDArray

from cad_worker.exports.colors import Finish

CHORD_MM = 0.1
"""Largest distance of a triangle from a curved surface."""
ANGLE_RAD = 0.1
"""Largest angle between neighbours on a curved surface."""
Z_UP_TO_Y_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
"""A quarter turn about -x, as glTF's x y z w."""

Corners = NDArray[np.float32]


def assembly_glb(label: str, bodies: Sequence[SolidBody], finishes: Sequence[Finish], kind: str) -> bytes:
    """Return all solids under one root node named `label`; `kind` (design or environment) is in their extras."""
    document = gltf.GLTF2(asset=gltf.Asset(generator="millwright"), scene=0)
    document.scenes = [gltf.Scene(nodes=[len(bodies)])]
    buffer = bytearray()
    for index, (body, finish) in enumerate(zip(bodies, finishes, strict=True)):
        corners = _triangles(body.solid)
        attributes = gltf.Attributes(
            POSITION=_add(document, buffer, corners, has_bounds=True),
            NORMAL=_add(document, buffer, _normals(corners), has_bounds=False),
        )
        document.meshes.append(gltf.Mesh(primitives=[gltf.Primitive(attributes=attributes, material=index)]))
        document.materials.append(_material(finish))
        document.nodes.append(gltf.Node(name=body.label, mesh=index, extras={"part": body.label, "kind": kind}))
    children = list(range(len(bodies)))
    document.nodes.append(gltf.Node(name=label, rotation=Z_UP_TO_Y_UP, scale=[1e-3] * 3, children=children))
    document.buffers = [gltf.Buffer(byteLength=len(buffer))]
    document.set_binary_blob(bytes(buffer))
    return b"".join(document.save_to_bytes())


def _add(document: gltf.GLTF2, buffer: bytearray, array: Corners, *, has_bounds: bool) -> int:
    """Append an array (n, 3) to the buffer and return the index of its accessor; only positions have bounds."""
    index = len(document.accessors)
    view = gltf.BufferView(buffer=0, byteOffset=len(buffer), byteLength=array.nbytes, target=gltf.ARRAY_BUFFER)
    accessor = gltf.Accessor(bufferView=index, componentType=gltf.FLOAT, count=len(array), type=gltf.VEC3)
    if has_bounds:
        accessor.min, accessor.max = array.min(axis=0).tolist(), array.max(axis=0).tolist()
    document.bufferViews.append(view)
    document.accessors.append(accessor)
    buffer += array.tobytes()
    return index


def _material(finish: Finish) -> gltf.Material:
    surface = gltf.PbrMetallicRoughness(
        baseColorFactor=list(finish.rgba), metallicFactor=finish.metallic, roughnessFactor=finish.roughness
    )
    return gltf.Material(pbrMetallicRoughness=surface)


def _triangles(solid: Solid) -> Corners:
    """Return the corners (3 n, 3) of n triangles in millimetres, without degenerate ones, such as at a pole."""
    mesh = joined(face_meshes(solid, CHORD_MM, ANGLE_RAD))
    corners = mesh.vertices_mm.astype(np.float32)[mesh.triangles]
    first, second, third = corners.astype(np.float64).transpose(1, 0, 2)
    crossed = np.cross(second - first, third - first)
    return corners[np.linalg.norm(crossed, axis=1) > 0].reshape(-1, 3)


def _normals(corners: Corners) -> Corners:
    """Return a unit normal (3 n, 3) for every corner: that of its triangle."""
    first, second, third = corners.astype(np.float64).reshape(-1, 3, 3).transpose(1, 0, 2)
    normals = np.cross(second - first, third - first)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return np.repeat(normals, 3, axis=0).astype(np.float32)

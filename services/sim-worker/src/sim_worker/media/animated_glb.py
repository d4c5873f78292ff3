"""An animated world as binary glTF, for viewers in browsers and elsewhere.

glTF is right-handed, in metres, y up, with quaternions x y z w; a root node rotates the scene's z up into its y up.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pygltflib has annotations for its classes, but no py.typed and none for its bytes.

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pygltflib as gltf
from contracts.models.geometry import Box
from contracts.models.scene import Body, Scene
from numpy.typing import NDArray

from sim_worker import colors, display_meshes
from sim_worker.colors import Rgba
from sim_worker.display_meshes import DisplayMesh
from sim_worker.media.motion import Motion, PoseTrack
from sim_worker.units import Floats, metres_each

KEYS_PER_S = 30
Z_UP_TO_Y_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""A quarter turn about -x, as x y z w."""


def animated_glb(scene: Scene, motion: Motion) -> bytes:
    """Return the scene with its motion, and the payload's path as a line."""
    return _AnimatedScene(scene, motion).as_glb()


class _AnimatedScene:
    def __init__(self, scene: Scene, motion: Motion) -> None:
        self.scene, self.motion = scene, motion
        self.file = _GltfFile()
        self.cube = self.file.add_solid(display_meshes.cube())
        self.materials: dict[Rgba, int] = {}
        """Of parts, by colour."""
        self.samples = key_samples(motion.time_s)
        self.times = self.file.add_numbers(motion.time_s[self.samples], "SCALAR", has_range=True)
        """Shared by all tracks."""

    def as_glb(self) -> bytes:
        children = [*(self._part(body) for body in self.scene.bodies), *self._zones(), *self._path(), self._payload()]
        root = self.file.add_node("world", rotation=list(Z_UP_TO_Y_UP), children=children)
        return self.file.as_glb(root)

    def _part(self, body: Body) -> int:
        """Add a part; a moving part has its frame at its centre."""
        if body.color_rgba not in self.materials:
            self.materials[body.color_rgba] = self.file.add_material(f"colour {len(self.materials)}", body.color_rgba)
        mesh, track = display_meshes.body_mesh(body), self.motion.bodies.get(body.label)
        start_m = np.zeros(3) if track is None else track.start_m
        solid = self.file.add_solid(mesh.moved(-start_m))
        index = self.file.add_mesh(solid, self.materials[body.color_rgba])
        kind = "payload" if body.label in self.motion.more_payloads else body.origin
        extras = {"kind": kind, "part": body.label}
        if track is None:
            return self.file.add_node(body.label, mesh=index, extras=extras)
        return self._moving(body.label, track, mesh=index, extras=extras)

    def _zones(self) -> Iterator[int]:
        yield self._zone("build", "build", self.scene.build_zone, colors.BUILD)
        yield self._zone("goal", "goal", self.scene.goal_zone, colors.GOAL)
        for zone in self.scene.forbid_zones:
            yield self._zone(zone.label, "forbid", zone.box, colors.FORBID)

    def _zone(self, label: str, kind: str, box: Box, rgba: Rgba) -> int:
        return self.file.add_node(
            label,
            mesh=self.file.add_mesh(self.cube, self.file.add_material(label, rgba)),
            translation=metres_each(box.center_mm),
            scale=metres_each(box.size_mm),
            extras={"kind": kind, "zone": label},
        )

    def _path(self) -> Iterator[int]:
        names = ("path", *(f"path of {label}" for label in self.motion.more_payloads))
        for name, track in zip(names, self.motion.payloads, strict=True):
            if len(track.position_m) > 1:  # a line needs two
                line = self.file.add_line(track.position_m)
                mesh = self.file.add_mesh(line, self.file.add_material(name, colors.TRAIL))
                yield self.file.add_node(name, mesh=mesh, extras={"kind": "path"})

    def _payload(self) -> int:
        payload = self.scene.payload
        solid = self.file.add_solid(display_meshes.payload_mesh(payload))
        return self._moving(
            payload.label,
            self.motion.payload,
            mesh=self.file.add_mesh(solid, self.file.add_material("payload", colors.PAYLOAD)),
            extras={"kind": "payload", "part": payload.label},
        )

    def _moving(self, name: str, track: PoseTrack, **fields: object) -> int:
        """Add a node at the first pose of its track; only the payload has tracks even if it stays still."""
        positions, quaternions = track.position_m[self.samples], xyzw(track.quaternion[self.samples])
        pose = {"translation": positions[0].tolist(), "rotation": quaternions[0].tolist()}
        node = self.file.add_node(name, **pose, **fields)
        if not track.is_still or name == self.scene.payload.label:
            self.file.animate(node, "translation", self.times, self.file.add_numbers(positions, "VEC3"))
            self.file.animate(node, "rotation", self.times, self.file.add_numbers(quaternions, "VEC4"))
        return node


def key_samples(time_s: Floats) -> NDArray[np.int64]:
    """Return the indices of about 30 samples a second, and of the last."""
    times_s = np.arange(time_s[0], time_s[-1], 1 / KEYS_PER_S)
    return np.unique(np.append(np.searchsorted(time_s, times_s - 1e-9), len(time_s) - 1))


def xyzw(quaternions: Floats) -> Floats:
    """Return w x y z (n, 4) as x y z w of unit length, with signs that interpolate the short way."""
    unit = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    is_same_side = np.sum(unit[1:] * unit[:-1], axis=1) >= 0
    signs = np.concatenate([[1.0], np.where(is_same_side, 1.0, -1.0).cumprod()])
    reordered: Floats = np.roll(unit * signs[:, None], -1, axis=1)
    return reordered


class _GltfFile:
    """A glTF file under construction: meshes, nodes and one animation, over one buffer."""

    def __init__(self) -> None:
        self._animation = gltf.Animation(name="run")
        asset = gltf.Asset(version="2.0", generator="Millwright")
        self._gltf = gltf.GLTF2(asset=asset, scene=0, animations=[self._animation])
        self._buffer = bytearray()

    def add_numbers(
        self,
        numbers: NDArray[np.generic],
        kind: Literal["SCALAR", "VEC3", "VEC4"],
        target: int | None = None,
        has_range: bool = False,
    ) -> int:
        """Add an array as float32, or as uint32 if it holds integers."""
        component = gltf.UNSIGNED_INT if np.issubdtype(numbers.dtype, np.integer) else gltf.FLOAT
        packed = np.ascontiguousarray(numbers, dtype="<u4" if component == gltf.UNSIGNED_INT else "<f4")
        view = gltf.BufferView(buffer=0, byteOffset=len(self._buffer), byteLength=packed.nbytes, target=target)
        self._buffer += packed.tobytes()  # a multiple of four bytes, as the specification requires
        self._gltf.bufferViews.append(view)
        count = packed.size if kind == "SCALAR" else len(packed)
        accessor = gltf.Accessor(
            bufferView=len(self._gltf.bufferViews) - 1, componentType=component, count=count, type=kind
        )
        if has_range:
            rows = packed.reshape(len(packed), -1)
            accessor.min, accessor.max = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self._gltf.accessors.append(accessor)
        return len(self._gltf.accessors) - 1

    def add_material(self, name: str, rgba: Rgba) -> int:
        """Add a matt surface; a translucent one is visible from both sides."""
        surface = gltf.PbrMetallicRoughness(baseColorFactor=list(rgba), metallicFactor=0.0, roughnessFactor=0.8)
        material = gltf.Material(name=name, pbrMetallicRoughness=surface)
        if rgba[3] < 1.0:
            material.alphaMode, material.doubleSided = "BLEND", True
        self._gltf.materials.append(material)
        return len(self._gltf.materials) - 1

    def add_solid(self, mesh: DisplayMesh) -> gltf.Primitive:
        """Add the geometry of a solid, for `add_mesh`."""
        vertices = self.add_numbers(mesh.vertices, "VEC3", gltf.ARRAY_BUFFER, has_range=True)
        normals = self.add_numbers(mesh.normals, "VEC3", gltf.ARRAY_BUFFER)
        indices = self.add_numbers(mesh.triangles.ravel(), "SCALAR", gltf.ELEMENT_ARRAY_BUFFER)
        return gltf.Primitive(attributes=gltf.Attributes(POSITION=vertices, NORMAL=normals), indices=indices)

    def add_line(self, points: NDArray[np.float64]) -> gltf.Primitive:
        """Add a line through points (n, 3), for `add_mesh`."""
        position = self.add_numbers(points, "VEC3", gltf.ARRAY_BUFFER, has_range=True)
        return gltf.Primitive(attributes=gltf.Attributes(POSITION=position), mode=gltf.LINE_STRIP)

    def add_mesh(self, geometry: gltf.Primitive, material: int) -> int:
        """Add a geometry in a material."""
        self._gltf.meshes.append(gltf.Mesh(primitives=[replace(geometry, material=material)]))
        return len(self._gltf.meshes) - 1

    def add_node(self, name: str, **fields: Any) -> int:  # noqa: ANN401 - those of pygltflib's node
        """Add a node; the fields are those of the specification."""
        self._gltf.nodes.append(gltf.Node(name=name, **fields))
        return len(self._gltf.nodes) - 1

    def animate(self, node: int, path: Literal["translation", "rotation"], times: int, values: int) -> None:
        """Move a node along accessors of times and values."""
        self._animation.samplers.append(gltf.AnimationSampler(input=times, output=values))
        target = gltf.AnimationChannelTarget(node=node, path=path)
        self._animation.channels.append(gltf.AnimationChannel(sampler=len(self._animation.samplers) - 1, target=target))

    def as_glb(self, root: int) -> bytes:
        """Return the file; `root` is the node above all others."""
        self._gltf.scenes = [gltf.Scene(nodes=[root])]
        self._gltf.buffers = [gltf.Buffer(byteLength=len(self._buffer))]
        self._gltf.set_binary_blob(bytes(self._buffer))
        return b"".join(self._gltf.save_to_bytes())

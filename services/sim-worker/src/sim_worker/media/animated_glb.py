"""The animated world as binary glTF, for viewers in browsers and elsewhere.

glTF is right-handed, in metres, y up, with quaternions x y z w; a root node turns our z up into its y up.
"""

from collections.abc import Iterator

import numpy as np
from contracts.models.geometry import Box
from contracts.models.scene import Body, Scene
from numpy.typing import NDArray

from sim_worker.media import appearance, colors, display_meshes
from sim_worker.media.colors import Rgba
from sim_worker.media.gltf_file import GltfFile
from sim_worker.media.motion import Motion, Way
from sim_worker.units import Floats, metres, metres_each

KEYS_PER_S = 30
Z_UP_TO_Y_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""A quarter turn about x, as x y z w."""


def animated_glb(scene: Scene, motion: Motion) -> bytes:
    """Return the world with all that moves on its way, and the payload's way drawn as a line."""
    return _World(scene, motion).as_glb()


class _World:
    def __init__(self, scene: Scene, motion: Motion) -> None:
        self.scene, self.motion = scene, motion
        self.file = GltfFile()
        self.cube = self.file.add_solid(display_meshes.cube())
        self.painted: dict[Rgba, int] = {}
        """Materials of parts, by colour."""
        self.kept = kept_samples(motion.time_s)
        self.times = self.file.add_numbers(motion.time_s[self.kept], "SCALAR", has_range=True)
        """All tracks share them."""

    def as_glb(self) -> bytes:
        children = [*(self._part(body) for body in self.scene.bodies), *self._zones(), *self._line(), self._payload()]
        root = self.file.add_node("world", rotation=list(Z_UP_TO_Y_UP), children=children)
        return self.file.as_glb(root)

    def _part(self, body: Body) -> int:
        """Add a part; one that can move stands in a frame of its own, round what it turns about."""
        if body.color_rgba not in self.painted:
            self.painted[body.color_rgba] = self.file.add_material(f"colour {len(self.painted)}", body.color_rgba)
        mesh, way = appearance.mesh_of(body), self.motion.bodies.get(body.label)
        start_m = np.zeros(3) if way is None else way.start_m
        solid = self.file.add_solid(mesh.moved(-start_m))
        painted = self.file.add_mesh(solid, self.painted[body.color_rgba])
        extras = {"kind": body.origin, "part": body.label}
        if way is None:
            return self.file.add_node(body.label, mesh=painted, extras=extras)
        return self._moving(body.label, way, mesh=painted, extras=extras)

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

    def _line(self) -> Iterator[int]:
        places = self.motion.payload.place_m
        if len(places) > 1:  # one place makes no line
            mesh = self.file.add_mesh(self.file.add_line(places), self.file.add_material("way", colors.TRAIL))
            yield self.file.add_node("way", mesh=mesh, extras={"kind": "way"})

    def _payload(self) -> int:
        payload = self.scene.payload
        solid = self.file.add_solid(display_meshes.ball()) if payload.shape == "ball" else self.cube
        return self._moving(
            payload.label,
            self.motion.payload,
            mesh=self.file.add_mesh(solid, self.file.add_material("payload", colors.PAYLOAD)),
            scale=[metres(payload.size_mm)] * 3,
            extras={"kind": "payload", "part": payload.label},
        )

    def _moving(self, name: str, way: Way, **fields: object) -> int:
        """Add a node at the first pose of its way; what stays there needs no tracks."""
        places, quaternions = way.place_m[self.kept], xyzw(way.quaternion[self.kept])
        pose = {"translation": places[0].tolist(), "rotation": quaternions[0].tolist()}
        node = self.file.add_node(name, **pose, **fields)
        if not way.is_still or name == self.scene.payload.label:
            self.file.animate(node, "translation", self.times, self.file.add_numbers(places, "VEC3"))
            self.file.animate(node, "rotation", self.times, self.file.add_numbers(quaternions, "VEC4"))
        return node


def kept_samples(time_s: Floats) -> NDArray[np.int64]:
    """Return the indices of about 30 samples a second, and of the last."""
    wanted = np.arange(time_s[0], time_s[-1], 1 / KEYS_PER_S)
    return np.unique(np.append(np.searchsorted(time_s, wanted - 1e-9), len(time_s) - 1))


def xyzw(quaternions: Floats) -> Floats:
    """Turn w x y z (n, 4) into x y z w of unit length, each on the side of the one before: viewers interpolate."""
    unit = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    is_same_side = np.sum(unit[1:] * unit[:-1], axis=1) >= 0
    signs = np.concatenate([[1.0], np.where(is_same_side, 1.0, -1.0).cumprod()])
    turned: Floats = np.roll(unit * signs[:, None], -1, axis=1)
    return turned

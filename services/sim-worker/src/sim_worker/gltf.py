"""The animated world as binary glTF, for viewers in browsers and elsewhere.

glTF is right-handed, in metres, y up, with quaternions x y z w; a root node turns our z up into its y up.
"""

from collections.abc import Iterator

import numpy as np
from contracts.geometry import Box
from contracts.scene import Scene

from sim_worker import looks, shapes
from sim_worker.gltf_file import GltfFile, Json
from sim_worker.looks import Rgba
from sim_worker.trajectory import Trajectory
from sim_worker.units import Floats, metres, metres_each

Z_UP_TO_Y_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""A quarter turn about x, as x y z w."""


def animated_glb(scene: Scene, trajectory: Trajectory) -> bytes:
    """Return the world with the payload moving along its trajectory, its way drawn as a line."""
    return _World(scene).as_glb(trajectory)


class _World:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.file = GltfFile()
        self.cube = self.file.add_solid(shapes.cube())
        self.painted: dict[Rgba, int] = {}
        """Meshes of the cube, by colour."""

    def as_glb(self, trajectory: Trajectory) -> bytes:
        children = [*self._parts(), *self._zones(), *self._way(trajectory), self._payload(trajectory)]
        root = self.file.add_node("world", rotation=list(Z_UP_TO_Y_UP), children=children)
        return self.file.as_glb(root)

    def _cube(self, rgba: Rgba) -> int:
        if rgba not in self.painted:
            material = self.file.add_material(f"colour {len(self.painted)}", rgba)
            self.painted[rgba] = self.file.add_mesh(self.cube, material)
        return self.painted[rgba]

    def _parts(self) -> Iterator[int]:
        for body in self.scene.bodies:
            for geom in body.geoms:
                yield self.file.add_node(
                    body.label,
                    mesh=self._cube(body.color_rgba),
                    translation=metres_each(geom.center_mm),
                    rotation=xyzw(np.array([geom.quaternion]))[0].tolist(),
                    scale=metres_each(geom.size_mm),
                    extras={"kind": body.origin, "part": body.label},
                )

    def _zones(self) -> Iterator[int]:
        yield self._zone("build", "build", self.scene.build_zone, looks.BUILD)
        yield self._zone("goal", "goal", self.scene.goal_zone, looks.GOAL)
        for zone in self.scene.forbid_zones:
            yield self._zone(zone.label, "forbid", zone.box, looks.FORBID)

    def _zone(self, label: str, kind: str, box: Box, rgba: Rgba) -> int:
        return self.file.add_node(
            label,
            mesh=self._cube(rgba),
            translation=metres_each(box.center_mm),
            scale=metres_each(box.size_mm),
            extras={"kind": kind, "zone": label},
        )

    def _way(self, trajectory: Trajectory) -> Iterator[int]:
        if len(trajectory.time_s) > 1:  # one place makes no line
            line = self.file.add_line(trajectory.place_m)
            mesh = self.file.add_mesh(line, self.file.add_material("way", looks.TRAIL))
            yield self.file.add_node("way", mesh=mesh, extras={"kind": "way"})

    def _payload(self, trajectory: Trajectory) -> int:
        payload, file = self.scene.payload, self.file
        geometry: Json = file.add_solid(shapes.ball()) if payload.shape == "ball" else self.cube
        quaternions = xyzw(trajectory.quaternion)
        node = file.add_node(
            payload.label,
            mesh=file.add_mesh(geometry, file.add_material("payload", looks.PAYLOAD)),
            translation=trajectory.place_m[0].tolist(),
            rotation=quaternions[0].tolist(),
            scale=[metres(payload.size_mm)] * 3,
            extras={"kind": "payload", "part": payload.label},
        )
        times = file.add_numbers(trajectory.time_s, "SCALAR", has_range=True)
        file.animate(node, "translation", times, file.add_numbers(trajectory.place_m, "VEC3"))
        file.animate(node, "rotation", times, file.add_numbers(quaternions, "VEC4"))
        return node


def xyzw(quaternions: Floats) -> Floats:
    """Turn w x y z (n, 4) into x y z w of unit length, each on the side of the one before: viewers interpolate."""
    unit = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    is_same_side = np.sum(unit[1:] * unit[:-1], axis=1) >= 0
    signs = np.concatenate([[1.0], np.where(is_same_side, 1.0, -1.0).cumprod()])
    turned: Floats = np.roll(unit * signs[:, None], -1, axis=1)
    return turned

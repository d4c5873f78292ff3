"""Triangle meshes that show bodies: a body's surface if it has one, otherwise its geoms."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from contracts.models.benchmark import Payload
from contracts.models.scene import Body, BoxGeom, CylinderGeom, HullGeom, SphereGeom, Surface
from numpy.typing import NDArray

from sim_worker.model import geometry
from sim_worker.mujoco_api import mujoco
from sim_worker.rotations import rotation_matrix
from sim_worker.units import Floats, metres, metres_each, metres_of

RINGS, SEGMENTS = 16, 32
CREASE_COSINE = 0.77
"""Triangles at more than about 40 degrees to their neighbours get an edge between them."""
NO_AREA_M2 = 1e-16
NO_ROTATION = np.eye(3)
SIDES = np.array([side for side in product((-1.0, 0.0, 1.0), repeat=3) if any(side)])
"""Directions of the faces, edges and corners of a cube, (26, 3)."""

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class DisplayMesh:
    """Triangles with a normal at each vertex."""

    vertices: Floats
    """(n, 3)"""
    normals: Floats
    """(n, 3), unit length"""
    triangles: Indices
    """(m, 3), counter-clockwise seen from outside"""

    def placed(self, scale: Sequence[float], rotation: Floats, center: Floats) -> "DisplayMesh":
        """Return the mesh scaled along its own axes, rotated by a matrix (3, 3), and moved."""
        scaled = self.normals / np.array(scale)
        normals = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
        return DisplayMesh(self.vertices * scale @ rotation.T + center, normals @ rotation.T, self.triangles)

    def moved(self, by_m: Floats) -> "DisplayMesh":
        """Return the mesh translated."""
        return DisplayMesh(self.vertices + by_m, self.normals, self.triangles)


def body_mesh(body: Body) -> DisplayMesh:
    """Return a body as one mesh, in metres, at its initial pose."""
    if body.surface is not None:
        return creased(*surface_mesh(body.surface))
    return joined([_geom_mesh(geom) for geom in body.geoms])


def _geom_mesh(geom: BoxGeom | CylinderGeom | SphereGeom | HullGeom) -> DisplayMesh:
    match geom:
        case BoxGeom():
            mesh, size_m, rotation = cube(), metres_each(geom.size_mm), rotation_matrix(np.array(geom.quaternion))
        case CylinderGeom():
            size_m = [metres(2 * geom.radius_mm), metres(2 * geom.radius_mm), metres(geom.length_mm)]
            mesh, rotation = cylinder(), rotation_matrix(np.array(geom.quaternion))
        case SphereGeom():
            mesh, size_m, rotation = ball(), [metres(2 * geom.radius_mm)] * 3, NO_ROTATION
        case HullGeom():
            return creased(*hull_mesh(geom))
    return mesh.placed(size_m, rotation, np.array(metres_each(geom.center_mm)))


def payload_mesh(payload: Payload) -> DisplayMesh:
    """Return a payload as a mesh in metres, in its own frame."""
    size_m, center = metres_each(payload.extents_mm), np.zeros(3)
    match payload.shape:
        case "ball":
            return ball().placed(size_m, NO_ROTATION, center)
        case "cube" | "box":
            return cube().placed(size_m, NO_ROTATION, center)
        case "cylinder":
            return cylinder().placed(size_m, NO_ROTATION, center)
        case "capsule":
            return capsule(size_m[0], size_m[2])
        case "solid":
            return creased(*hull_mesh(HullGeom(vertices_mm=payload.corners_mm)))


def surface_mesh(surface: Surface) -> tuple[Floats, Indices]:
    """Return the vertices (n, 3) in metres and the triangles (m, 3) of a surface."""
    vertices_mm, triangles = geometry.unpack_surface(surface)
    return metres_of(vertices_mm), triangles


def hull_mesh(geom: HullGeom) -> tuple[Floats, Indices]:
    """Return the vertices (n, 3) in metres and the triangles (m, 3) of the hull that MuJoCo collides with."""
    points = metres_of(np.array(geom.vertices_mm))
    spec = mujoco.MjSpec()
    spec.add_mesh(name="hull", uservert=points.flatten().tolist())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="hull")
    model = spec.compile()
    rotated = np.array(model.mesh_vert, dtype=np.float64) @ rotation_matrix(model.mesh_quat[0]).T
    return rotated + model.mesh_pos[0], np.array(model.mesh_face, dtype=np.int64)


def extreme_points_m(body: Body) -> Floats:
    """Return the outermost points (26, 3) of a body in all directions, at its initial pose."""
    points = surface_mesh(body.surface)[0] if body.surface is not None else body_mesh(body).vertices
    return points[np.argmax(points @ SIDES.T, axis=0)]


def joined(meshes: Sequence[DisplayMesh]) -> DisplayMesh:
    """Return several meshes as one."""
    firsts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return DisplayMesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.triangles + first for mesh, first in zip(meshes, firsts, strict=True)]),
    )


def cube() -> DisplayMesh:
    """Return a cube of edge 1 around the origin, with sharp edges."""
    vertices: list[Floats] = []
    normals: list[Floats] = []
    triangles: list[tuple[int, int, int]] = []
    for axis, sign in product(range(3), (-1.0, 1.0)):
        normal = np.eye(3)[axis] * sign
        across = np.eye(3)[(axis + 1) % 3]
        up = np.cross(normal, across)
        first = len(vertices)
        vertices += [(normal + a * across + b * up) / 2 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        normals += [normal] * 4
        triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return DisplayMesh(np.array(vertices), np.array(normals), np.array(triangles))


def ball() -> DisplayMesh:
    """Return a ball of diameter 1 around the origin."""
    polar, azimuth = np.meshgrid(
        np.linspace(0, np.pi, RINGS + 1), np.linspace(0, 2 * np.pi, SEGMENTS + 1), indexing="ij"
    )
    normals = np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], axis=-1)
    triangles = _grid(RINGS + 1, SEGMENTS + 1)
    corners = normals.reshape(-1, 3)[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    normals = normals.reshape(-1, 3)
    return DisplayMesh(normals / 2, normals, triangles[areas > 1e-9])  # without the degenerate ones at the poles


def capsule(diameter: float, length: float) -> DisplayMesh:
    """Return a capsule around the origin, along z: the halves of a ball, moved apart, and the cylinder between."""
    round_ends = ball().placed([diameter] * 3, NO_ROTATION, np.zeros(3))
    half_way = np.where(round_ends.vertices[:, 2:] >= 0.0, 1.0, -1.0) * (length - diameter) / 2
    return DisplayMesh(
        round_ends.vertices + half_way * np.array([0.0, 0.0, 1.0]), round_ends.normals, round_ends.triangles
    )


def cylinder() -> DisplayMesh:
    """Return a cylinder of diameter 1 and length 1 around the origin, along z."""
    angles = np.linspace(0, 2 * np.pi, SEGMENTS + 1)
    rim = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1)
    half_up = np.array([0.0, 0.0, 0.5])
    side = DisplayMesh(
        np.concatenate([rim / 2 + half_up, rim / 2 - half_up]),
        np.concatenate([rim, rim]),
        _grid(2, SEGMENTS + 1),
    )
    return joined([side, _cap(rim / 2 + half_up, 1.0), _cap(rim / 2 - half_up, -1.0)])


def _cap(rim: Floats, up: float) -> DisplayMesh:
    """Return the disc within a rim that runs counter-clockwise seen from above."""
    following = np.arange(1, len(rim) - 2)
    fan = np.stack([np.zeros_like(following), following, following + 1], axis=1)
    return DisplayMesh(rim[:-1], np.tile([0.0, 0.0, up], (len(rim) - 1, 1)), fan if up > 0 else fan[:, ::-1])


def _grid(rows: int, columns: int) -> Indices:
    """Return the triangles of a grid of vertices whose rows follow each other downwards."""
    corner = np.arange(rows * columns).reshape(rows, columns)
    upper_left, lower_left = corner[:-1, :-1].ravel(), corner[1:, :-1].ravel()
    upper_right, lower_right = corner[:-1, 1:].ravel(), corner[1:, 1:].ravel()
    halves = [
        np.stack([upper_left, lower_left, lower_right], axis=1),
        np.stack([upper_left, lower_right, upper_right], axis=1),
    ]
    return np.concatenate(halves)


def creased(points: Floats, triangles: Indices) -> DisplayMesh:
    """Return a surface (n, 3), (m, 3) with smooth shading and sharp edges at creases."""
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(across, axis=1)
    triangles, across = triangles[sizes > NO_AREA_M2], across[sizes > NO_AREA_M2]
    flat = across / np.linalg.norm(across, axis=1, keepdims=True)
    smooth = np.zeros_like(points)
    for corner in range(3):
        np.add.at(smooth, triangles[:, corner], across)
    lengths = np.linalg.norm(smooth, axis=1, keepdims=True)
    smooth = np.where(lengths > 0, smooth / np.where(lengths > 0, lengths, 1.0), [0.0, 0.0, 1.0])
    is_sharp = np.einsum("tcx,tx->tc", smooth[triangles], flat) < CREASE_COSINE
    split = np.array(triangles)
    split[is_sharp] = len(points) + np.arange(np.count_nonzero(is_sharp))
    own = np.repeat(flat[:, None, :], 3, axis=1)[is_sharp]
    return DisplayMesh(np.concatenate([points, points[triangles[is_sharp]]]), np.concatenate([smooth, own]), split)

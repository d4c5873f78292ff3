"""What a body looks like: its surface where it brings one, else its geoms, which are the exact shape then."""

from itertools import product

import numpy as np
from contracts.models.geometry import Quaternion
from contracts.models.scene import Body, BoxGeom, CylinderGeom, HullGeom, SphereGeom, Surface

from sim_worker.media import display_meshes
from sim_worker.media.display_meshes import Indices, Mesh
from sim_worker.mujoco_api import mujoco
from sim_worker.units import MM_PER_M, Floats, metres, metres_each

NO_TURN = np.eye(3)
SIDES = np.array([side for side in product((-1.0, 0.0, 1.0), repeat=3) if any(side)])
"""Where the faces, edges and corners of a cube lie, (26, 3)."""


def mesh_of(body: Body) -> Mesh:
    """Return a body's look as one mesh, in metres, where it stands at the start."""
    if body.surface is not None:
        return display_meshes.creased(*unpacked(body.surface))
    return display_meshes.joined([_mesh(geom) for geom in body.geoms])


def _mesh(geom: BoxGeom | CylinderGeom | SphereGeom | HullGeom) -> Mesh:
    match geom:
        case BoxGeom():
            return _stretched(display_meshes.cube(), metres_each(geom.size_mm), geom.quaternion, geom.center_mm)
        case CylinderGeom():
            edges = [metres(2 * geom.radius_mm), metres(2 * geom.radius_mm), metres(geom.length_mm)]
            return _stretched(display_meshes.cylinder(), edges, geom.quaternion, geom.center_mm)
        case SphereGeom():
            center = np.array(metres_each(geom.center_mm))
            return display_meshes.ball().placed([metres(2 * geom.radius_mm)] * 3, NO_TURN, center)
        case HullGeom():
            return display_meshes.creased(*hull_of(geom))


def _stretched(mesh: Mesh, edges_m: list[float], quaternion: Quaternion, center_mm: tuple[float, float, float]) -> Mesh:
    return mesh.placed(edges_m, turn_of(np.array(quaternion)), np.array(metres_each(center_mm)))


def turn_of(quaternion: Floats) -> Floats:
    """Return the matrix (3, 3) of a quaternion, w first."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, np.asarray(quaternion, dtype=np.float64))
    return turn.reshape(3, 3)


def unpacked(surface: Surface) -> tuple[Floats, Indices]:
    """Return the vertices (n, 3) in metres and the triangles (m, 3) of a surface."""
    vertices_mm = np.frombuffer(surface.vertices_mm, "<f4").reshape(-1, 3).astype(np.float64)
    return vertices_mm / MM_PER_M, np.frombuffer(surface.triangles, "<i4").reshape(-1, 3).astype(np.int64)


def hull_of(geom: HullGeom) -> tuple[Floats, Indices]:
    """Return the vertices (n, 3) in metres and the triangles (m, 3) of a hull: MuJoCo's own, so that what is seen is
    what it collides with."""
    places = np.array(geom.vertices_mm) / MM_PER_M
    spec = mujoco.MjSpec()
    spec.add_mesh(name="hull", uservert=places.flatten().tolist())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="hull")
    model = spec.compile()
    turned = np.array(model.mesh_vert, dtype=np.float64) @ turn_of(model.mesh_quat[0]).T
    return turned + model.mesh_pos[0], np.array(model.mesh_face, dtype=np.int64)


def extremes_m(body: Body) -> Floats:
    """Return the outermost places (26, 3) of a body to all sides, where it stands at the start."""
    places = unpacked(body.surface)[0] if body.surface is not None else mesh_of(body).places
    return places[np.argmax(places @ SIDES.T, axis=0)]

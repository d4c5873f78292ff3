"""A `SpatialScene` as a MuJoCo model for rendering: nothing collides or falls."""

from dataclasses import dataclass

import numpy as np
from contracts.models.questions.spatial_scene import (
    BoxShape,
    CylinderShape,
    MeshShape,
    Pose,
    Shape,
    SpatialScene,
    SphereShape,
)
from numpy.typing import NDArray
from spatial.arrays import Floats

from perception_worker.mujoco_api import MjModel, MjSpec, mujoco
from perception_worker.results import RefusedError

FLOOR, BACKGROUND = 0, -1
"""Numbers of the floor and of nothing; the objects follow the floor from 1 in the order of the scene."""
CAMERA = "camera"
FLOOR_HALF_M = 30.0
NEAR_M, FAR_M = 0.02, 80.0
SLICES, STACKS = 64, 32
"""Facets of curved surfaces; their depth is computed exactly, so that these bound the error of outlines only."""
OPENGL_FROM_OPENCV = np.diag([1.0, -1.0, -1.0])
SKY, HAZE, TILE, LINE = (0.70, 0.79, 0.88), (0.93, 0.95, 0.97), (0.86, 0.87, 0.89), (0.74, 0.75, 0.78)


@dataclass(frozen=True)
class CurvedGeom:
    """A sphere or cylinder, whose drawn facets are not exactly on its surface."""

    geom: int
    radius_m: float
    half_length_m: float | None
    """None: a sphere."""


@dataclass(frozen=True)
class SceneModel:
    """A compiled scene."""

    scene: SpatialScene
    model: MjModel
    object_of_geom: NDArray[np.int16]
    """(geoms,), the number of each geom's object"""
    curved: tuple[CurvedGeom, ...]


def build_model(scene: SpatialScene, width: int, height: int) -> SceneModel:
    """Compile a scene for pictures of that size; raise `RefusedError` for shapes that cannot be drawn."""
    spec = mujoco.MjSpec()
    _set_visuals(spec, width, height)
    _add_floor_and_light(spec, scene.floor_z_m)
    for number, thing in enumerate(scene.objects, FLOOR + 1):
        body = spec.worldbody.add_body(name=f"object-{number}", mocap=True)
        for shape in thing.shapes:
            _add_shape(spec, body, shape, list(thing.rgba))
    camera = spec.worldbody.add_body(name=CAMERA, mocap=True)
    camera.add_camera(name=CAMERA)
    try:
        model = spec.compile()
    except ValueError as error:
        raise RefusedError("scene_invalid", f"the scene cannot be drawn: {error}") from error
    return SceneModel(scene, model, _objects_of_geoms(model), _curved(model))


def pose_matrix(pose: Pose) -> Floats:
    """Return a pose as a matrix (4, 4)."""
    rotation = np.empty(9)
    quaternion = np.array(pose.quaternion)
    mujoco.mju_quat2Mat(rotation, quaternion / np.linalg.norm(quaternion))
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation.reshape(3, 3), pose.position_m
    return matrix


def _set_visuals(spec: MjSpec, width: int, height: int) -> None:
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    spec.visual.headlight.ambient = [0.40, 0.40, 0.42]
    spec.visual.headlight.diffuse = [0.34, 0.34, 0.34]
    spec.visual.headlight.specular = [0.05, 0.05, 0.05]
    spec.visual.quality.numslices, spec.visual.quality.numstacks = SLICES, STACKS
    spec.visual.quality.offsamples = 0  # objects' numbers must not mix at edges
    spec.visual.map.znear, spec.visual.map.zfar = NEAR_M, FAR_M
    spec.stat.extent = 1.0


def _add_floor_and_light(spec: MjSpec, floor_z_m: float | None) -> None:
    kinds, built_in = mujoco.mjtTexture, mujoco.mjtBuiltin
    spec.add_texture(
        name="sky", type=kinds.mjTEXTURE_SKYBOX, builtin=built_in.mjBUILTIN_GRADIENT, rgb1=HAZE, rgb2=SKY, width=64,
        height=384,
    )  # fmt: skip
    spec.worldbody.add_light(pos=[2, -2, 6], dir=[-0.3, 0.3, -1.0], type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    if floor_z_m is None:
        return
    spec.add_texture(
        name="tiles", type=kinds.mjTEXTURE_2D, builtin=built_in.mjBUILTIN_FLAT, mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=TILE, markrgb=LINE, width=256, height=256,
    )  # fmt: skip
    tiles = spec.add_material(name="tiles", texuniform=True, texrepeat=[2, 2], specular=0.0)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB.value] = "tiles"
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[FLOOR_HALF_M, FLOOR_HALF_M, 0.1],
        pos=[0, 0, floor_z_m],
        material="tiles",
    )


def _add_shape(spec: MjSpec, body: MjModel, shape: Shape, rgba: list[float]) -> None:
    kinds = mujoco.mjtGeom
    placed = {
        "pos": list(shape.pose.position_m),
        "quat": list(shape.pose.quaternion),
        "rgba": rgba,
        "contype": 0,
        "conaffinity": 0,
    }
    match shape:
        case BoxShape():
            body.add_geom(type=kinds.mjGEOM_BOX, size=[length / 2 for length in shape.size_m], **placed)
        case SphereShape():
            body.add_geom(type=kinds.mjGEOM_SPHERE, size=[shape.radius_m, 0, 0], **placed)
        case CylinderShape():
            body.add_geom(type=kinds.mjGEOM_CYLINDER, size=[shape.radius_m, shape.length_m / 2, 0], **placed)
        case MeshShape():
            mesh = f"mesh-{len(spec.meshes)}"
            spec.add_mesh(
                name=mesh,
                uservert=np.array(shape.vertices_m).flatten().tolist(),
                userface=np.array(shape.triangles).flatten().tolist(),
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
            )
            body.add_geom(type=kinds.mjGEOM_MESH, meshname=mesh, **placed)


def _objects_of_geoms(model: MjModel) -> NDArray[np.int16]:
    """Return the object of each geom: bodies 1 to n are the objects in order, body 0 has the floor."""
    return np.array([int(body) for body in model.geom_bodyid], np.int16)


def _curved(model: MjModel) -> tuple[CurvedGeom, ...]:
    kinds = mujoco.mjtGeom
    found: list[CurvedGeom] = []
    for geom in range(int(model.ngeom)):
        kind, size = int(model.geom_type[geom]), model.geom_size[geom]
        if kind == kinds.mjGEOM_SPHERE:
            found.append(CurvedGeom(geom, float(size[0]), None))
        elif kind == kinds.mjGEOM_CYLINDER:
            found.append(CurvedGeom(geom, float(size[0]), float(size[1])))
    return tuple(found)

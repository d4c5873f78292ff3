"""Depth, objects and pictures of one scene's frames. All OpenGL happens in the thread that opens a renderer."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Self

import numpy as np
from contracts.events.perception import FrameIntrinsics
from contracts.models.questions.spatial_scene import FrameState
from numpy.typing import NDArray
from spatial.arrays import Bytes, Floats

from perception_worker.mujoco_api import mujoco
from perception_worker.results import Depths
from perception_worker.simulator.scene_model import (
    BACKGROUND,
    CAMERA,
    FAR_M,
    FLOOR,
    NEAR_M,
    OPENGL_FROM_OPENCV,
    CurvedGeom,
    SceneModel,
    pose_matrix,
)


def ray_depths(curved: CurvedGeom, origin: Floats, directions: Floats) -> Floats:
    """Return how many `directions` (k, 3) each ray goes from `origin` (3,) to the surface; NaN where it misses.

    Both are in the frame of the shape: a sphere about the origin, or a cylinder along z.
    """
    if curved.half_length_m is None:
        return _first_root(*_quadratic(origin, directions, curved.radius_m))
    side = _first_root(*_quadratic(origin[:2], directions[:, :2], curved.radius_m))
    side[np.abs(origin[2] + side * directions[:, 2]) > curved.half_length_m] = np.nan
    caps = [_cap_depths(curved, origin, directions, z_m) for z_m in (-curved.half_length_m, curved.half_length_m)]
    return np.fmin(side, np.fmin(*caps))


def _quadratic(origin: Floats, directions: Floats, radius_m: float) -> tuple[Floats, Floats, float]:
    """Return a (k,), b (k,) and c of a t² + 2 b t + c = 0, the ray's distances to the surface."""
    return (directions**2).sum(axis=1), directions @ origin, float(origin @ origin) - radius_m**2


def _first_root(a: Floats, b: Floats, c: float) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(b * b - a * c)
        near = (-b - root) / a
        return np.where(near > 0, near, np.nan)


def _cap_depths(curved: CurvedGeom, origin: Floats, directions: Floats, z_m: float) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        depth = (z_m - origin[2]) / directions[:, 2]
        across = origin[:2] + depth[:, None] * directions[:, :2]
        return np.where((depth > 0) & ((across**2).sum(axis=1) <= curved.radius_m**2), depth, np.nan)


GL_CONTEXT_MODULE = "mujoco.egl"
"""Imported by name, and only for drawing, as the variable MUJOCO_GL would have to be set before MuJoCo is imported."""
MAX_SHAPES = 4000

ObjectNumbers = NDArray[np.int16]


@dataclass(frozen=True)
class FrameBuffers:
    """What a frame shows, pixel by pixel."""

    depth: Depths
    """(h, w), m along the camera's z axis; 0 where there is nothing"""
    objects: ObjectNumbers
    """(h, w), -1 where there is nothing, 0: floor, from 1: the scene's objects"""

    @property
    def size_bytes(self) -> int:
        """Return how much memory it takes."""
        return self.depth.nbytes + self.objects.nbytes


def intrinsics_of(state: FrameState, width: int, height: int) -> FrameIntrinsics:
    """Return the pinhole model of a frame at that size."""
    focal = 0.5 * height / float(np.tan(np.radians(state.camera.vertical_fov_deg) / 2))
    return FrameIntrinsics(fx=focal, fy=focal, cx=width / 2 - 0.5, cy=height / 2 - 0.5)


class FrameRenderer:
    """Renders the states of one scene at one size. Use it as a context manager within one thread."""

    def __init__(self, built: SceneModel, width: int, height: int) -> None:
        self._built, self._width, self._height = built, width, height
        self._model: Any = built.model
        self._data: Any = mujoco.MjData(built.model)
        self._scene: Any = mujoco.MjvScene(built.model, MAX_SHAPES)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW.value] = False
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION.value] = False
        self._options = mujoco.MjvOption()
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = self._model.camera(CAMERA).id

    def __enter__(self) -> Self:
        self._gl: Any = import_module(GL_CONTEXT_MODULE).GLContext(self._width, self._height)
        self._gl.make_current()
        self._context: Any = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return self

    def __exit__(self, *_: object) -> None:
        self._gl.make_current()
        self._context.free()
        self._gl.free()

    def picture(self, state: FrameState) -> Bytes:
        """Return what the camera sees, (h, w, 3)."""
        self._show(state)
        mujoco.mjr_render(self._rect, self._scene, self._context)
        pixels = np.empty((self._height, self._width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, self._rect, self._context)
        return np.flipud(pixels).copy()

    def buffers(self, state: FrameState) -> FrameBuffers:
        """Return depth and objects, both from one pass."""
        self._show(state)
        flags = [mujoco.mjtRndFlag.mjRND_SEGMENT.value, mujoco.mjtRndFlag.mjRND_IDCOLOR.value]
        self._scene.flags[flags] = True
        mujoco.mjr_render(self._rect, self._scene, self._context)
        self._scene.flags[flags] = False
        colors = np.empty((self._height, self._width, 3), np.uint8)
        nearness = np.empty((self._height, self._width), np.float32)
        mujoco.mjr_readPixels(colors, nearness, self._rect, self._context)
        geoms = self._geoms(np.flipud(colors))
        depth = _depth_m(np.flipud(nearness))
        self._correct_curved(depth, geoms, state)
        objects = np.append(self._built.object_of_geom, np.int16(BACKGROUND))[geoms]
        depth[objects == BACKGROUND] = 0.0
        return FrameBuffers(depth.astype(np.float32), objects)

    def _show(self, state: FrameState) -> None:
        self._gl.make_current()
        for number, thing in enumerate(self._built.scene.objects, FLOOR + 1):
            pose = state.poses.get(thing.label, thing.pose)
            mocap = int(self._model.body(f"object-{number}").mocapid[0])
            self._data.mocap_pos[mocap], self._data.mocap_quat[mocap] = pose.position_m, pose.quaternion
        camera = int(self._model.body(CAMERA).mocapid[0])
        turned = pose_matrix(state.camera.pose)[:3, :3] @ OPENGL_FROM_OPENCV
        mujoco.mju_mat2Quat(self._data.mocap_quat[camera], turned.flatten())
        self._data.mocap_pos[camera] = state.camera.pose.position_m
        self._model.cam_fovy[:] = state.camera.vertical_fov_deg
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, self._data, self._options, None, self._camera, everything, self._scene)

    def _geoms(self, colors: Bytes) -> NDArray[np.int64]:
        """Return the geom of each pixel (h, w); the last number plus one, for nothing."""
        ids = colors[..., 0].astype(np.int32)
        ids |= colors[..., 1].astype(np.int32) << 8  # at most 4000 shapes
        count = int(self._scene.ngeom)
        geom_of_id = np.full(count + 1, int(self._model.ngeom), np.int64)
        for shape in self._scene.geoms[:count]:
            if shape.segid >= 0 and shape.objtype == mujoco.mjtObj.mjOBJ_GEOM.value:
                geom_of_id[shape.segid + 1] = shape.objid
        return geom_of_id[ids]

    def _correct_curved(self, depth: Floats, geoms: NDArray[np.int64], state: FrameState) -> None:
        """Replace the depth of facets by that of the surface which they approximate."""
        pinhole, camera = intrinsics_of(state, self._width, self._height), pose_matrix(state.camera.pose)
        present = set(np.flatnonzero(np.bincount(geoms.ravel())).tolist())
        for curved in self._built.curved:
            if curved.geom in present:
                rows, columns = np.nonzero(geoms == curved.geom)
                exact = self._exact_depth(curved, pinhole, camera, rows, columns)
                depth[rows, columns] = np.where(np.isnan(exact), depth[rows, columns], exact)

    def _exact_depth(
        self,
        curved: CurvedGeom,
        pinhole: FrameIntrinsics,
        camera: Floats,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
    ) -> Floats:
        """Return the depths (k,) at which the rays of these pixels hit the surface; NaN for misses."""
        across, down = (columns - pinhole.cx) / pinhole.fx, (rows - pinhole.cy) / pinhole.fy
        in_camera = np.column_stack([across, down, np.ones(len(rows))])
        rotation = self._data.geom_xmat[curved.geom].reshape(3, 3)
        origin = rotation.T @ (camera[:3, 3] - self._data.geom_xpos[curved.geom])
        return ray_depths(curved, origin, in_camera @ camera[:3, :3].T @ rotation)


def _depth_m(nearness: NDArray[np.float32]) -> Floats:
    """Return metric depth from OpenGL's reversed depth buffer, whose 0 is the far plane.

    The coefficients are those of the projection matrix in single precision, as the renderer has them.
    """
    near, far = np.float32(NEAR_M), np.float32(FAR_M)
    scale = np.float32(0.5) * (far + near) / (far - near) - np.float32(0.5)
    offset = np.float32(0.5) * (np.float32(2) * far * near) / (far - near)
    return offset / (nearness.astype(np.float64) + scale)

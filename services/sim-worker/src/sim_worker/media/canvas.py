"""Offscreen drawing of MuJoCo models; the only module that uses OpenGL."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sim_worker.colors import Rgba
from sim_worker.media.camera import FOV_DEG, CameraView
from sim_worker.mujoco_api import MjData, MjModel, MjvScene, mujoco
from sim_worker.rotations import rotation_matrix
from sim_worker.units import Floats

Picture = NDArray[np.uint8]
"""(height, width, 3)"""

GL_CONTEXT_MODULE = "mujoco.egl"
"""Imported by name, and only for drawing: the import fails on a machine without OpenGL, which can still simulate.
MuJoCo's own way, the variable MUJOCO_GL, would have to be set before MuJoCo is imported."""
MAX_SHAPES = 4000
EDGE_PIXELS = 2.0
NOWHERE, UNTURNED = np.zeros(3), np.eye(3).flatten()
Decorate: TypeAlias = Callable[["Brush"], None]
Shift = tuple[float, float]
"""To the right and upwards, in pixels."""


class Quality(NamedTuple):
    """How a picture is drawn."""

    samples: int
    """Of each pixel, for smooth edges."""
    shadow_scale: float
    """Width of the map of shadows, drawn for each picture, by that of the picture; 0: none. Coarse maps give jagged
    edges; in a small picture, a map of the size for a large one would take longer than all else."""


PLAIN = Quality(0, 0.0)
FINE = Quality(4, 5.12)
"""A map of 4096 for 800 pixels; takes about five times as long as a plain picture."""
AVERAGED = Quality(0, 2.56)
"""For means of many pictures, which are smooth without it."""


class Brush:
    """Adds shapes to one picture that are not part of the model."""

    def __init__(self, scene: MjvScene) -> None:
        self._scene = scene

    def edge(self, start_m: Floats, end_m: Floats, rgba: Rgba) -> None:
        """Draw a thin line whose width does not depend on its distance."""
        self._connect(mujoco.mjtGeom.mjGEOM_LINE, EDGE_PIXELS, start_m, end_m, rgba)

    def rod(self, start_m: Floats, end_m: Floats, radius_m: float, rgba: Rgba) -> None:
        """Draw a round rod."""
        self._connect(mujoco.mjtGeom.mjGEOM_CAPSULE, radius_m, start_m, end_m, rgba)

    def _connect(self, kind: int, width: float, start_m: Floats, end_m: Floats, rgba: Rgba) -> None:
        shape = self._next(kind, NOWHERE, NOWHERE, UNTURNED, rgba)
        mujoco.mjv_connector(shape, kind, width, start_m, end_m)

    def copy(self, model: MjModel, geom: int, center_m: Floats, rotation: Floats, rgba: Rgba) -> None:
        """Draw a geom of the model as if its body were at that place; `rotation` is the body's, a matrix (3, 3)."""
        own = rotation_matrix(model.geom_quat[geom])
        place_m, kind = center_m + rotation @ model.geom_pos[geom], int(model.geom_type[geom])
        shape = self._next(kind, model.geom_size[geom], place_m, (rotation @ own).flatten(), rgba)
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            shape.dataid = 2 * int(model.geom_dataid[geom])  # as MuJoCo numbers a mesh and its hull

    def _next(self, kind: int, size_m: Floats, center_m: Floats, rotation: Floats, rgba: Rgba) -> Any:  # noqa: ANN401 - mjvGeom
        shape = self._scene.geoms[self._scene.ngeom]
        mujoco.mjv_initGeom(shape, kind, size_m, center_m, rotation, np.array(rgba, dtype=np.float32))
        self._scene.ngeom += 1
        return shape


class Canvas:
    """An offscreen buffer for drawing one model. Use it as a context manager within one thread."""

    def __init__(self, model: MjModel, width: int, height: int, quality: Quality) -> None:
        """Prepare a canvas."""
        self._model = model
        model.vis.quality.offsamples = quality.samples
        model.vis.quality.shadowsize = round(quality.shadow_scale * width)
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._pixels = np.empty((height, width, 3), np.uint8)
        self._scene: MjvScene = mujoco.MjvScene(model, MAX_SHAPES)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW.value] = quality.shadow_scale > 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION.value] = False
        self._options = mujoco.MjvOption()

    def __enter__(self) -> Self:
        self._gl: Any = import_module(GL_CONTEXT_MODULE).GLContext(self._rect.width, self._rect.height)
        self._gl.make_current()
        self._context: Any = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        return self

    def __exit__(self, *_: object) -> None:
        self._context.free()
        self._gl.free()

    def draw(
        self, data: MjData, view: CameraView, decorate: Decorate, caption: str = "", shift_px: Shift = (0.0, 0.0)
    ) -> Picture:
        """Return a picture of the model in the state of `data`, with the caption in its lower left corner."""
        self._look(data, view)
        self._shift(shift_px)
        decorate(Brush(self._scene))
        mujoco.mjr_render(self._rect, self._scene, self._context)
        if caption:
            font, corner = mujoco.mjtFont.mjFONT_NORMAL, mujoco.mjtGridPos.mjGRID_BOTTOMLEFT
            mujoco.mjr_overlay(font, corner, self._rect, caption, "", self._context)
        return self._read()

    def outlines(self, data: MjData, view: CameraView, group: int) -> NDArray[np.bool_]:
        """Return which pixels (height, width) are at the visible edge of a geom of a group; others hide nothing."""
        flags = (mujoco.mjtRndFlag.mjRND_SEGMENT.value, mujoco.mjtRndFlag.mjRND_IDCOLOR.value)
        groups = self._options.geomgroup.copy()
        self._options.geomgroup[:] = 0
        self._options.geomgroup[group] = 1
        for flag in flags:
            self._scene.flags[flag] = True
        self._look(data, view)
        mujoco.mjr_render(self._rect, self._scene, self._context)
        ids = self._read()
        for flag in flags:
            self._scene.flags[flag] = False
        self._options.geomgroup[:] = groups
        edges = np.zeros(ids.shape[:2], np.bool_)
        edges[:, 1:] |= (ids[:, 1:] != ids[:, :-1]).any(axis=2)
        edges[1:] |= (ids[1:] != ids[:-1]).any(axis=2)
        return edges

    def _look(self, data: MjData, view: CameraView) -> None:
        """Prepare the scene as a camera sees it."""
        camera = mujoco.MjvCamera()
        camera.lookat[:] = view.target_m
        camera.distance, camera.azimuth, camera.elevation = view.distance_m, view.azimuth_deg, view.elevation_deg
        if view.height_m is not None:
            camera.orthographic = 1
        self._model.vis.global_.fovy = FOV_DEG if view.height_m is None else view.height_m
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, data, self._options, None, camera, everything, self._scene)

    def _shift(self, shift_px: Shift) -> None:
        """Move the picture within its frame."""
        for camera in self._scene.camera:
            pixel = (camera.frustum_top - camera.frustum_bottom) / self._rect.height
            camera.frustum_center -= shift_px[0] * pixel
            camera.frustum_bottom -= shift_px[1] * pixel
            camera.frustum_top -= shift_px[1] * pixel

    def _read(self) -> Picture:
        mujoco.mjr_readPixels(self._pixels, None, self._rect, self._context)
        picture: Picture = np.flipud(self._pixels).copy()  # OpenGL's origin is at the bottom
        return picture

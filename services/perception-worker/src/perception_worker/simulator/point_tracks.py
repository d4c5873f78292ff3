"""Where points of rendered frames are in others: exact, since the scene behind them is known."""

from collections.abc import Sequence

import numpy as np
from contracts.events.perception import FrameIntrinsics
from contracts.models.questions.spatial_scene import FrameState, SpatialScene
from spatial.arrays import Bools, Floats

from perception_worker.simulator.renderer import FrameBuffers
from perception_worker.simulator.scene_model import BACKGROUND, FLOOR, pose_matrix

SAME_SURFACE = 0.02
"""A pixel shows a point if its depth differs by less than this share."""
View = tuple[FrameState, FrameIntrinsics, FrameBuffers]


def tracked(scene: SpatialScene, views: Sequence[View], points: Floats, prompted: int) -> tuple[Floats, Bools]:
    """Return pixels (n, k, 2) of the surface points at pixels (k, 2) of one view, and in which views they are seen."""
    state, camera, buffers = views[prompted]
    rows, columns, inside = _nearest(points, buffers)
    things, depth = buffers.objects[rows, columns], buffers.depth[rows, columns].astype(np.float64)
    known = inside & (things != BACKGROUND) & (depth > 0)
    rays = np.column_stack([(points - (camera.cx, camera.cy)) / (camera.fx, camera.fy), np.ones(len(points))])
    world = _moved(pose_matrix(state.camera.pose), depth[:, None] * rays)
    pixels, seen = np.zeros((len(views), len(points), 2)), np.zeros((len(views), len(points)), np.bool_)
    for number, view in enumerate(views):
        there = world.copy()
        for thing in np.unique(things[known & (things > FLOOR)]):
            chosen = things == thing
            motion = _pose(scene, view[0], int(thing)) @ _inverse(_pose(scene, state, int(thing)))
            there[chosen] = _moved(motion, world[chosen])
        pixels[number], seen[number] = _shown(view, there, things)
        seen[number] &= known
    return pixels, seen


def _pose(scene: SpatialScene, state: FrameState, thing: int) -> Floats:
    found = scene.objects[thing - FLOOR - 1]
    return pose_matrix(state.poses.get(found.label, found.pose))


def _inverse(pose: Floats) -> Floats:
    return np.linalg.inv(pose).astype(np.float64)


def _moved(motion: Floats, points: Floats) -> Floats:
    return points @ motion[:3, :3].T + motion[:3, 3]


def _shown(view: View, points: Floats, things: np.ndarray) -> tuple[Floats, Bools]:
    """Return pixels (k, 2) of world points, and which of them are on the surface that the pixel shows."""
    state, camera, buffers = view
    at = _moved(_inverse(pose_matrix(state.camera.pose)), points)
    depth = np.where(at[:, 2] > 0, at[:, 2], np.inf)
    pixels = at[:, :2] / depth[:, None] * (camera.fx, camera.fy) + (camera.cx, camera.cy)
    rows, columns, inside = _nearest(pixels, buffers)
    shown = buffers.depth[rows, columns].astype(np.float64)
    is_same = np.abs(shown - at[:, 2]) < SAME_SURFACE * np.abs(at[:, 2])
    return pixels, inside & (at[:, 2] > 0) & is_same & (buffers.objects[rows, columns] == things)


def _nearest(pixels: Floats, buffers: FrameBuffers) -> tuple[np.ndarray, np.ndarray, Bools]:
    """Return rows and columns of the nearest pixels, and whether they are inside the frame."""
    height, width = buffers.depth.shape
    columns, rows = np.rint(np.nan_to_num(pixels)).astype(np.int64).T
    inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    return rows.clip(0, height - 1), columns.clip(0, width - 1), inside

"""Camera views: everything required is in the picture, and the payload's path is not hidden."""

from math import radians, tan

import numpy as np
import pytest
from contracts.models.scene import Body
from sim_worker.media.camera import FOV_DEG, CameraView, SceneExtents, best_view, sees_payload, view_of_moment
from sim_worker.media.display_model import build_display_model, set_pose
from sim_worker.media.motion import Motion
from sim_worker.model import compile_scene
from sim_worker.mujoco_api import mujoco
from sim_worker.run.trajectory import Trajectory
from sim_worker.simulator import run_nominal
from sim_worker.units import Floats

from tests.sim_worker import scenes

ASPECT = 4 / 3
EAST, WEST = 150.0, -150.0


def view_beside_wall(side_mm: float) -> tuple[CameraView, Floats]:
    """Return the view of a chute with a high wall on one side, and the corners that it must show."""
    chute = scenes.chute_scene()
    wall = scenes.block("screen", (200, side_mm, 300), (900, 10, 600), "environment")
    world = compile_scene(chute.model_copy(update={"bodies": (*chute.bodies, wall)}))
    motion = Motion.of(Trajectory.of(run_nominal(world).readings, world.scene))
    extents = SceneExtents(world.scene, motion)
    model = build_display_model(world.scene, motion, extents.lowest_m, 80, 60)
    data = mujoco.MjData(model)
    set_pose(model, data, motion, 0)
    corners_m = extents.corners_m()
    return best_view(model, data, corners_m, motion.payload.position_m, ASPECT), corners_m


@pytest.mark.parametrize("side_mm", [EAST, WEST])
def test_best_view_is_not_behind_a_wall(side_mm: float) -> None:
    view, _ = view_beside_wall(side_mm)
    assert view.eye_m[1] * side_mm < 0


def test_best_view_shows_all_corners_and_fills_the_picture() -> None:
    view, corners_m = view_beside_wall(EAST)
    right = np.cross(view.forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, view.forward)
    offsets_m = corners_m - view.eye_m
    half = tan(radians(FOV_DEG / 2))
    across = np.abs(offsets_m @ right / (offsets_m @ view.forward)) / (half * ASPECT)
    upwards = np.abs(offsets_m @ up / (offsets_m @ view.forward)) / half
    furthest = max(float(across.max()), float(upwards.max()))
    assert 0.85 < furthest < 1.0


def view_of_pocket(*screens: Body) -> tuple[CameraView, CameraView, list[bool]]:
    """Return the view of a run beside screens, that of its last moment, and whether each sees the payload then."""
    chute = scenes.chute_scene()
    world = compile_scene(chute.model_copy(update={"bodies": (*chute.bodies, *screens)}))
    motion = Motion.of(Trajectory.of(run_nominal(world).readings, world.scene))
    extents = SceneExtents(world.scene, motion)
    model = build_display_model(world.scene, motion, extents.lowest_m, 80, 60)
    data = mujoco.MjData(model)
    set_pose(model, data, motion, 0)
    usual = best_view(model, data, extents.corners_m(), motion.payload.position_m, ASPECT)
    set_pose(model, data, motion, len(motion.time_s) - 1)
    last = view_of_moment(model, data, usual, extents.corners_m(), ASPECT)
    return usual, last, [sees_payload(model, data, view) for view in (usual, last)]


def test_moment_that_the_usual_view_sees_keeps_it() -> None:
    usual, last, _ = view_of_pocket()
    assert last is usual


def test_moment_behind_a_screen_is_seen_from_another_side() -> None:
    # a roof over the pocket, and long walls on both sides of the chute
    roof = scenes.block("roof", (460, 0, 290), (150, 140, 4), "environment")
    sides = [scenes.block(f"side{y}", (460, y, 200), (400, 4, 180), "environment") for y in (-70, 70)]
    _, last, (usual_sees, last_sees) = view_of_pocket(roof, *sides)
    assert (usual_sees, last_sees) == (False, True)
    assert abs(last.eye_m[1]) < abs(last.eye_m[0]), "it looks along the chute"


def test_moment_that_no_view_sees_keeps_the_usual_one() -> None:
    sides = [scenes.block(f"y{y}", (460, y, 200), (170, 4, 180), "environment") for y in (-70, 70)]
    ends = [scenes.block("end", (545, 0, 200), (4, 144, 180), "environment")]
    ends += [scenes.block("before", (385, 0, 120), (4, 144, 60), "environment")]
    roof = scenes.block("roof", (400, 0, 420), (800, 400, 4), "environment")
    usual, last, (usual_sees, _) = view_of_pocket(roof, *sides, *ends)
    assert not usual_sees
    assert last is usual

"""Where the camera stands: everything worth seeing is in the picture, and the way lies open before it."""

from math import radians, tan

import numpy as np
import pytest
from sim_worker.media.camera import FOV_DEG, View, best_view
from sim_worker.media.display_model import pose, scenery
from sim_worker.media.motion import Motion
from sim_worker.media.overlays import Outlines
from sim_worker.model import compile_scene
from sim_worker.mujoco_api import mujoco
from sim_worker.run.runner import run_nominal
from sim_worker.run.trajectory import Trajectory
from sim_worker.units import Floats

from tests.sim_worker import scenes

ASPECT = 4 / 3
EAST, WEST = 150.0, -150.0


def screened(side_mm: float) -> tuple[View, Floats]:
    """Return the view of a chute with a high wall on one side, and what must be in it."""
    chute = scenes.chute_scene()
    wall = scenes.block("screen", (200, side_mm, 300), (900, 10, 600), "environment")
    world = compile_scene(chute.model_copy(update={"bodies": (*chute.bodies, wall)}))
    motion = Motion.of(Trajectory.of(run_nominal(world).readings, world.scene))
    outlines = Outlines(world.scene, motion)
    model = scenery(world.scene, motion, outlines.lowest_m, 80, 60)
    data = mujoco.MjData(model)
    pose(model, data, motion, 0)
    corners_m = outlines.worth_seeing_m()
    return best_view(model, data, corners_m, motion.payload.place_m, ASPECT), corners_m


@pytest.mark.parametrize("side_mm", [EAST, WEST])
def test_the_camera_does_not_stand_behind_a_wall(side_mm: float) -> None:
    view, _ = screened(side_mm)
    assert view.eye_m[1] * side_mm < 0


def test_everything_worth_seeing_is_in_the_picture_and_fills_it() -> None:
    view, corners_m = screened(EAST)
    right = np.cross(view.forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, view.forward)
    away_m = corners_m - view.eye_m
    half = tan(radians(FOV_DEG / 2))
    across = np.abs(away_m @ right / (away_m @ view.forward)) / (half * ASPECT)
    upwards = np.abs(away_m @ up / (away_m @ view.forward)) / half
    furthest = max(float(across.max()), float(upwards.max()))
    assert 0.85 < furthest < 1.0

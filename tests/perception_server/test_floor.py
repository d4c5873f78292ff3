"""The ground and the world of a server agree with closed forms, and with the simulator's exact answers."""

import numpy as np
import pytest
from contracts.events.perception import Reconstruct
from contracts.models.geometry import Vector
from contracts.models.questions.spatial_scene import Camera
from perception_server.floor import aligned, floor_of
from perception_server.models.interface import Cameras, Depths
from perception_worker.results import ReconstructedFrames
from perception_worker.simulator.backend import SimulatorBackend
from spatial.arrays import Floats

from tests.support.questions.perception import camera_at, question_about, simulator_backend, table_scene

HEIGHT, WIDTH, FOCAL = 60, 80, 70.0


def pitched(down_deg: float, roll_deg: float = 0.0) -> Floats:
    """Return the pose of a camera at the origin of a world with y down, turned down and then about its view."""
    down, roll = np.deg2rad(down_deg), np.deg2rad(roll_deg)
    about_x = np.array([[1, 0, 0], [0, np.cos(down), np.sin(down)], [0, -np.sin(down), np.cos(down)]])
    about_z = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    return about_x @ about_z


def rays(rotation: Floats) -> Floats:
    """Return the directions of all pixels in the world, of length 1 along the camera's z axis."""
    row, column = np.mgrid[:HEIGHT, :WIDTH].astype(np.float64)
    local = np.stack([(column - WIDTH / 2 + 0.5) / FOCAL, (row - HEIGHT / 2 + 0.5) / FOCAL, np.ones_like(row)], -1)
    return local @ rotation.T


def seen_from(rotation: Floats, *planes: tuple[Vector, float]) -> Cameras:
    """Return one view of planes n · x = d in the camera's own world; without any on a ray, depth is 0."""
    directions = rays(rotation)
    depth = np.full((HEIGHT, WIDTH), np.inf)
    for normal, offset in planes:
        with np.errstate(divide="ignore"):
            hit = offset / (directions @ np.array(normal))
        depth = np.where((hit > 0.05) & (hit < depth), hit, depth)
    depth[~np.isfinite(depth) | (depth > 20)] = 0
    intrinsics = np.array([[FOCAL, FOCAL, WIDTH / 2 - 0.5, HEIGHT / 2 - 0.5]])
    return Cameras(depth[None].astype(np.float32), np.ones((1, HEIGHT, WIDTH), np.float32), intrinsics, np.eye(4)[None])


FLOOR, WALL, SIDE = ((0.0, 1.0, 0.0), 1.5), ((0.0, 0.0, 1.0), 6.0), ((1.0, 0.0, 0.0), 1.2)


@pytest.mark.parametrize(("down", "roll"), [(0, 0), (15, 0), (40, 0), (60, 0), (20, 25)])
def test_floor_before_walls_gives_up_and_height(down: float, roll: float):
    rotation = pitched(down, roll)
    up, height = floor_of(seen_from(rotation, FLOOR, WALL, SIDE))
    assert rotation @ up == pytest.approx([0, -1, 0], abs=1e-4)
    assert height == pytest.approx(1.5, abs=1e-3)


def test_large_table_over_a_floor_is_not_the_floor_below():
    """Of the table only what is nearer than 2 m is there: the floor appears behind it."""
    rotation = pitched(35)
    both, floor = seen_from(rotation, ((0.0, 1.0, 0.0), 0.7), FLOOR), seen_from(rotation, FLOOR)
    depth, far = both.depth.copy(), rays(rotation)[..., 2] * both.depth[0] > 1.1
    depth[0][far] = floor.depth[0][far]
    assert 0.3 < np.mean(depth == both.depth) < 0.7
    up, height = floor_of(Cameras(depth, both.confidence, both.intrinsics, both.extrinsics))
    assert rotation @ up == pytest.approx([0, -1, 0], abs=1e-4)
    assert height == pytest.approx(1.5, abs=1e-3)


def test_wall_alone_is_not_taken_for_the_floor():
    up, _ = floor_of(seen_from(pitched(0), WALL))
    assert up == pytest.approx([0, -1, 0])


def test_view_without_depth_keeps_the_up_of_the_picture():
    up, height = floor_of(seen_from(pitched(0)))
    assert up == pytest.approx([0, -1, 0])
    assert height == 0


def test_aligned_world_has_the_first_camera_above_the_origin_and_looking_to_minus_z():
    rotation = pitched(30)
    pose = aligned(seen_from(rotation, FLOOR, WALL))[0]
    assert pose[:3, 3] == pytest.approx([0, 1.5, 0], abs=1e-3)
    assert pose[:3, 2] == pytest.approx([0, -np.sin(np.deg2rad(30)), -np.cos(np.deg2rad(30))], abs=1e-3)
    assert pose[:3, :3] @ pose[:3, :3].T == pytest.approx(np.eye(3), abs=1e-9)


def test_camera_that_looks_straight_down_has_its_upper_edge_ahead():
    """No ground is steeper than the limit of the tilt, so that up is the picture's: the view is along the ground."""
    pose = aligned(seen_from(np.eye(3), WALL))[0]
    assert pose[:3, 2] == pytest.approx([0, 0, -1], abs=1e-9)


def test_world_of_a_server_is_that_of_the_simulator():
    cameras = (camera_at((0.0, -3.0, 1.5), (0.0, 0.0, 0.3)), camera_at((2.4, -1.8, 1.2), (0.0, 0.2, 0.2)))
    with simulator_backend() as backend:
        exact = _reconstructed(backend, cameras)
    intrinsics = np.array([[each.fx, each.fy, each.cx, each.cy] for each in exact.intrinsics])
    inverse: Floats = np.asarray(np.linalg.inv(exact.extrinsics[0]), dtype=np.float64)
    own_world = np.matmul(inverse, exact.extrinsics)  # as models give them: camera 0 is the world
    confidence: Depths = np.divide(exact.confidence, 255, dtype=np.float32)
    found = aligned(Cameras(exact.depth, confidence, intrinsics, own_world))
    assert found == pytest.approx(exact.extrinsics, abs=2e-3)


def _reconstructed(backend: SimulatorBackend, cameras: tuple[Camera, ...]) -> ReconstructedFrames:
    question = question_about(backend, table_scene(cameras))
    found = backend.answer(Reconstruct(kind="reconstruct", frames=question.frames), lambda _: question.scene)
    assert isinstance(found, ReconstructedFrames)
    return found

"""Depth, poses and masks of the simulator backend agree with the scene's own geometry."""

import numpy as np
import pytest
from contracts.models.questions.spatial_scene import Camera, SpatialScene
from perception_worker.simulator.backend import SimulatorBackend
from questions.generator.ray_caster import cast_rays
from spatial.masks import Masks
from spatial.namespace import Namespace
from spatial.reconstruction import Reconstruction, unproject

from tests.support.questions.perception import camera_at, namespace_of, question_about, table_scene

EXACT_M = 1e-4
CAMERAS = (
    camera_at((0.0, -3.0, 1.5), (0.0, 0.0, 0.3)),
    camera_at((2.4, -1.8, 1.2), (0.0, 0.2, 0.2)),
    camera_at((-1.5, 2.6, 2.5), (0.1, 0.0, 0.2), fov_deg=70.0),
)


def looked_at(backend: SimulatorBackend, cameras: tuple[Camera, ...] = CAMERAS) -> tuple[Namespace, Reconstruction]:
    found = namespace_of(backend, question_about(backend, table_scene(cameras)))
    return found, found["tools"].Reconstruct(align="sim")


def masks_of(namespace: Namespace, *prompts: str) -> Masks:
    return namespace["tools"].SAM3.segment_video_by_text(prompts)


def test_points_of_planes_and_curved_surfaces_are_on_them(backend: SimulatorBackend):
    namespace, rec = looked_at(backend)
    masks = masks_of(namespace, "floor", "red box", "blue ball", "green can")
    floor = masks.points(rec, "floor_1")
    near = floor[np.abs(floor[:, :2]).max(axis=1) < 5]
    assert np.abs(near[:, 2]).max() < EXACT_M
    box = masks.points(rec, "red box_1") - (-0.6, 0.0, 0.3)
    assert np.abs((np.abs(box) / (0.2, 0.2, 0.3)).max(axis=1) - 1).max() < EXACT_M / 0.2
    ball = np.linalg.norm(masks.points(rec, "blue ball_1") - (0.5, 0.2, 0.25), axis=1)
    assert np.abs(ball - 0.25).max() < EXACT_M
    can = masks.points(rec, "green can_1") - (0.1, 0.9, 0.25)
    side, cap = np.hypot(can[:, 0], can[:, 1]) - 0.15, np.abs(can[:, 2]) - 0.25
    assert np.abs(np.maximum(side, cap)).max() < EXACT_M


def test_principal_point_is_half_a_pixel_before_the_middle(backend: SimulatorBackend):
    """With it at half the width, the floor would be millimetres off."""
    namespace, rec = looked_at(backend)
    index, pinhole = rec.frame_indices[0], rec.intrinsics[0]
    assert (pinhole.cx, pinhole.cy) == (159.5, 119.5)
    floor = masks_of(namespace, "floor").mask("floor_1", index)
    floor[:, :10] = False
    shifted = pinhole.model_copy(update={"cx": 160.0, "cy": 120.0})
    wrong = unproject(rec.depth[index], shifted, rec.extrinsics[index])[floor]
    near = wrong[np.abs(wrong[:, :2]).max(axis=1) < 5]
    assert np.abs(near[:, 2]).max() > 10 * EXACT_M


def test_projected_points_return_to_their_pixels(backend: SimulatorBackend):
    namespace, rec = looked_at(backend)
    geometry = namespace["tools"].Geometry
    for index in rec.frame_indices:
        pinhole, rows = rec.intrinsics[index], range(5, 240, 47)
        for v, u in ((v, u) for v in rows for u in range(3, 320, 61)):
            if rec.depth[index][v, u] == 0:
                continue
            point = geometry.unproject_pixel(
                u,
                v,
                float(rec.depth[index][v, u]),
                rec.extrinsics[index],
                pinhole.fx,
                pinhole.fy,
                pinhole.cx,
                pinhole.cy,
            )
            back = geometry.project_point_to_camera(
                point, rec.extrinsics[index], pinhole.fx, pinhole.fy, pinhole.cx, pinhole.cy
            )
            assert back == pytest.approx((u, v), abs=1e-3)


@pytest.mark.parametrize("state", range(3))
def test_masks_differ_from_exact_rays_by_a_pixel_at_outlines_only(backend: SimulatorBackend, state: int):
    namespace, _ = looked_at(backend)
    masks = masks_of(namespace, "red box", "blue ball", "green can")
    exact = cast_rays(table_scene(CAMERAS), state)
    for number in range(3):
        given, expected = masks.mask(number, state), exact == number
        assert (given & ~grown(expected)).sum() == (expected & ~grown(given)).sum() == 0
        assert given.sum() == pytest.approx(expected.sum(), rel=0.03)


def grown(mask: np.ndarray) -> np.ndarray:
    """Return a mask with a border of one pixel."""
    padded = np.pad(mask, 1)
    shifts = [
        padded[1 + dv : padded.shape[0] - 1 + dv, 1 + du : padded.shape[1] - 1 + du]
        for dv in (-1, 0, 1)
        for du in (-1, 0, 1)
    ]
    return np.logical_or.reduce(shifts)


def test_poses_are_camera_to_world_with_y_down(backend: SimulatorBackend):
    """To the right: positive along column 0. Above: negative along column 1. In front: positive along column 2."""
    _, rec = looked_at(backend)
    pose = rec.extrinsics[0]
    position = pose[:3, 3]
    assert position == pytest.approx((0.0, -3.0, 1.5), abs=1e-9)
    assert (np.array([0.5, 0.2, 0.25]) - position) @ pose[:3, 0] > 0
    assert (np.array([0.0, -3.0, 2.5]) - position) @ pose[:3, 1] < 0
    assert (np.array([0.0, 0.0, 0.3]) - position) @ pose[:3, 2] > 0
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)


@pytest.mark.parametrize("first", range(3))
def test_aligned_world_is_the_same_up_to_the_first_camera(backend: SimulatorBackend, first: int):
    """The ground is y = 0, up is +y, the first camera is above the origin and looks to -z; distances stay."""
    order = (*CAMERAS[first:], *CAMERAS[:first])
    namespace = namespace_of(backend, question_about(backend, table_scene(order)))
    rec = namespace["tools"].Reconstruct()
    masks = masks_of(namespace, "floor", "blue ball", "red box")
    floor = masks.points(rec, "floor_1")
    assert np.abs(floor[np.abs(floor[:, [0, 2]]).max(axis=1) < 5][:, 1]).max() < EXACT_M
    assert rec.gravity_direction.tolist() == [0.0, -1.0, 0.0]
    position, forward = rec.extrinsics.position(0), rec.extrinsics.forward(0)
    assert position == pytest.approx((0.0, order[0].pose.position_m[2], 0.0), abs=1e-9)
    assert forward[0] == pytest.approx(0.0, abs=1e-9)
    assert forward[2] < 0
    ball = masks.points(rec, "blue ball_1")
    assert ball[:, 1].max() == pytest.approx(0.5, abs=2e-3)
    low, high = masks.extent_3d(rec, "red box_1")
    middle = (low + high) / 2
    apart = np.linalg.norm(middle[[0, 2]] - np.median(ball, axis=0)[[0, 2]])
    assert apart == pytest.approx(np.hypot(1.1, 0.2), abs=0.15)


def test_sim_alignment_keeps_the_simulators_frame(backend: SimulatorBackend):
    namespace, rec = looked_at(backend)
    low, high = masks_of(namespace, "red box").extent_3d(rec, "red box_1")
    assert low == pytest.approx((-0.8, -0.2, 0.0), abs=0.02)
    assert high == pytest.approx((-0.4, 0.2, 0.6), abs=0.02)


def test_camera_that_looks_down_has_a_heading(backend: SimulatorBackend):
    """Its upper edge is to -z."""
    scene = table_scene((camera_at((0.0, -0.001, 4.0), (0.0, 0.0, 0.0)),))
    rec = namespace_of(backend, question_about(backend, scene))["tools"].Reconstruct()
    assert rec.extrinsics[0][:3, 1] == pytest.approx((0.0, 0.0, 1.0), abs=1e-3)


def test_background_has_no_depth_and_no_confidence(backend: SimulatorBackend):
    scene: SpatialScene = table_scene((camera_at((0.0, -3.0, 0.5), (0.0, 0.0, 1.5)),))
    rec = namespace_of(backend, question_about(backend, scene))["tools"].Reconstruct()
    sky = rec.depth[0] == 0
    assert 0 < sky.sum() < sky.size
    assert (rec.points.confidence[0][sky] == 0).all()
    assert (rec.points.confidence[0][~sky] == 255).all()

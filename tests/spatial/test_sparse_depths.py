"""Points and lengths from sparse depths: planes whose points are known by formula."""

import numpy as np
import pytest
from artifacts.port import reference
from contracts.events.perception import FrameIntrinsics, Reconstructed
from spatial.arrays import NPZ_TYPE, Floats, pack_arrays
from spatial.errors import NothingFoundError
from spatial.reconstruction import Reconstruction

WIDTH, HEIGHT, FOCAL_PX = 80, 60, 70.0
NORMAL, OFFSET = np.array([0.2, -0.6, 1.0]), 3.0
"""Points x of the plane have NORMAL @ x == OFFSET in the camera's frame."""


def rays() -> Floats:
    v, u = np.mgrid[0:HEIGHT, 0:WIDTH]
    return np.stack([(u - 39.5) / FOCAL_PX, (v - 29.5) / FOCAL_PX, np.ones((HEIGHT, WIDTH))], axis=-1)


def sparse(depth: Floats) -> Reconstruction:
    """Return one frame, whose camera is at (1, 2, 3), of which one pixel of 20 has a depth; up to scale."""
    is_known = np.random.default_rng(4).random(depth.shape) < 0.05
    pose = np.eye(4)
    pose[:3, 3] = 1, 2, 3
    packed = pack_arrays(
        {
            "depth": np.where(is_known, depth, 0)[None].astype(np.float32),
            "confidence": np.where(is_known, 200, 0)[None].astype(np.uint8),
            "extrinsics": pose[None],
        }
    )
    result = Reconstructed(
        kind="reconstructed",
        arrays=reference(packed, NPZ_TYPE),
        frame_indices=(7,),
        intrinsics=(FrameIntrinsics(fx=FOCAL_PX, fy=FOCAL_PX, cx=39.5, cy=29.5),),
        gravity_direction=(0.0, -1.0, 0.0),
        is_metric=False,
        notes=("up to scale", "sparse"),
    )
    return Reconstruction(result, packed)


PLANE = OFFSET / (rays() @ NORMAL)


def on_plane(u: int, v: int) -> Floats:
    return PLANE[v, u] * rays()[v, u] + [1, 2, 3]


def test_point_of_a_pixel_without_depth_is_on_the_plane_around_it():
    assert sparse(PLANE).point_at(7, 33, 21) == pytest.approx(on_plane(33, 21), abs=1e-5)


def test_point_where_depths_are_of_two_surfaces_or_too_far_is_refused():
    rough = PLANE * np.random.default_rng(0).choice([1.0, 1.5], PLANE.shape)
    with pytest.raises(NothingFoundError, match="are not in one plane"):
        sparse(rough).point_at(7, 33, 21)
    with pytest.raises(NothingFoundError, match="fewer than 12 depths within 3 px"):
        sparse(PLANE).point_at(7, 33, 21, within_px=3)


def test_known_length_makes_metres_of_depths_points_and_poses():
    rec = sparse(PLANE)
    a, b = rec.point_at(7, 20, 20), rec.point_at(7, 60, 40)
    metric = rec.with_known_length(0.3, a, b)
    factor = 0.3 / np.linalg.norm(on_plane(20, 20) - on_plane(60, 40))
    assert metric.extrinsics.position(7) == pytest.approx(factor * np.array([1, 2, 3]), rel=1e-5)
    assert metric.depth[7] == pytest.approx(factor * rec.depth[7], rel=1e-5)
    assert np.linalg.norm(metric.point_at(7, 20, 20) - metric.point_at(7, 60, 40)) == pytest.approx(0.3, rel=1e-5)
    assert metric.is_metric
    assert not rec.is_metric
    assert metric.notes == ("metres by the known length of 0.3 m", "sparse")


@pytest.mark.parametrize("length_m", [0.0, -1.0, float("nan")])
def test_length_that_is_not_above_0_is_refused(length_m: float):
    with pytest.raises(ValueError, match="a known length is above 0"):
        sparse(PLANE).with_known_length(length_m, np.zeros(3), np.ones(3))

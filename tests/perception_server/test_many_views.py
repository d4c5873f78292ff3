"""Cameras of models of many views come back exactly from the conventions of such models, and in metres."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from contracts.events.perception import Reconstruct
from perception_server.calls.answers import answer_of_cameras
from perception_server.models.interface import Cameras, Depths, ModelError, Views
from perception_server.models.many_views import FEWEST_MEASURED, MeasuredScale, cameras_of, scale_of
from perception_server.models.registry import adapters, chosen
from perception_worker.results import ReconstructedFrames
from spatial.array_codec import decode
from spatial.arrays import Bytes, Floats

from tests.support.questions.perception import camera_at, question_about, simulator_backend, table_scene

UNIT = 0.37
"""Metres of a unit of the model."""
TIMES = 2
"""Pixels of the model along an edge of one of the picture."""


@pytest.fixture(scope="module")
def exact() -> Cameras:
    """Return five views of a table, as the simulator knows them."""
    places = [(2.5 * np.sin(turn), -2.5 * np.cos(turn), 1.4) for turn in np.linspace(-0.6, 0.6, 5)]
    scene = table_scene(tuple(camera_at((x, y, z), (0.0, 0.0, 0.3)) for x, y, z in places))
    with simulator_backend() as backend:
        question = question_about(backend, scene)
        found = backend.answer(Reconstruct(kind="reconstruct", frames=question.frames), lambda _: question.scene)
    assert isinstance(found, ReconstructedFrames)
    intrinsics = np.array([[each.fx, each.fy, each.cx, each.cy] for each in found.intrinsics])
    confidence: Depths = np.divide(found.confidence, 255, dtype=np.float32)
    return Cameras(found.depth, confidence, intrinsics, found.extrinsics)


def inverse(poses: Floats) -> Floats:
    return np.linalg.inv(poses).astype(np.float64)


def as_model(exact: Cameras) -> tuple[Depths, Depths, Floats, Floats]:
    """Return what an exact model of many views would give: larger pictures, no unit, camera 0 as the world."""
    matrices = np.tile(np.eye(3), (len(exact.depth), 1, 1))
    matrices[:, [0, 1], [0, 1]] = TIMES * exact.intrinsics[:, :2]
    matrices[:, :2, 2] = TIMES * (exact.intrinsics[:, 2:] + 0.5)
    poses = inverse(exact.extrinsics[0]) @ exact.extrinsics
    poses[:, :3, 3] /= UNIT
    larger = [each.repeat(TIMES, axis=1).repeat(TIMES, axis=2) for each in (exact.depth / UNIT, exact.confidence)]
    return larger[0].astype(np.float32), larger[1].astype(np.float32), inverse(poses)[:, :3], matrices


@dataclass
class Exact:
    """Both models, of which the second one errs by a factor."""

    exact: Cameras
    factor: float = 1.0
    max_views: int = 64

    def reconstruct(self, scenes: Sequence[Views]) -> list[Cameras]:
        """Return the views without a unit."""
        height, width = self.exact.depth.shape[1:]
        return [cameras_of(*as_model(self.exact), (height, width)) for _ in scenes]

    def depths(self, pictures: Sequence[Bytes], focal_px: Sequence[float]) -> Depths:
        """Return the depths of pictures, whose first pixel is the number of the frame; a tenth of each is sky."""
        frames = [int(each[0, 0, 0]) for each in pictures]
        assert focal_px == pytest.approx(self.exact.intrinsics[frames, 0])
        measured = self.factor * self.exact.depth[frames]
        measured[:, : measured.shape[1] // 10] = 0
        return measured.astype(np.float32)


def views_of(exact: Cameras) -> Views:
    return Views(tuple(np.full((*exact.depth.shape[1:], 3), number, np.uint8) for number in range(len(exact.depth))))


def test_cameras_are_those_of_the_pictures(exact: Cameras):
    [found] = Exact(exact).reconstruct([views_of(exact)])
    assert found.intrinsics == pytest.approx(exact.intrinsics, abs=1e-9)
    assert found.depth == pytest.approx(exact.depth / UNIT, rel=1e-6)
    assert (found.confidence == exact.confidence).all()
    assert not found.is_metric


def test_point_of_one_view_is_projected_to_its_pixel_in_another(exact: Cameras):
    [found] = Exact(exact).reconstruct([views_of(exact)])
    row, column = 40, 50
    point = exact.extrinsics[0] @ [*ray(exact, 0, column, row) * exact.depth[0, row, column], 1]
    place = inverse(exact.extrinsics[3]) @ point
    expected = exact.intrinsics[3, :2] * place[:2] / place[2] + exact.intrinsics[3, 2:]
    mine = found.extrinsics[0] @ [*ray(found, 0, column, row) * found.depth[0, row, column], 1]
    place = inverse(found.extrinsics[3]) @ mine
    assert found.intrinsics[3, :2] * place[:2] / place[2] + found.intrinsics[3, 2:] == pytest.approx(expected, abs=1e-3)


def ray(cameras: Cameras, frame: int, column: int, row: int) -> Floats:
    fx, fy, cx, cy = cameras.intrinsics[frame]
    return np.array([(column - cx) / fx, (row - cy) / fy, 1.0])


def test_pictures_that_the_model_sees_smaller_keep_their_rays(exact: Cameras):
    """Each edge has its own scale, as sizes are rounded to patches."""
    depth, confidence, poses, matrices = as_model(exact)
    columns = depth.shape[2]
    found = cameras_of(depth, confidence, poses, matrices, (depth.shape[1] * 3, columns))
    assert found.depth.shape == (len(depth), depth.shape[1] * 3, columns)
    assert found.intrinsics[0, :2] == pytest.approx([matrices[0, 0, 0], 3 * matrices[0, 1, 1]])
    assert found.intrinsics[0, 2:] == pytest.approx([matrices[0, 0, 2] - 0.5, 3 * matrices[0, 1, 2] - 0.5])
    assert (found.depth[:, 1::3] == depth).all()


def test_scene_in_metres_has_the_simulator_s_world(exact: Cameras):
    model = Exact(exact)
    [found] = MeasuredScale(model, model, "metre").reconstruct([views_of(exact)])
    assert found.is_metric
    assert found.depth == pytest.approx(exact.depth, rel=1e-5)
    answer = decode(answer_of_cameras(found, 1).body)["result"]
    assert answer["extrinsics"] == pytest.approx(exact.extrinsics, abs=3e-3)
    assert answer["is_metric"] is True
    assert answer["notes"] == ["metres by metre from 4 picture(s): half of the pixels agree within 0%"]


def test_error_of_the_metric_model_is_that_of_the_scale(exact: Cameras):
    [found] = MeasuredScale(Exact(exact), Exact(exact, 1.2), "metre").reconstruct([views_of(exact)])
    assert found.depth == pytest.approx(1.2 * exact.depth, rel=1e-5)
    baseline = np.linalg.norm(found.extrinsics[4, :3, 3] - found.extrinsics[0, :3, 3])
    expected = np.linalg.norm(exact.extrinsics[4, :3, 3] - exact.extrinsics[0, :3, 3])
    assert baseline == pytest.approx(1.2 * expected, rel=1e-5)


def test_scene_of_which_nothing_is_measured_stays_without_a_unit(exact: Cameras):
    model = Exact(exact)
    [found] = MeasuredScale(model, Exact(exact, 0.0), "metre").reconstruct([views_of(exact)])
    assert not found.is_metric
    assert found.notes == ("metre measures too little of these pictures",)
    assert found.depth == pytest.approx(exact.depth / UNIT, rel=1e-6)


def test_metric_scene_is_left_as_it_is(exact: Cameras):
    class Metric(Exact):
        def reconstruct(self, scenes: Sequence[Views]) -> list[Cameras]:
            return [replace(each, is_metric=True) for each in super().reconstruct(scenes)]

    [found] = MeasuredScale(Metric(exact), Exact(exact), "metre").reconstruct([views_of(exact)])
    assert found.depth == pytest.approx(exact.depth / UNIT, rel=1e-6)


def test_scale_is_that_of_the_confident_half():
    own, measured = np.full((1, 20, 20), 2, np.float32), np.full((1, 20, 20), 5, np.float32)
    measured[0, 10:] = 40
    confidence = np.where(np.arange(20)[:, None] < 10, 0.9, 0.1).astype(np.float32) * np.ones((1, 20, 20), np.float32)
    assert scale_of(own, confidence, measured) == (2.5, 0)


def test_scale_of_too_few_pixels_is_unknown():
    own = np.zeros((1, 20, 20), np.float32)
    own.flat[: FEWEST_MEASURED - 1] = 1
    assert scale_of(own, own, np.ones_like(own)) is None


def test_spread_of_the_scale_is_that_of_half_of_the_pixels():
    own, sure = np.ones((1, 20, 20), np.float32), np.ones((1, 20, 20), np.float32)
    measured = np.linspace(0.8, 1.2, 400, dtype=np.float32).reshape(1, 20, 20)
    found = scale_of(own, sure, measured)
    assert found == pytest.approx((1.0, 0.1), abs=0.001)


def test_scale_alone_is_refused():
    with pytest.raises(ModelError, match="needs one for reconstruct"):
        chosen("depth-anything-3-metric,sam3", non_commercial=False)


def test_weights_for_non_commercial_use_are_marked():
    marked = {name for name, each in adapters().items() if not each.card.is_commercial}
    assert marked == {"depth-anything-3-large", "depth-anything-3-nested"}
    with pytest.raises(ModelError, match="non-commercial use"):
        chosen("depth-anything-3-nested", non_commercial=False)

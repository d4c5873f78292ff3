"""Each function of the kernel's tools on inputs whose answer is known by a formula."""

import numpy as np
import pytest
from artifacts.port import reference
from contracts.events.perception import FrameIntrinsics
from contracts.models.questions.frames import FrameRef
from perception_worker.handlers import png
from perception_worker.simulator.backend import SimulatorBackend
from PIL import Image
from spatial.frames import InputImage, InputImages, VideoMetadata
from spatial.namespace import Tools
from spatial.reconstruction import unproject
from spatial.tools.drawings import DrawTool, GraphTool
from spatial.tools.geometry import GeometryTool
from spatial.tools.mask_measures import MaskMeasures
from spatial.tools.video_time import VideoTime

from tests.support.questions.perception import namespace_of, question_about, table_scene

QUARTER_TURN = np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
"""A quarter turn about z, then a shift by (1, 2, 3)."""
RECTANGLE = np.zeros((20, 30), np.bool_)
RECTANGLE[4:9, 10:20] = True


@pytest.fixture(scope="module")
def tools(backend: SimulatorBackend) -> Tools:
    question = question_about(backend, table_scene())
    video = VideoMetadata(1, is_video=True, fps=8.0, total_frames=17, width=320, height=240)
    return namespace_of(backend, question, video)["tools"]


def test_distances_and_angles():
    assert GeometryTool.euclidean_distance((1, 2, 3), (4, 6, 15)) == pytest.approx(13)
    assert GeometryTool.angle_between_vectors((1, 0, 0), (1, 1, 0)) == pytest.approx(45)
    assert GeometryTool.angle_between_vectors((0, 0, 2), (0, 0, -1)) == pytest.approx(180)


def test_points_are_projected_and_transformed():
    """The point (1, 4, 8) is at (2, 0, 5) in the camera."""
    pixel = GeometryTool.project_point_to_camera((1, 4, 8), QUARTER_TURN, 100, 200, 50, 60)
    assert pixel == pytest.approx((90, 60))
    assert GeometryTool.unproject_pixel(90, 60, 5, QUARTER_TURN, 100, 200, 50, 60) == pytest.approx([1, 4, 8])
    assert GeometryTool.project_point_to_camera((0, 0, 2), QUARTER_TURN, 100, 100, 0, 0) is None
    moved = GeometryTool.transform_points([(1, 0, 0), (0, 1, 0)], QUARTER_TURN)
    assert moved.tolist() == [[1, 3, 3], [0, 2, 3]]


def test_pixels_of_a_lens_with_distortion_show_its_directions():
    """At r focal lengths beside the middle the direction is r / (1 + radial r²)."""
    camera = FrameIntrinsics(fx=10, fy=10, cx=0, cy=0, radial=-0.05)
    points = unproject(np.full((1, 31), 2.0), camera, np.eye(4))
    assert points[0, 0] == pytest.approx([0, 0, 2])
    assert points[0, 20] == pytest.approx([2 * 2 / 0.8, 0, 2])
    assert points[0, 30] == pytest.approx([2 * 3 / 0.55, 0, 2])


def test_rotations_turn_one_vector_into_the_other():
    assert GeometryTool.rotation_matrix_from_vectors((1, 0, 0), (0, 3, 0)) == pytest.approx(QUARTER_TURN[:3, :3])
    half_turn = GeometryTool.rotation_matrix_from_vectors((0, 0, 1), (0, 0, -1))
    assert half_turn @ [0, 0, 1] == pytest.approx([0, 0, -1])
    assert np.linalg.det(half_turn) == pytest.approx(1)


def test_floor_is_found_under_outliers():
    random = np.random.default_rng(1)
    floor = np.column_stack([random.uniform(-1, 1, (300, 2)), np.zeros(300)])
    tilted = floor @ np.array([[1, 0, 0], [0, 0.8, 0.6], [0, -0.6, 0.8]])
    above = random.uniform(-1, 1, (100, 3)) + np.array([0, 0, 5])
    normal, inside = GeometryTool.fit_floor_plane(np.concatenate([tilted, above]))
    assert np.abs(normal) == pytest.approx([0, 0.6, 0.8], abs=1e-6)
    assert inside[:300].all()


def test_thousandths_become_pixels():
    assert GeometryTool.normalized_to_pixel(0, 1000, 101, 51) == (0, 50)


def test_masks_are_measured_by_their_pixels():
    other = np.zeros_like(RECTANGLE)
    other[4:9, 15:25] = True
    assert MaskMeasures.area(RECTANGLE) == 50
    assert MaskMeasures.centroid(RECTANGLE) == pytest.approx((14.5, 6))
    assert MaskMeasures.centroids(np.stack([RECTANGLE, other])) == pytest.approx(np.array([[14.5, 6], [19.5, 6]]))
    assert MaskMeasures.iou(RECTANGLE, other) == pytest.approx(1 / 3)
    assert MaskMeasures.intersection(RECTANGLE, other).sum() == 25
    assert MaskMeasures.bounding_box(RECTANGLE) == (10, 4, 19, 8)


def test_times_and_frames_of_eight_a_second(tools: Tools):
    assert tools.Time.frame_to_seconds(12) == 1.5
    assert tools.Time.seconds_to_frame(1.5) == 12
    assert tools.Time.frame_range_to_seconds(4, 12) == pytest.approx(1)
    assert tools.Time.get_frame_at_time(0.01).frame_index == 0


def test_key_frames_are_where_pictures_and_counts_change():
    shades = [90] * 6 + [150] + [90] * 5
    refs = [frame_of_shade(10 * number, shade) for number, shade in enumerate(shades)]
    clock = VideoTime(InputImages(refs), VideoMetadata(12, is_video=True, fps=10.0, total_frames=111))
    chosen = clock.key_frames(6)
    assert len(chosen) == 6
    assert (chosen[0], chosen[60], chosen[70], chosen[110]) == ("even", "motion begins", "motion ends", "even")
    counts = {each.frame_index: int(each.frame_index >= 30) for each in refs}
    assert clock.key_frames(3, counts) == {0: "even", 30: "object", 110: "even"}


def frame_of_shade(frame_index: int, shade: int) -> InputImage:
    """Return a frame with a square of a shade on a scene."""
    scene = np.tile(np.arange(60, 156, dtype=np.uint8), (72, 1))
    scene[20:40, 30:50] = shade
    encoded = png(np.repeat(scene[..., None], 3, axis=2))
    picture = reference(encoded, "image/png")
    return InputImage(FrameRef(picture=picture, frame_index=frame_index, width_px=96, height_px=72), encoded)


def test_curve_of_squares_is_described_by_its_figures():
    times = np.arange(5.0)
    graph = GraphTool.plot([*times**2, np.inf], title="height")
    assert graph.text == (
        "height: 5 values, 1 invalid left out; min 0 at 0, max 16 at 4, mean 6, first 0, last 16, trend rising"
    )
    falling = GraphTool.plot(-1 - times**2, x=2 * times, validity=times < 4)
    assert "4 values, 1 invalid left out; min -10 at 6, max -1 at 0" in falling.text
    assert falling.text.endswith("trend falling")


def test_drawings_change_only_what_they_draw():
    black = Image.new("RGB", (40, 30))
    boxed = np.asarray(DrawTool.draw_bbox(black, (5, 6, 25, 20), "white"))
    assert boxed[6, 15].min() > 0
    assert boxed[13, 15].max() == 0
    assert np.asarray(DrawTool.draw_point(black, (20, 10), "white"))[10, 20].min() > 0
    assert np.asarray(black).max() == 0
    line = np.asarray(DrawTool.draw_line(black, (0, 15), (39, 15), "white"))
    assert line[15].min() > 0
    assert line[25].max() == 0

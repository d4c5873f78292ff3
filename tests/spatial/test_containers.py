"""Containers by absolute frame index: mismatches raise with the right idiom, and reprs teach."""

import numpy as np
import pytest
from perception_worker.simulator.backend import SimulatorBackend
from spatial.errors import FrameMismatchError, NothingFoundError, PerceptionRefusedError
from spatial.frames import VideoMetadata
from spatial.namespace import Namespace, tools_text
from spatial.per_frame import PerFrame

from tests.support.questions.perception import Question, camera_at, namespace_of, question_about, table_scene


@pytest.fixture(scope="module")
def question(backend: SimulatorBackend) -> Question:
    """Return three frames of a video: 0, 15 and 30."""
    cameras = tuple(camera_at((x, -3.0, 1.5), (0.0, 0.0, 0.3)) for x in (-0.5, 0.0, 0.5))
    rendered = question_about(backend, table_scene(cameras))
    frames = tuple(
        frame.model_copy(update={"frame_index": 15 * number}) for number, frame in enumerate(rendered.frames)
    )
    return Question(rendered.scene, rendered.stored, frames, rendered.files)


@pytest.fixture
def namespace(backend: SimulatorBackend, question: Question) -> Namespace:
    return namespace_of(
        backend, question, VideoMetadata(3, is_video=True, fps=10.0, total_frames=31, width=320, height=240)
    )


def test_values_are_found_by_absolute_index_only():
    depth = PerFrame((0, 15, 30), ("a", "b", "c"))
    assert depth[15] == "b"
    assert depth[np.int64(30)] == "c"  # pyright: ignore[reportArgumentType] - what cells write
    with pytest.raises(
        KeyError, match=r"ABSOLUTE frame indices: \[0, 15, 30\].* Did you mean position 1, which is frame 15"
    ):
        _ = depth[1]
    with pytest.raises(KeyError, match="there is no frame 31"):
        _ = depth[31]
    with pytest.raises(TypeError, match=r"takes one absolute frame index, such as data\[0\], not slice"):
        _ = depth[0:2]  # pyright: ignore[reportArgumentType] - what cells write
    with pytest.raises(TypeError, match="not bool"):
        _ = depth[True]


def test_loop_over_values_is_refused_with_the_idiom():
    with pytest.raises(TypeError, match=r"`for i in data.frame_indices: value = data\[i\]`"):
        list(PerFrame((0,), ("a",)))


def test_containers_of_other_frames_do_not_mix(namespace: Namespace):
    tools, images = namespace["tools"], namespace["InputImages"]
    rec = tools.Reconstruct(images[:2])
    masks = tools.SAM3.segment_video_by_text("blue ball")
    with pytest.raises(
        FrameMismatchError, match=r"masks has frames \[0, 15, 30\], rec.depth has \[0, 15\]; use the common"
    ):
        masks.points(rec, "blue ball_1")
    assert len(masks.points(rec, "blue ball_1", 15)) > 100


def test_images_are_found_by_position_or_by_frame(namespace: Namespace):
    images = namespace["InputImages"]
    assert images[1].frame_index == 15
    assert images.at(30) is images[2]
    assert images[::2].frame_indices == (0, 30)
    assert images[0].pixels.shape == (240, 320, 3)
    with pytest.raises(KeyError, match="Did you mean position 2, which is frame 30"):
        images.at(2)
    with pytest.raises(ValueError, match="read-only"):
        images[0].pixels[0, 0] = 0


def test_kernel_sees_no_scene(namespace: Namespace):
    assert all(image.ref.source is None for image in namespace["InputImages"])


def test_own_picture_is_not_accepted_and_the_error_says_what_is(namespace: Namespace):
    tools, images = namespace["tools"], namespace["InputImages"]
    with pytest.raises(TypeError, match=r"expected one image such as InputImages\[0\], got Image"):
        tools.SAM3.segment_image_by_text(images[0].image, "blue ball")


def test_forged_frame_is_refused(namespace: Namespace):
    image = namespace["InputImages"][0]
    forged = type(image)(image.ref.model_copy(update={"frame_index": 7}), image.encoded)
    with pytest.raises(PerceptionRefusedError, match="frame 7 is not one of InputImages"):
        namespace["tools"].SAM3.segment_image_by_text(forged, "blue ball")


def test_too_many_frames_are_refused_with_the_stride(namespace: Namespace):
    images = [namespace["InputImages"][0]]
    many = [
        type(each)(each.ref.model_copy(update={"frame_index": index}), each.encoded)
        for each in images
        for index in range(65)
    ]
    with pytest.raises(ValueError, match=r"65 frames are too many, at most 64: pass InputImages\[::2\]"):
        namespace["tools"].Reconstruct(many)


def test_object_out_of_a_frame_has_an_empty_mask_and_hints(backend: SimulatorBackend):
    cameras = (camera_at((0.0, -3.0, 1.5), (0.0, 0.0, 0.3)), camera_at((0.0, -3.0, 1.5), (0.0, -6.0, 0.3)))
    namespace = namespace_of(backend, question_about(backend, table_scene(cameras)))
    rec = namespace["tools"].Reconstruct()
    masks = namespace["tools"].SAM3.segment_video_by_text(["red box", "blue ball"])
    assert masks.frames_with("blue ball_1") == (0,)
    assert masks.areas("blue ball_1")[1] == 0
    assert np.isnan(masks.centroid_3d(rec, "blue ball_1", 1)).all()
    with pytest.raises(NothingFoundError, match=r"blue ball_1 has no pixel .*in \[1\](?s:.*)use a frame .*\[0\]"):
        masks.points(rec, "blue ball_1", 1)
    with pytest.raises(KeyError, match="the labels are 'red box_1', 'blue ball_1'"):
        masks.mask("ball", 0)
    with pytest.raises(TypeError, match=r"masks of 2 frames need a frame: masks\.mask\(label, 0\)"):
        masks.mask("blue ball_1")


def test_reprs_teach_how_to_go_on(namespace: Namespace):
    rec = namespace["tools"].Reconstruct()
    masks = namespace["tools"].SAM3.segment_video_by_text("blue ball")
    assert "rec.extrinsics[0] (4, 4) camera to world" in repr(rec)
    assert "rec.depth[0] by ABSOLUTE frame index" in repr(rec.depth)
    assert "seen in 3 of 3 frames" in repr(masks)
    assert "InputImages[::4]" in repr(namespace["InputImages"])
    assert "Metadata.fps" in repr(namespace["Metadata"])
    assert "segment_image_by_text" in repr(namespace["tools"])
    assert tools_text(("Geometry",)).startswith("tools.Geometry: Vectors and cameras")


def test_times_are_those_of_the_video(namespace: Namespace):
    clock = namespace["tools"].Time
    assert clock.frame_to_seconds(15) == pytest.approx(1.5)
    assert clock.seconds_to_frame(99.0) == 30
    assert clock.frame_range_to_seconds(15, 30) == pytest.approx(1.5)
    assert clock.get_frame_at_time(1.4).frame_index == 15


def test_pictures_describe_themselves(namespace: Namespace):
    tools = namespace["tools"]
    graph = tools.Graph.plot([1.0, np.nan, 3.0, 5.0], title="height")
    assert "3 values, 1 invalid left out; min 1 at 0, max 5 at 3" in graph.text
    assert "trend rising" in graph.text
    with pytest.raises(ValueError, match="none of the 2 values is finite"):
        tools.Graph.plot([np.nan, np.nan])
    seen = tools.Draw.render_bev(tools.Reconstruct(), tools.SAM3.segment_video_by_text(["red box", "blue ball"]))
    assert "red box_1: at x=" in seen.text
    drawn = tools.Draw.draw_bbox(namespace["InputImages"][0], (10, 10, 50, 60), color="lime")
    assert drawn.getpixel((10, 30)) == (0, 255, 0)
    with pytest.raises(ValueError, match="is not a CSS colour"):
        tools.Draw.draw_point(drawn, (5, 5), color="verydark")

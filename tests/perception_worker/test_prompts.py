"""What prompts find in a scene."""

import numpy as np
import pytest
from contracts.events.perception import BoxPrompt, PointsPrompt, TextPrompt
from perception_worker.results import RefusedError
from perception_worker.simulator.backend import SimulatorBackend
from perception_worker.simulator.prompts import Match, points_match, text_matches
from spatial.errors import NothingFoundError

from tests.support.questions.perception import namespace_of, question_about, table_scene


def found(text: str) -> list[Match]:
    return text_matches(table_scene(), TextPrompt(kind="text", text=text))


@pytest.mark.parametrize(
    ("text", "numbers", "score"),
    [
        ("red box", [1], 1.0),
        ("Red Boxes", [1], 1.0),
        ("crate", [1], 1.0),
        ("the blue ball", [2], 1.0),
        ("red crate", [1], 0.9),
        ("wood", [1], 0.9),
        ("metal cylinder", [3], 0.9),
        ("object", [1, 2, 3], 0.5),
        ("ground", [0], 1.0),
        ("large ball", [2], 0.3),
        ("green ball", [], 0.0),
        ("pink box", [], 0.0),
        ("table", [], 0.0),
    ],
)
def test_text_is_resolved_by_label_then_table_then_common_words(text: str, numbers: list[int], score: float):
    matches = found(text)
    assert [match.number for match in matches] == numbers
    assert all(match.score == pytest.approx(score) for match in matches)


def test_background_points_exclude_what_they_are_on():
    objects = np.array([[1, 1, 2], [0, 2, 2]], np.int16)
    given = PointsPrompt(kind="points", foreground=((0, 0), (2, 0)), background=((1, 0),))
    assert points_match(objects, given) == [Match(2, 0.5)]


def test_point_outside_the_image_is_refused_with_the_size():
    with pytest.raises(RefusedError, match=r"\(9, 0\) is outside the image of 3 x 2 px") as refused:
        points_match(np.zeros((2, 3), np.int16), PointsPrompt(kind="points", foreground=((9, 0),)))
    assert refused.value.reason == "invalid_prompt"


def test_points_and_boxes_find_the_object_under_them(backend: SimulatorBackend):
    namespace = namespace_of(backend, question_about(backend, table_scene()))
    sam3, measures, image = namespace["tools"].SAM3, namespace["tools"].Mask, namespace["InputImages"][0]
    by_text = sam3.segment_image_by_text(image, "blue ball").mask()
    by_point = sam3.segment_image_by_points(image, [measures.centroid(by_text)]).mask()
    by_box = sam3.segment_image_by_box(image, measures.bounding_box(by_text)).mask()
    assert (by_text == by_point).all()
    assert (by_text == by_box).all()


def test_hidden_object_is_not_found_and_the_error_says_what_to_try(backend: SimulatorBackend):
    scene = table_scene()
    wall = scene.objects[0].model_copy(update={"label": "white wall", "color": "white", "aliases": ()})
    shape = wall.shapes[0].model_copy(update={"size_m": (6.0, 0.1, 3.0)})
    hiding = wall.model_copy(
        update={"shapes": (shape,), "pose": wall.pose.model_copy(update={"position_m": (0.0, -1.0, 1.5)})}
    )
    hidden = scene.model_copy(update={"objects": (*scene.objects, hiding)})
    namespace = namespace_of(backend, question_about(backend, hidden))
    with pytest.raises(NothingFoundError, match="nothing matches 'blue ball' in frame 0") as error:
        namespace["tools"].SAM3.segment_image_by_text(namespace["InputImages"][0], "blue ball")
    assert str(error.value).count("\n- ") >= 3
    exists = namespace["tools"].SAM3.is_object_exist(namespace["InputImages"], "blue ball")
    assert exists["exists"] is False
    assert exists["counts"] == {0: 0}


def test_objects_are_listed_by_their_size_in_the_image(backend: SimulatorBackend):
    """Their order in the scene file would tell apart what looks alike."""
    namespace = namespace_of(backend, question_about(backend, table_scene()))
    masks = namespace["tools"].SAM3.segment_image_by_text(namespace["InputImages"][0], "object")
    areas = [masks.areas(label)[0] for label in masks.labels]
    assert masks.labels == ("object_1", "object_2", "object_3")
    assert areas == sorted(areas, reverse=True)


def test_box_on_the_sky_finds_nothing(backend: SimulatorBackend):
    namespace = namespace_of(backend, question_about(backend, table_scene()))
    with pytest.raises(NothingFoundError, match="name the object instead"):
        namespace["tools"].SAM3.segment_image_by_box(namespace["InputImages"][0], [0, 0, 20, 8])
    assert BoxPrompt(kind="box", box=(0, 0, 20, 8)).kind == "box"

"""Grounding DINO and SAM 2 with the real classes of their library, on a CPU: `./run test-perception`."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch has no types here

from pathlib import Path

import numpy as np
import pytest
from contracts.events.perception import Prompt, TextPrompt
from perception_server.models import grounding_dino, sam2
from perception_server.models.grounded import GroundedSegmenter
from perception_server.models.grounding_dino import GroundingDino
from perception_server.models.interface import AbandonedError, OutOfMemoryError, Placement, Prompted
from perception_server.models.libraries import torch
from perception_server.models.sam2 import Sam2

from tests.perception_models.pictures import BITS, BOX, HEIGHT, POINT, WIDTH, pictures, prompted
from tests.perception_models.tiny import tiny_grounding_dino, tiny_sam2

CUBE, BALL = TextPrompt(kind="text", text="red cube"), TextPrompt(kind="text", text="ball")


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> GroundingDino:
    return tiny_grounding_dino(tmp_path_factory.mktemp("dino"))


@pytest.fixture(scope="module")
def segmenter() -> Sam2:
    return tiny_sam2()


@pytest.fixture(scope="module")
def both(finder: GroundingDino, segmenter: Sam2) -> GroundedSegmenter:
    return GroundedSegmenter(finder, segmenter)


def test_boxes_are_inside_the_picture_and_the_surest_come_first(finder: GroundingDino):
    [found] = finder.boxes(pictures(1), ["red cube"])
    assert 0 < len(found) <= 8
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for x1, y1, x2, y2 in (each.box for each in found):
        assert 0 <= x1 < x2 <= WIDTH - 1
        assert 0 <= y1 < y2 <= HEIGHT - 1


def test_boxes_of_texts_of_several_lengths_are_those_of_one_by_one(finder: GroundingDino):
    texts = ["red cube", "ball", "A Ball."]
    together = finder.boxes(pictures(3), texts)
    for found, picture, text in zip(together, pictures(3), texts, strict=True):
        [alone] = finder.boxes([picture], [text])
        assert [each.box for each in found] == [pytest.approx(each.box, abs=1e-2) for each in alone]
        assert [each.score for each in found] == pytest.approx([each.score for each in alone], abs=1e-4)


@pytest.mark.parametrize("prompt", [POINT, BOX], ids=lambda each: each.kind)
def test_point_and_box_are_one_object_of_a_picture(segmenter: Sam2, prompt: Prompt):
    [found] = segmenter.detect([prompted(1, prompt)])
    assert found.bits.shape == (1, 1, BITS)
    assert (found.labels, found.prompts) == (("object",), (0,))
    assert 0 <= found.scores[0] <= 1


def test_places_of_a_video_keep_their_positions_in_all_frames_before_and_after_theirs(segmenter: Sam2):
    found = segmenter.track(prompted(5, BOX, POINT, prompt_frame=2))
    assert found.bits.shape == (5, 2, BITS)
    assert found.prompts == (0, 1)
    alone = segmenter.track(prompted(5, POINT, prompt_frame=2))
    assert np.mean(np.unpackbits(found.bits[:, 1] ^ alone.bits[:, 0])) < 0.01


def test_text_of_a_picture_is_an_object_for_each_box(finder: GroundingDino, both: GroundedSegmenter):
    request = prompted(1, CUBE)
    [boxes], [found] = finder.boxes(request.pictures, [CUBE.text]), both.detect([request])
    assert found.bits.shape == (1, len(boxes), BITS)
    assert found.scores == pytest.approx([each.score for each in boxes])
    assert set(found.labels) == {"red cube"}


def test_video_has_texts_and_places_with_the_prompts_that_found_them(both: GroundedSegmenter):
    found = both.track(prompted(3, BOX, CUBE, BALL, prompt_frame=1))
    assert found.bits.shape == (3, len(found.labels), BITS)
    assert found.prompts == tuple(sorted(found.prompts))
    assert set(found.prompts) == {0, 1, 2}
    assert found.labels == tuple(("object", "red cube", "ball")[prompt] for prompt in found.prompts)


def test_nothing_found_has_masks_of_the_picture(both: GroundedSegmenter):
    assert both.track(prompted(2, CUBE, threshold=1.0)).bits.shape == (2, 0, BITS)


def test_video_that_is_not_wanted_any_more_is_abandoned(both: GroundedSegmenter):
    with pytest.raises(AbandonedError):
        both.track(Prompted(pictures(4), (BOX,), 0, 0.0, lambda: False))


def test_full_device_is_an_error_of_its_own(both: GroundedSegmenter, monkeypatch: pytest.MonkeyPatch):
    def full(**_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    monkeypatch.setattr(both._finder.model, "forward", full)  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    with pytest.raises(OutOfMemoryError, match="CUDA out of memory"):
        both.detect([prompted(1, CUBE)])


def test_both_are_loaded_from_folders(finder: GroundingDino, segmenter: Sam2, tmp_path: Path):
    for name, model, processor in (
        ("dino", finder.model, finder.processor),
        ("sam2", segmenter.tracker.model, segmenter.tracker.processor),
    ):
        model.save_pretrained(tmp_path / name)
        processor.save_pretrained(tmp_path / name)
    places = (Placement(tmp_path / name, "cpu", 60.0) for name in ("dino", "sam2"))
    loaded = GroundedSegmenter(grounding_dino.load(next(places)), sam2.load(next(places)))
    expected, found = (each.track(prompted(2, CUBE, BOX)) for each in (GroundedSegmenter(finder, segmenter), loaded))
    assert found.scores == pytest.approx(expected.scores, abs=1e-5)
    assert (found.bits == expected.bits).all()

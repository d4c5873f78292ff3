"""Texts become boxes, and boxes become masks, each under the prompt that found it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from contracts.events.perception import BoxPrompt, PointsPrompt, Prompt, SegmentImage, TextPrompt
from perception_server.models.grounded import GroundedSegmenter
from perception_server.models.interface import FoundBox, FoundObjects, ModelError, Prompted, packed
from perception_server.models.registry import chosen
from perception_worker.results import RefusedError
from spatial.arrays import Bytes, unpack_masks

from tests.perception_server.test_calls import BALL, FILES, FRAMES, worker
from tests.support.questions.perception_server import BrightPixels, perception_server

HEIGHT, WIDTH, FRAME_COUNT = 20, 30, 4
BOX = BoxPrompt(kind="box", box=(1, 2, 5, 8))
POINT = PointsPrompt(kind="points", foreground=((7, 3),))
LEFT, RIGHT = FoundBox((0, 0, 4, 4), 0.9), FoundBox((10, 5, 20, 9), 0.4)


@dataclass
class ByWord:
    """A finder that knows the boxes of two words."""

    asked: list[list[str]] = field(default_factory=list[list[str]])
    frames: list[int] = field(default_factory=list[int])

    def boxes(self, pictures: Sequence[Bytes], texts: Sequence[str]) -> list[list[FoundBox]]:
        """Return two cubes and a ball."""
        self.asked.append(list(texts))
        self.frames += [int(each[0, 0, 0]) for each in pictures]
        return [{"cube": [LEFT, RIGHT], "ball": [RIGHT]}.get(text, []) for text in texts]


class Boxes:
    """A segmenter whose masks are the boxes, and the whole picture for points."""

    takes_texts = False

    def detect(self, requests: Sequence[Prompted]) -> list[FoundObjects]:
        """Segment pictures."""
        return [self.track(each) for each in requests]

    def track(self, request: Prompted) -> FoundObjects:
        """Segment a video in which nothing moves."""
        masks = np.zeros((len(request.pictures), len(request.prompts), HEIGHT, WIDTH), np.bool_)
        for number, prompt in enumerate(request.prompts):
            x1, y1, x2, y2 = (round(each) for each in prompt.box) if isinstance(prompt, BoxPrompt) else (0, 0, 99, 99)
            masks[:, number, y1 : y2 + 1, x1 : x2 + 1] = True
        count = len(request.prompts)
        return FoundObjects(packed(masks), ("object",) * count, tuple(range(count)), (0.5,) * count)


def text(word: str) -> TextPrompt:
    return TextPrompt(kind="text", text=word)


def request(*prompts: Prompt, threshold: float = 0.3, frames: int = FRAME_COUNT, prompt_frame: int = 0) -> Prompted:
    pictures = tuple(np.full((HEIGHT, WIDTH, 3), number, np.uint8) for number in range(frames))
    return Prompted(pictures, prompts, prompt_frame, threshold)


def areas(found: FoundObjects) -> list[list[int]]:
    shape = np.array([*found.bits.shape[:2], HEIGHT, WIDTH])
    return unpack_masks(found.bits, shape).sum(axis=(2, 3)).tolist()


def test_texts_and_places_of_a_video_keep_their_prompts_and_scores():
    finder = ByWord()
    found = GroundedSegmenter(finder, Boxes()).track(request(BOX, text("cube"), text("ball"), prompt_frame=2))
    assert (found.prompts, found.labels) == ((0, 1, 1, 2), ("object", "cube", "cube", "ball"))
    assert found.scores == (0.5, 0.9, 0.4, 0.4)
    assert areas(found) == [[35, 25, 55, 55]] * FRAME_COUNT
    assert finder.frames == [2, 2]


def test_boxes_and_places_below_the_threshold_are_left_out():
    found = GroundedSegmenter(ByWord(), Boxes()).track(request(BOX, text("cube"), threshold=0.6))
    assert (found.prompts, found.labels, found.scores) == ((1,), ("cube",), (0.9,))
    assert areas(found) == [[25]] * FRAME_COUNT


def test_nothing_found_is_an_empty_answer_for_all_frames():
    found = GroundedSegmenter(ByWord(), Boxes()).track(request(text("tree")))
    assert found.bits.shape == (FRAME_COUNT, 0, HEIGHT * WIDTH // 8)
    assert (found.labels, found.prompts, found.scores) == ((), (), ())


def test_texts_of_a_batch_are_found_in_one_pass():
    finder = ByWord()
    requests = [request(each, frames=1) for each in (text("ball"), POINT, text("tree"), text("cube"))]
    found = GroundedSegmenter(finder, Boxes()).detect(requests)
    assert finder.asked == [["ball", "tree", "cube"]]
    assert [each.labels for each in found] == [("ball",), ("object",), (), ("cube", "cube")]
    assert [areas(each) for each in found] == [[[55]], [[600]], [[]], [[25, 55]]]


def test_points_alone_need_no_finder():
    finder = ByWord()
    assert areas(GroundedSegmenter(finder, Boxes()).track(request(POINT))) == [[600]] * FRAME_COUNT
    assert finder.asked == []


async def test_text_for_a_model_of_places_alone_is_refused():
    async with perception_server(segmenter=BrightPixels(takes_texts=False)) as address, worker(address) as gpu:
        with pytest.raises(RefusedError, match="finds points and boxes, not texts") as refused:
            await gpu.answer(SegmentImage(kind="segment_image", frame=FRAMES[0], prompt=BALL), FILES)
    assert refused.value.reason == "invalid_prompt"


def test_finder_alone_is_refused():
    with pytest.raises(ModelError, match="a model for find needs one for segment"):
        chosen("grounding-dino", non_commercial=False)


def test_finder_and_model_of_boxes_are_the_alternative():
    names = "depth-anything-3-base,grounding-dino,sam2"
    assert [each.card.name for each in chosen(names, non_commercial=False)] == names.split(",")

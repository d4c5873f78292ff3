"""Tracks and masks without a server: measured against films whose motion is known, or refused with why."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from artifacts.port import reference
from contracts.events.perception import (
    BoxPrompt,
    KernelOperation,
    Prompt,
    SegmentImage,
    SegmentVideo,
    TextPrompt,
    TrackPoints,
)
from contracts.models.questions.frames import FrameRef
from perception_worker.classic import backend
from perception_worker.handlers import png
from perception_worker.results import Found, RefusedError, SegmentedFrames, TrackedPoints
from spatial.arrays import Bytes

from tests.support.films.rendered import COLOURS, Film, Motion, render_film

SIZE = (360, 270)


@cache
def film(motion: Motion) -> Film:
    return render_film(motion, seed=2, frames=10, size=SIZE)


class Pictures:
    """Pictures as a question has them."""

    def __init__(self, pictures: Bytes) -> None:
        height, width = pictures.shape[1:3]
        files = [png(each) for each in pictures]
        self._files = {reference(each, "image/png").sha256: each for each in files}
        self.frames = tuple(
            FrameRef(picture=reference(each, "image/png"), frame_index=10 * number, width_px=width, height_px=height)
            for number, each in enumerate(files)
        )

    def answer(self, operation: KernelOperation) -> Found:
        return backend.answer(operation, self._files)

    def masks(self, *prompts: Prompt, start: int = 0) -> SegmentedFrames:
        found = self.answer(
            SegmentVideo(kind="segment_video", frames=self.frames, prompts=prompts, prompt_frame_index=start)
        )
        assert isinstance(found, SegmentedFrames)
        return found


def text(words: str) -> TextPrompt:
    return TextPrompt(kind="text", text=words)


def overlap(found: Any, truth: Any) -> float:
    return float((found & truth).sum() / (found | truth).sum())


def test_things_of_a_named_colour_are_found_and_followed_with_what_that_is_worth():
    shot, pictures = film("static"), Pictures(film("static").pictures)
    found = pictures.masks(*(text(f"the {colour} box") for colour in COLOURS))
    assert [each.prompt for each in found.objects] == [0, 1, 2]
    for number in range(3):
        assert overlap(found.masks[:, number], shot.objects == number + 1) > 0.85
    assert all(0.3 <= each.score <= 0.5 for each in found.objects)
    assert any(note.startswith("by colour: regions that look red, whatever they are") for note in found.notes)


def test_colour_that_nothing_has_is_an_answer_without_objects():
    found = Pictures(film("static").pictures).answer(
        SegmentImage(kind="segment_image", frame=Pictures(film("static").pictures).frames[0], prompt=text("pink pig"))
    )
    assert isinstance(found, SegmentedFrames)
    assert found.masks.shape == (1, 0, SIZE[1], SIZE[0])


def test_what_moves_before_a_still_camera_is_found_in_each_frame():
    shot, pictures = film("static"), Pictures(film("static").pictures)
    found = pictures.masks(text("moving things"), text("the moving blue box"))
    things = [number for number, each in enumerate(found.objects) if each.prompt == 0]
    assert len(things) == 3
    assert overlap(found.masks[:, things].any(axis=1), shot.objects > 0) > 0.8
    (blue,) = (number for number, each in enumerate(found.objects) if each.prompt == 1)
    assert overlap(found.masks[:, blue], shot.objects == 3) > 0.8
    assert any("differ from the median of all frames" in note for note in found.notes)


@pytest.mark.parametrize(
    ("prompt", "problem"),
    [
        (text("the ball"), "only regions of a colour are found by text"),
        (text("the red and blue ball"), "only regions of a colour are found by text"),
        (BoxPrompt(kind="box", box=(1, 1, 9, 9)), "only regions of a colour are found by text"),
    ],
)
def test_what_neither_colour_nor_motion_tells_is_refused(prompt: Prompt, problem: str):
    with pytest.raises(RefusedError, match=problem) as refused:
        Pictures(film("static").pictures).masks(prompt)
    assert refused.value.reason == "backend_unavailable"


def test_motion_before_a_moving_camera_on_plain_pictures_or_in_two_is_refused():
    with pytest.raises(RefusedError, match="the camera moves"):
        Pictures(film("pan").pictures).masks(text("moving things"))
    with pytest.raises(RefusedError, match="too few corners"):
        Pictures(np.full((3, 60, 80, 3), 90, np.uint8)).masks(text("moving things"))
    with pytest.raises(RefusedError, match="motion needs 3 or more frames"):
        Pictures(film("static").pictures[:2]).masks(text("moving things"))


def some_of(mask: np.ndarray) -> np.ndarray:
    """Return 120 pixels (k, 2) of a mask."""
    rows, columns = np.nonzero(mask)
    return np.column_stack([columns, rows])[np.linspace(0, len(rows) - 1, 120).astype(int)].astype(np.float64)


@pytest.mark.parametrize("start", [0, 4])
def test_points_on_things_that_move_and_stay_are_followed_both_ways(start: int):
    shot, pictures = film("static"), Pictures(film("static").pictures)
    pixels = np.concatenate([some_of(shot.objects[start] > 0), some_of(shot.depth[start] < 10)])
    things, world = shot.objects[start, *pixels.astype(int).T[::-1]], shot.points(start, pixels)
    found = pictures.answer(
        TrackPoints(
            kind="track_points",
            frames=pictures.frames,
            points=tuple((float(u), float(v)) for u, v in pixels),
            prompt_frame_index=pictures.frames[start].frame_index,
        )
    )
    assert isinstance(found, TrackedPoints)
    assert (found.pixels[start] == pixels.astype(np.float32)).all()
    for frame in {max(0, start - 2), start + 2} - {start}:
        shift = np.vstack([np.zeros((1, 3)), shot.places[frame] - shot.places[start]])[things]
        seen = shot.shows(frame, world + shift) & (found.confidence[frame] > 0)
        errors = np.linalg.norm(found.pixels[frame] - shot.pixels(frame, world + shift), axis=1)
        assert np.median(errors[seen & (things == 0)]) < 0.1
        assert (errors[seen & (things > 0)] < 3).mean() > 0.8
        assert (seen & (things > 0)).sum() > 30
    assert "by optical flow" in found.notes[0]


def test_points_out_of_the_frame_afterwards_and_on_plain_pictures_are_lost():
    random = np.random.default_rng(0).integers(0, 255, (10, 30, 3), np.uint8).repeat(8, axis=0).repeat(8, axis=1)
    shifted = np.stack([random[:, 8 * number : 8 * number + 160] for number in range(3)])
    pictures = Pictures(np.ascontiguousarray(shifted))
    found = pictures.answer(
        TrackPoints(
            kind="track_points", frames=pictures.frames, points=((100.0, 40.0), (5.0, 40.0)), prompt_frame_index=0
        )
    )
    assert isinstance(found, TrackedPoints)
    assert found.pixels[:, 0] == pytest.approx(np.array([[100, 40], [92, 40], [84, 40]]), abs=0.5)
    assert found.confidence[:, 0].min() > 150
    assert found.confidence[1:, 1].tolist() == [0, 0]
    plain = Pictures(np.full((2, 60, 80, 3), 90, np.uint8))
    lost = plain.answer(
        TrackPoints(kind="track_points", frames=plain.frames, points=((40.0, 30.0),), prompt_frame_index=0)
    )
    assert isinstance(lost, TrackedPoints)
    assert lost.confidence.tolist() == [[255], [0]]

"""Key frames of long videos: a small sample of `./run perf models/key_frames`, and what is chosen why."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from questions.media import key_frames
from questions.media.images import SamplingOptions
from questions.media.key_frames import named_spans
from questions.media.videos import sample_video
from spatial.key_frames import Change, Grey, change_between, changes_of, even_indices, key_positions

from tests.support.questions.event_films import FPS, KINDS, EventFilm, event_film

SEED = 1000 * len(KINDS)
"""Of a film of the first kind; the measurement and the choice of constants have others."""
STILL = Change(0.0, is_cut=False)


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory) -> tuple[EventFilm, Path]:
    film = event_film(SEED)
    return film, film.write(tmp_path_factory.mktemp("films") / "crossing.mp4")


def scene(right: float = 0.0) -> Grey:
    """A wavy scene, seen from further to the right."""
    rows, columns = np.mgrid[:36, :48]
    waves = np.sin((columns + right) / 4) + np.cos(rows / 5) + np.sin((columns + right) * rows / 60)
    return (120 + 30 * waves).astype(np.float32)


def test_events_are_found_with_a_quarter_of_the_frames_that_even_ones_need():
    """Of one film of each kind; pictures of the renderer, without the codec."""
    found, even, events = 0, 0, 0
    for seed in range(SEED, SEED + len(KINDS)):
        film = event_film(seed)
        pictures = (film.picture(n).reshape(36, 2, 48, 2).mean((1, 3), dtype=np.float32) for n in range(film.frames))
        chosen = key_positions(changes_of(pictures), 8)
        assert len(chosen) == 8
        found += sum(any(each in event for each in chosen) for event in film.events)
        even += sum(any(each in event for each in even_indices(film.frames, 32)) for event in film.events)
        events += len(film.events)
    assert even < found
    assert found > 0.5 * events


def test_question_about_a_long_video_gets_key_frames_with_reasons(crossing: tuple[EventFilm, Path]):
    film, path = crossing
    media = sample_video(path, SamplingOptions(max_frames=8, frame_choice="key"))
    assert media.frame_choice == "key"
    assert (media.frames[0].frame_index, media.frames[-1].frame_index) == (0, film.frames - 1)
    for event in film.events:
        inside = [frame.reason for frame in media.frames if frame.frame_index in event]
        assert inside
        assert set(inside) <= {"motion begins", "motion", "motion ends"}


def test_short_video_is_sampled_evenly(crossing: tuple[EventFilm, Path]):
    """64 frames are less than 0.5 s apart in 30 s, and more in the whole film."""
    film, path = crossing
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert not key_frames.is_long(key_frames.VideoShape(Fraction(FPS), 30 * FPS, stream.start_time or 0), 64)
    media = sample_video(path, SamplingOptions(max_frames=2 * film.frames // FPS + 1, frame_choice="key"))
    assert media.frame_choice == "even"
    assert {frame.reason for frame in media.frames} == {""}


def test_too_long_video_is_compared_where_its_compressed_frames_are_large(
    crossing: tuple[EventFilm, Path], monkeypatch: pytest.MonkeyPatch
):
    film, path = crossing
    monkeypatch.setattr(key_frames, "MAX_COMPARED_MEGAPIXELS", film.frames * 96 * 72 / 4e6)
    media = sample_video(path, SamplingOptions(max_frames=8, frame_choice="key"))
    for event in film.events:
        assert any(frame.frame_index in event for frame in media.frames)


def test_named_time_is_among_the_key_frames(crossing: tuple[EventFilm, Path]):
    _, path = crossing
    options = SamplingOptions(max_frames=8, frame_choice="key", question="What is on the floor at 0:41?")
    named = [frame for frame in sample_video(path, options).frames if frame.reason == "named"]
    assert len(named) == 2
    assert all(abs((frame.time_s or 0) - 41) <= 0.5 for frame in named)


@pytest.mark.parametrize(
    ("question", "spans"),
    [
        ("What happens at 0:12?", [(11.5, 12.5)]),
        ("Where is the cup around 1:02:03?", []),
        ("How far does it roll between 3 s and 5.5 seconds?", [(3, 5.5)]),
        ("Who enters in the last 10 seconds, and at 2 min?", [(119.5, 120), (110, 120)]),
        ("Is it there in the first 4 s?", [(0, 4)]),
        ("Does it fall for 3 seconds, or take 5 s?", []),
        ("How fast is it at 3 m, in m/s?", []),
    ],
)
def test_times_that_a_question_names_are_moments_and_spans_but_not_lengths(
    question: str, spans: list[tuple[float, float]]
):
    assert named_spans(question, 120.0) == spans


@pytest.mark.parametrize("right", [0.0, 0.4, 3.0, 5.3])
def test_moved_camera_and_other_light_are_not_motion_but_an_object_is(right: float):
    after = scene(right) * 0.9 + 4
    assert change_between(scene(), after).motion < 0.02
    after[10:16, 20:26] = 250
    assert change_between(scene(), after).motion > 0.3


def test_other_scene_is_a_cut():
    one, other = (each[:72:2, :96:2] for each in event_film(SEED).scenes)
    assert change_between(one, other).is_cut
    assert not change_between(scene(), scene(2.0)).is_cut


def test_video_without_motion_has_even_key_frames():
    assert key_positions([STILL] * 100, 4) == dict.fromkeys((0, 33, 66, 99), "even")
    assert list(key_positions([STILL] * 3, 8)) == [0, 1, 2]
    assert list(key_positions([STILL] * 100, 1)) == [0]


def test_turns_come_before_the_middle_of_motion():
    moving = [Change(1.0, is_cut=False)] * 10
    changes = [*[STILL] * 40, *moving, *[STILL] * 30, Change(40.0, is_cut=True), *[STILL] * 40]
    assert key_positions(changes, 5) == {0: "even", 40: "motion begins", 80: "cut", 120: "even"} | {
        each: "motion" for each in key_positions(changes, 5) if 40 < each < 50
    }

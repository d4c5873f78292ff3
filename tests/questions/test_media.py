"""Images and videos as frames: scaled, sampled, and refused with the reason."""

import os
import resource
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from questions.media import videos
from questions.media.images import MediaUnreadableError, SamplingOptions, load_images
from questions.media.videos import sample_video
from spatial.key_frames import even_indices

FPS = 25


def png(width: int, height: int) -> bytes:
    file = BytesIO()
    Image.new("RGB", (width, height), "navy").save(file, format="PNG")
    return file.getvalue()


def write_video(path: Path, frames: int, width: int = 64, height: int = 48) -> Path:
    """Write a video whose frame k has the brightness k mod 200."""
    with av.open(str(path), "w") as container:
        options = {"preset": "ultrafast", "crf": "10"}
        stream = container.add_stream("libx264", rate=FPS, options=options)  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for frame in chain(ramp(frames, width, height), [None]):
            container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part
    return path


def ramp(frames: int, width: int, height: int) -> Iterator[av.VideoFrame]:
    for number in range(frames):
        picture = np.full((height, width, 3), 20 + number % 200, np.uint8)
        yield av.VideoFrame.from_ndarray(picture, format="rgb24")


def test_longer_edge_is_scaled_and_options_are_recorded():
    media = load_images([("wide.png", png(2000, 1000)), ("small.png", png(300, 400))])
    assert [(frame.width_px, frame.height_px) for frame in media.frames] == [(768, 384), (300, 400)]
    assert [frame.frame_index for frame in media.frames] == [0, 1]
    assert media.options == SamplingOptions(max_edge_px=768, max_frames=32)
    assert not media.is_video


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ([], "there are no images"),
        ([("cut.png", png(64, 64)[:60])], r"cut\.png cannot be read as an image"),
        ([("text.png", b"no picture")], r"text\.png is not a PNG, JPEG, WEBP, BMP or GIF"),
        ([("empty.png", b"")], r"empty\.png is not a PNG"),
        ([("many.png", png(8, 8))] * 65, "65 images are too many, at most 64"),
    ],
)
def test_unusable_images_are_refused_by_name(files: list[tuple[str, bytes]], problem: str):
    with pytest.raises(MediaUnreadableError, match=problem):
        load_images(files)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_animated_image_is_refused(form: str):
    first, second = (Image.new("RGB", (8, 8), colour) for colour in ("navy", "red"))
    file = BytesIO()
    first.save(file, form, save_all=True, append_images=[second])
    with pytest.raises(MediaUnreadableError, match=r"blink is animated; give one of its frames"):
        load_images([("blink", file.getvalue())])


def test_photograph_of_a_telephone_with_a_second_picture_is_its_first_one():
    file = BytesIO()
    Image.new("RGB", (8, 6), "navy").save(file, "MPO", save_all=True, append_images=[Image.new("RGB", (4, 3))])
    (frame,) = load_images([("photo.jpg", file.getvalue())]).frames
    assert (frame.width_px, frame.height_px) == (8, 6)


def test_image_of_100_megapixels_is_refused_before_it_is_decoded():
    file = BytesIO()
    Image.new("1", (10_000, 10_000)).save(file, format="PNG")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(MediaUnreadableError, match=r"100 megapixels \(10000 x 10000\), at most 50 are read; scale it"):
        load_images([("huge.png", file.getvalue())])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024


def test_decompression_bomb_is_refused():
    file = BytesIO()
    Image.new("1", (30_000, 30_000)).save(file, format="PNG")
    with pytest.raises(MediaUnreadableError, match=r"bomb\.png"):
        load_images([("bomb.png", file.getvalue())])


def test_even_indices_include_first_and_last():
    assert even_indices(100, 4) == [0, 33, 66, 99]
    assert even_indices(3, 32) == [0, 1, 2]
    assert even_indices(1, 32) == [0]


def test_sampled_frames_are_those_of_their_indices(tmp_path: Path):
    media = sample_video(write_video(tmp_path / "ramp.mp4", 150), SamplingOptions(max_frames=8))
    assert media.is_video
    assert (media.fps, media.total_frames) == (FPS, 150)
    assert [frame.frame_index for frame in media.frames] == even_indices(150, 8)
    for frame in media.frames:
        assert frame.time_s == pytest.approx(frame.frame_index / FPS, abs=1e-6)
        shade = np.asarray(Image.open(BytesIO(frame.png)))[24, 32].mean()
        assert shade == pytest.approx(20 + frame.frame_index % 200, abs=3)


def test_video_of_10000_frames_is_sampled_without_decoding_it_into_memory(tmp_path: Path):
    """Decoded whole, it would have 90 MB."""
    path = write_video(tmp_path / "long.mp4", 10_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    media = sample_video(path)
    assert len(media.frames) == 32
    assert media.total_frames == 10_000
    assert media.frames[-1].frame_index == 9_999
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 60 * 1024


@pytest.mark.parametrize("content", [b"", b"not a video", png(64, 48)[:50]])
def test_corrupt_video_is_refused_by_name(tmp_path: Path, content: bytes):
    path = tmp_path / "broken.mp4"
    path.write_bytes(content)
    with pytest.raises(
        MediaUnreadableError, match=r"broken\.mp4 (cannot be read as a video|states neither its length)"
    ):
        sample_video(path)


def test_missing_video_is_refused_by_name(tmp_path: Path):
    with pytest.raises(MediaUnreadableError, match=r"none\.mp4 cannot be read as a video"):
        sample_video(tmp_path / "none.mp4")


def test_cut_video_is_refused_or_gives_only_frames_that_it_has(tmp_path: Path):
    whole = write_video(tmp_path / "whole.mp4", 100).read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MediaUnreadableError, match=r"cut\.mp4"):
        sample_video(cut)


def test_video_whose_end_is_missing_is_refused(tmp_path: Path):
    """Its index comes first, so that its first half could be decoded."""
    path = tmp_path / "streamed.mp4"
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=FPS)  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for frame in chain(ramp(100, 64, 48), [None]):
            container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part
    assert len(sample_video(path).frames) == 32
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    with pytest.raises(MediaUnreadableError, match=r"streamed\.mp4 is cut off: it has \d+ of \d+ bytes"):
        sample_video(path)


def test_video_that_costs_too_much_decoding_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its only key frame is the first frame, so that the last frame needs all before it."""
    monkeypatch.setattr(videos, "MAX_DECODED_MEGAPIXELS", 0.4)
    video = write_video(tmp_path / "one-key-frame.mp4", frames=200)
    assert video.stat().st_size < 100_000
    with pytest.raises(MediaUnreadableError, match=r"one-key-frame\.mp4 needs more than 0.4 megapixels"):
        sample_video(video)


def test_fifo_is_no_video(tmp_path: Path):
    os.mkfifo(tmp_path / "film.mp4")
    with pytest.raises(MediaUnreadableError, match="it is not a file"):
        sample_video(tmp_path / "film.mp4")

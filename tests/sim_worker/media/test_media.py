"""Media of a simulation: video, poster, key frames, animated GLB, trajectory."""

from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence
from sim_worker.media.drawings.film_captions import FilmCaptions
from sim_worker.media.film import VideoFormat
from sim_worker.media.images import CLIP_BYTES, CLIP_PICTURE_MS, CLIP_PICTURES, CLIP_WIDTH_PX, Clip
from sim_worker.media.moments import Moment
from sim_worker.media.motion import NothingToFilmError
from sim_worker.media.renderer import MediaRenderer, SimulationMedia
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

from tests.sim_worker import scenes
from tests.sim_worker.media.glb_validator import Glb, errors

SMALL = VideoFormat(width=160, height=120, pictures_per_s=10)


@pytest.fixture(scope="module")
def simulation() -> SimulationRecord:
    """Return a simulation of a ball on a chute."""
    return Simulator(threads=2).simulate(scenes.chute_scene(), SimulationSettings(replicas=1, seed=0))


@pytest.fixture(scope="module")
def media(simulation: SimulationRecord) -> SimulationMedia:
    """Return all its media."""
    return MediaRenderer(SMALL).render_simulation(simulation)


def decoded(file: bytes) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return the pictures (height, width, rgb) of a film or a PNG."""
    with av.open(BytesIO(file), "r") as opened:
        return [picture.to_ndarray(format="rgb24").astype(np.int64) for picture in opened.decode(video=0)]


def test_video_decodes_and_payload_moves(media: SimulationMedia) -> None:
    film = media.film.video_mp4
    assert film.index(b"moov") < film.index(b"mdat"), "browsers need the index in front"
    with av.open(BytesIO(film), "r") as opened:
        codec = opened.streams.video[0].codec_context
        assert (codec.name, codec.pix_fmt) == ("vp9", "yuv420p")
    pictures = decoded(film)
    assert len(pictures) > 15
    assert all(picture.std() > 10 for picture in pictures)
    assert np.abs(pictures[0] - pictures[len(pictures) // 2]).max() > 60


def test_captions_are_below_the_film_and_change_with_events(media: SimulationMedia) -> None:
    strips = [picture[120:] for picture in decoded(media.film.video_mp4)]
    assert strips[0].shape[1] == 160
    assert strips[0].shape[0] % 2 == 0
    assert all((strip < 128).any() for strip in strips), "each has letters"
    assert np.abs(strips[0] - strips[-1]).max() > 100


def test_caption_has_the_time_of_its_frame() -> None:
    captions = FilmCaptions([Moment(1.0, ("ball: released", "ball: fastest"))], 0.5, 2.0, 160)
    assert captions.text_at(0.54) == ("0.54 s", "")
    assert captions.text_at(1.0) == ("1.00 s", "ball: released; ball: fastest")
    assert captions.text_at(1.62) == ("1.62 s", "since 1.00 s: ball: released; ball: fastest")
    strips = [captions.below(np.zeros((2, 160, 3), np.uint8), time_s) for time_s in (1.2, 1.24, 2.0, 2.6)]
    assert (strips[0] != strips[1]).any()
    assert (strips[2] == strips[3]).all(), "the last picture is held"


def test_clip_repeats_the_film_in_at_most_2_mb(media: SimulationMedia) -> None:
    assert len(media.film.clip_webp) <= CLIP_BYTES
    with Image.open(BytesIO(media.film.clip_webp)) as clip:
        assert (clip.format, clip.width, clip.info["loop"]) == ("WEBP", CLIP_WIDTH_PX, 0)
        shown_ms = 0
        for frame in ImageSequence.Iterator(clip):
            frame.load()
            shown_ms += frame.info["duration"]
    assert shown_ms == CLIP_PICTURE_MS * len(decoded(media.film.video_mp4))


@pytest.mark.full
def test_clip_of_a_long_film_of_noise_fits() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (350, 60, 80, 3), np.uint8)
    clip = Clip(len(noise), pictures_per_s=25)
    assert sum(1 for _ in clip.passing(noise)) == len(noise)
    with Image.open(BytesIO(clip.webp())) as opened:
        assert getattr(opened, "n_frames", 1) <= CLIP_PICTURES


def test_poster_shows_payload_and_goal(media: SimulationMedia) -> None:
    (picture,) = decoded(media.stills.poster_png)
    red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
    assert np.count_nonzero((red > green + 60) & (green > blue + 20)) > 30
    assert np.count_nonzero((green > red + 20) & (green > blue + 10)) > 30


def test_trajectory_opens_in_numpy(media: SimulationMedia) -> None:
    with np.load(BytesIO(media.trajectory_npz), allow_pickle=False) as trajectory:
        samples = len(trajectory["time_s"])
        assert trajectory["payload_mm"].shape == (samples, 3)
        assert trajectory["payload_quaternion"].shape == (samples, 4)
        np.testing.assert_allclose(trajectory["payload_mm"][0], scenes.chute_scene().payload.start_mm, atol=0.001)


def test_glb_has_all_parts_and_payload_tracks(media: SimulationMedia) -> None:
    scene = scenes.chute_scene()
    glb = Glb.read(media.glb)
    document = glb.document
    names = {node["name"] for node in document["nodes"]}
    assert names >= {body.label for body in scene.bodies} | {"goal", "build", "wall_of_fire", "payload", "path"}
    assert any(mesh["primitives"][0].get("mode") == 3 for mesh in document["meshes"])
    tracks = glb.tracks(scene.payload.label)
    times, places = tracks["translation"]
    np.testing.assert_allclose(places[0] * 1000, scene.payload.start_mm, atol=0.01)
    assert np.linalg.norm(places[-1] - places[0]) > 0.3
    assert len(times) == pytest.approx(30 * times[-1], abs=3)
    _, rotations = tracks["rotation"]
    assert (np.sum(rotations[1:] * rotations[:-1], axis=1) > 0).all(), "no viewer turns it the long way round"
    assert glb.tracks("floor") == {}, "what cannot move has no tracks"
    assert {"goal", "forbid", "build", "design", "environment", "payload"} <= {
        node["extras"]["kind"] for node in document["nodes"] if "extras" in node
    }
    translucent = [material for material in document["materials"] if material.get("alphaMode") == "BLEND"]
    assert len(translucent) == 3


def test_glb_is_valid(media: SimulationMedia) -> None:
    assert errors(Glb.read(media.glb)) == []


def test_glb_validator_finds_errors(media: SimulationMedia) -> None:
    glb = Glb.read(media.glb)
    glb.document["accessors"][glb.document["animations"][0]["samplers"][0]["input"]]["max"] = [99.0]
    glb.document["nodes"][0]["rotation"] = [0, 0, 0, 2]
    glb.document["bufferViews"][1]["byteOffset"] += 1
    found = "; ".join(errors(glb))
    assert "wrong bounds" in found
    assert "not a unit quaternion" in found
    assert "not aligned" in found


def test_key_frames_have_captions_of_events(media: SimulationMedia, simulation: SimulationRecord) -> None:
    frames = media.stills.key_frames
    assert 3 <= len(frames) <= 8
    times = [frame.time_s for frame in frames]
    assert times == sorted(times)
    captions = " | ".join(frame.caption for frame in frames)
    assert "0.00 s  payload: released" in captions
    assert "payload: touches floor (0.87" in captions
    assert "payload: enters goal" in captions
    assert f"{simulation.result.nominal.time_s:.2f} s  payload: decided, reached goal" in captions
    pictures = [decoded(frame.png)[0] for frame in frames]
    assert all(picture.shape[1:] == (160, 3) and picture[:120].std() > 10 for picture in pictures)
    assert np.abs(pictures[0][:120] - pictures[-1][:120]).max() > 60


def test_captions_are_below_the_key_frames(media: SimulationMedia) -> None:
    pictures = [decoded(frame.png)[0] for frame in media.stills.key_frames]
    assert len({picture.shape for picture in pictures}) == 1, "all strips are equally high"
    for picture in pictures:
        strip = picture[120:]
        assert np.all(strip[[0, -1]] == 255)
        assert (strip < 220).any(), "the strip has letters"


def test_contact_sheet_has_all_key_frames_at_half_size(media: SimulationMedia) -> None:
    (sheet,) = decoded(media.stills.contact_sheet_png)
    count = len(media.stills.key_frames)
    rows = -(-count // 3)
    assert sheet.shape[1] == 240
    assert sheet.shape[0] % rows == 0
    assert sheet.shape[0] > 60 * rows
    first, (large,) = sheet[:60, :80], decoded(media.stills.key_frames[0].png)
    assert np.abs(first - large[:120].reshape(60, 2, 80, 2, 3).mean(axis=(1, 3))).max() <= 1


def test_media_of_a_window_cover_it_alone(simulation: SimulationRecord) -> None:
    media = MediaRenderer(SMALL).render_simulation(simulation, (0.6, 1.0))
    assert all(0.6 <= frame.time_s <= 1.0 for frame in media.stills.key_frames)
    times, _ = Glb.read(media.glb).tracks("payload")["translation"]
    assert (times[0], times[-1]) == pytest.approx((0.6, 1.0), abs=0.02)
    with pytest.raises(NothingToFilmError, match=r"the run goes from 0 s to 1\.7"):
        MediaRenderer(SMALL).render_simulation(simulation, (50.0, 60.0))

"""What people look at is really there: film, poster, key frames, animated GLB, trajectory."""

from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest
from sim_worker.media.film import Format
from sim_worker.media.motion import NothingToFilmError
from sim_worker.media.studio import Shown, Studio
from sim_worker.simulator import SimulationRun, SimulationSettings, Simulator

from tests.sim_worker import scenes
from tests.sim_worker.gltf_checking import Glb, faults

SMALL = Format(width=160, height=120, pictures_per_s=10)


@pytest.fixture(scope="module")
def experiment() -> SimulationRun:
    """A ball on a chute."""
    return Simulator(threads=2).run(scenes.chute_scene(), SimulationSettings(replicas=1, seed=0))


@pytest.fixture(scope="module")
def shown(experiment: SimulationRun) -> Shown:
    """All media of it."""
    return Studio(SMALL).show(experiment)


def decoded(file: bytes) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return the pictures (height, width, rgb) of a film or a PNG."""
    with av.open(BytesIO(file), "r") as opened:
        return [picture.to_ndarray(format="rgb24").astype(np.int64) for picture in opened.decode(video=0)]


def test_the_film_decodes_is_not_blank_and_the_payload_moves(shown: Shown) -> None:
    film = shown.video_mp4
    assert film.index(b"moov") < film.index(b"mdat"), "browsers want the index in front"
    with av.open(BytesIO(film), "r") as opened:
        codec = opened.streams.video[0].codec_context
        assert (codec.name, codec.pix_fmt) == ("h264", "yuv420p")
    pictures = decoded(film)
    assert len(pictures) > 15
    assert all(picture.std() > 10 for picture in pictures)
    assert np.abs(pictures[0] - pictures[len(pictures) // 2]).max() > 60


def test_the_poster_shows_the_payload_s_orange_and_the_goal_s_green(shown: Shown) -> None:
    (picture,) = decoded(shown.stills.poster_png)
    red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
    assert np.count_nonzero((red > green + 60) & (green > blue + 20)) > 30
    assert np.count_nonzero((green > red + 20) & (green > blue + 10)) > 30


def test_the_trajectory_opens_in_numpy(shown: Shown) -> None:
    with np.load(BytesIO(shown.trajectory_npz), allow_pickle=False) as trajectory:
        samples = len(trajectory["time_s"])
        assert trajectory["payload_mm"].shape == (samples, 3)
        assert trajectory["payload_quaternion"].shape == (samples, 4)
        np.testing.assert_allclose(trajectory["payload_mm"][0], scenes.chute_scene().payload.start_mm, atol=0.001)


def test_a_loader_finds_every_part_and_a_payload_that_moves_and_turns(shown: Shown) -> None:
    scene = scenes.chute_scene()
    glb = Glb.read(shown.glb)
    document = glb.document
    names = {node["name"] for node in document["nodes"]}
    assert names >= {body.label for body in scene.bodies} | {"goal", "build", "wall_of_fire", "payload", "way"}
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


def test_nothing_is_wrong_with_the_glb_by_the_specification(shown: Shown) -> None:
    assert faults(Glb.read(shown.glb)) == []


def test_the_check_of_glbs_sees_faults(shown: Shown) -> None:
    glb = Glb.read(shown.glb)
    glb.document["accessors"][glb.document["animations"][0]["samplers"][0]["input"]]["max"] = [99.0]
    glb.document["nodes"][0]["rotation"] = [0, 0, 0, 2]
    glb.document["bufferViews"][1]["byteOffset"] += 1
    found = "; ".join(faults(glb))
    assert "other bounds" in found
    assert "a rotation that is none" in found
    assert "not aligned" in found


def test_key_frames_show_what_happened_when(shown: Shown, experiment: SimulationRun) -> None:
    frames = shown.stills.key_frames
    assert 3 <= len(frames) <= 8
    times = [frame.time_s for frame in frames]
    assert times == sorted(times)
    captions = " | ".join(frame.caption for frame in frames)
    assert "0.00 s  payload: released" in captions
    assert "payload: touches floor (0.87" in captions
    assert "payload: enters goal" in captions
    assert f"{experiment.result.nominal.time_s:.2f} s  payload: decided, reached goal" in captions
    pictures = [decoded(frame.png)[0] for frame in frames]
    assert all(picture.shape == (120, 160, 3) and picture.std() > 10 for picture in pictures)
    assert np.abs(pictures[0] - pictures[-1]).max() > 60


def test_the_contact_sheet_holds_every_key_frame_half_as_large(shown: Shown) -> None:
    (sheet,) = decoded(shown.stills.contact_sheet_png)
    count = len(shown.stills.key_frames)
    assert sheet.shape == (60 * -(-count // 3), 240, 3)
    first, (large,) = sheet[:60, :80], decoded(shown.stills.key_frames[0].png)
    assert np.abs(first - large.reshape(60, 2, 80, 2, 3).mean(axis=(1, 3))).max() <= 1


def test_a_window_of_a_run_is_shown_alone(experiment: SimulationRun) -> None:
    shown = Studio(SMALL).show(experiment, (0.6, 1.0))
    assert all(0.6 <= frame.time_s <= 1.0 for frame in shown.stills.key_frames)
    times, _ = Glb.read(shown.glb).tracks("payload")["translation"]
    assert (times[0], times[-1]) == pytest.approx((0.6, 1.0), abs=0.02)
    with pytest.raises(NothingToFilmError, match=r"the run goes from 0 s to 1\.7"):
        Studio(SMALL).show(experiment, (50.0, 60.0))

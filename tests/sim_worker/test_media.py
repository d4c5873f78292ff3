"""What people look at is really there: film, poster, animated GLB, trajectory."""

import json
import struct
from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest
from sim_worker.filming import Format
from sim_worker.laboratory import Laboratory, Shown, Trial

from tests.sim_worker import scenes


@pytest.fixture(scope="module")
def shown() -> Shown:
    """All media of a ball on a chute."""
    laboratory = Laboratory(threads=2, form=Format(width=160, height=120, pictures_per_s=10))
    return laboratory.show(laboratory.run(scenes.chute_scene(), Trial(replicas=1, seed=0)))


def decoded(file: bytes) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Return the pictures (height, width, rgb) of a film or a PNG."""
    with av.open(BytesIO(file), "r") as opened:
        return [picture.to_ndarray(format="rgb24").astype(np.int64) for picture in opened.decode(video=0)]


def test_the_film_decodes_is_not_blank_and_the_payload_moves(shown: Shown) -> None:
    film = shown.film.video_mp4
    assert film.index(b"moov") < film.index(b"mdat"), "browsers want the index in front"
    with av.open(BytesIO(film), "r") as opened:
        codec = opened.streams.video[0].codec_context
        assert (codec.name, codec.pix_fmt) == ("h264", "yuv420p")
    pictures = decoded(film)
    assert len(pictures) > 15
    assert all(picture.std() > 10 for picture in pictures)
    assert np.abs(pictures[0] - pictures[len(pictures) // 2]).max() > 60


def test_the_poster_shows_the_payload_s_orange_and_the_goal_s_green(shown: Shown) -> None:
    (picture,) = decoded(shown.film.poster_png)
    red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
    assert np.count_nonzero((red > green + 60) & (green > blue + 20)) > 30
    assert np.count_nonzero((green > red + 20) & (green > blue + 10)) > 30


def test_the_trajectory_opens_in_numpy(shown: Shown) -> None:
    with np.load(BytesIO(shown.trajectory_npz)) as trajectory:
        samples = len(trajectory["time_s"])
        assert trajectory["payload_mm"].shape == (samples, 3)
        assert trajectory["payload_quaternion"].shape == (samples, 4)
        np.testing.assert_allclose(trajectory["payload_mm"][0], scenes.chute_scene().payload.start_mm, atol=0.001)


def glb_parts(glb: bytes) -> tuple[dict[str, Any], bytes]:
    magic, version, length = struct.unpack_from("<4sII", glb)
    assert (magic, version, length) == (b"glTF", 2, len(glb))
    words, kind = struct.unpack_from("<I4s", glb, 12)
    assert kind == b"JSON"
    size, kind = struct.unpack_from("<I4s", glb, 20 + words)
    assert (kind, 28 + words + size) == (b"BIN\0", len(glb))
    return json.loads(glb[20 : 20 + words]), glb[28 + words :]


def numbers(document: dict[str, Any], buffer: bytes, accessor: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    described = document["accessors"][accessor]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[described["type"]]
    view = document["bufferViews"][described["bufferView"]]
    assert view["byteOffset"] % 4 == 0
    found = np.frombuffer(buffer, "<f4", described["count"] * width, view["byteOffset"])
    return found.reshape(-1, width)


def test_a_loader_finds_every_part_and_a_payload_that_moves_and_turns(shown: Shown) -> None:
    scene = scenes.chute_scene()
    document, buffer = glb_parts(shown.glb)
    names = {node["name"] for node in document["nodes"]}
    assert names >= {body.label for body in scene.bodies} | {"goal", "build", "wall_of_fire", "payload", "way"}
    assert any(mesh["primitives"][0].get("mode") == 3 for mesh in document["meshes"])
    (animation,) = document["animations"]
    moves, turns = animation["channels"]
    assert (moves["target"]["path"], turns["target"]["path"]) == ("translation", "rotation")
    assert document["nodes"][moves["target"]["node"]]["name"] == scene.payload.label
    places = numbers(document, buffer, animation["samplers"][0]["output"])
    np.testing.assert_allclose(places[0] * 1000, scene.payload.start_mm, atol=0.01)
    assert np.linalg.norm(places[-1] - places[0]) > 0.3
    rotations = numbers(document, buffer, animation["samplers"][1]["output"])
    np.testing.assert_allclose(np.linalg.norm(rotations, axis=1), 1.0, atol=1e-5)
    assert (np.sum(rotations[1:] * rotations[:-1], axis=1) > 0).all(), "no viewer turns it the long way round"
    times = numbers(document, buffer, animation["samplers"][0]["input"])
    assert (np.diff(times[:, 0]) > 0).all()
    assert {"goal", "forbid", "build", "design", "environment", "payload"} <= {
        node["extras"]["kind"] for node in document["nodes"] if "extras" in node
    }
    translucent = [material for material in document["materials"] if material.get("alphaMode") == "BLEND"]
    assert len(translucent) == 3

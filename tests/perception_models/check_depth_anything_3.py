"""Depth Anything 3 with the publisher's network, on a CPU: `./run test-perception`."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# torch has no types here

import asyncio
import json
import sys
from base64 import b64encode
from collections.abc import Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from perception_server.calls.answers import CallAnswer
from perception_server.calls.batch_queue import BatchQueue
from perception_server.calls.engine import Engine
from perception_server.calls.protocol import CALL, Call
from perception_server.models import depth_anything_3
from perception_server.models.depth_anything_3 import (
    FOCAL_OF_METRES,
    SKY,
    DepthAnything3,
    DepthAnything3Meter,
    configuration,
    network,
)
from perception_server.models.interface import Cameras, ModelError, Placement, Views
from perception_server.models.libraries import safe_tensors, torch
from perception_server.models.many_views import MeasuredScale, nearest_of
from PIL import Image
from spatial.array_codec import decode
from spatial.arrays import Bytes

from tests.perception_models.tiny import small_metric, tiny_meter, tiny_nested, tiny_views

HEIGHT, WIDTH = 50, 71


@pytest.fixture(autouse=True)
def small_pictures(monkeypatch: pytest.MonkeyPatch):
    """The model sees 98 x 70 pixels in place of 504 x 350."""
    monkeypatch.setattr(depth_anything_3, "LONGEST_PX", 98)


@pytest.fixture(scope="module")
def views() -> DepthAnything3:
    return tiny_views()


@pytest.fixture(scope="module")
def meter() -> DepthAnything3Meter:
    return tiny_meter()


def scene(count: int, seed: int = 0) -> Views:
    generator = np.random.default_rng(seed)
    return Views(tuple(generator.integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8) for _ in range(count)))


def require_same(found: Cameras, expected: Cameras) -> None:
    for name in ("depth", "confidence", "intrinsics", "extrinsics"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-4, abs=1e-4)


def test_views_have_the_size_of_the_pictures_and_no_unit(views: DepthAnything3):
    [cameras] = views.reconstruct([scene(4)])
    assert cameras.depth.shape == cameras.confidence.shape == (4, HEIGHT, WIDTH)
    assert cameras.depth.dtype == np.float32
    assert (cameras.depth > 0).all()
    assert ((cameras.confidence > 0) & (cameras.confidence < 1)).all()
    assert cameras.intrinsics[:, 2:].tolist() == [[WIDTH / 2 - 0.5, HEIGHT / 2 - 0.5]] * 4
    rotations = cameras.extrinsics[:, :3, :3]
    assert rotations @ rotations.transpose(0, 2, 1) == pytest.approx(np.tile(np.eye(3), (4, 1, 1)), abs=1e-5)
    assert not cameras.is_metric


def test_extrinsics_are_the_inverse_of_the_network_s(views: DepthAnything3):
    pictures = scene(3)
    [cameras] = views.reconstruct([pictures])
    theirs = views.seen([pictures.pictures])["extrinsics"][0].numpy()
    assert theirs.shape == (3, 3, 4)
    assert np.linalg.inv(cameras.extrinsics)[:, :3] == pytest.approx(theirs, abs=1e-5)


def test_scenes_of_a_batch_are_those_of_single_calls(views: DepthAnything3):
    scenes = [scene(3, seed) for seed in range(3)]
    for one, found in zip(scenes, views.reconstruct(scenes), strict=True):
        require_same(found, views.reconstruct([one])[0])


def test_views_keep_their_order_where_the_network_chooses_another_first_one(views: DepthAnything3):
    """With three or more, it puts a view of its choice first, and must give them back as they came."""
    pictures = scene(5).pictures
    forward, backward = (views.reconstruct([Views(each)])[0] for each in (pictures, pictures[::-1]))
    assert forward.depth == pytest.approx(backward.depth[::-1], rel=1e-3)


def test_nine_views_and_more_are_as_many(views: DepthAnything3):
    """The head takes eight at a time."""
    assert [len(each.depth) for each in views.reconstruct([scene(9), scene(9, 1)])] == [9, 9]


def test_metric_model_measures_by_the_focal_length(meter: DepthAnything3Meter):
    pictures = scene(3).pictures
    near, far = meter.depths(pictures, [40.0, 40.0, 40.0]), meter.depths(pictures, [40.0, 80.0, 40.0])
    assert near.shape == (3, HEIGHT, WIDTH)
    assert near.dtype == np.float32
    assert far == pytest.approx(near * np.array([1, 2, 1])[:, None, None])
    out = meter.seen([pictures])
    known = np.where(out["sky"][0].numpy() < SKY, out["depth"][0].numpy(), 0)
    rows, columns = nearest_of((70, 98), (HEIGHT, WIDTH))
    assert near == pytest.approx(known[:, rows, columns] * 40 * 98 / WIDTH / FOCAL_OF_METRES)


def test_scene_is_in_metres_by_both_models(views: DepthAnything3, meter: DepthAnything3Meter):
    pictures = scene(6)
    [found], [plain] = MeasuredScale(views, meter, "metre").reconstruct([pictures]), views.reconstruct([pictures])
    scale = found.depth.mean() / plain.depth.mean()
    assert found.is_metric
    assert found.extrinsics[:, :3, 3] == pytest.approx(scale * plain.extrinsics[:, :3, 3], rel=1e-4)
    assert "metres by metre from 4 picture(s)" in found.notes[0]


def test_nested_model_is_metric_and_does_not_mix_the_scales_of_scenes():
    nested = tiny_nested()
    scenes = [scene(2, seed) for seed in range(2)]
    for one, found in zip(scenes, nested.reconstruct(scenes), strict=True):
        assert found.is_metric
        require_same(found, nested.reconstruct([one])[0])


@pytest.mark.parametrize("kind", ["views", "meter"])
def test_weights_as_published_are_loaded(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Their names begin with `model.`, and config.json names the preset."""
    model = tiny_views() if kind == "views" else tiny_meter()
    save(model.net, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"model_name": "da3-small"}))
    monkeypatch.setattr(
        depth_anything_3, "configuration", configuration if kind == "views" else lambda _: small_metric()
    )
    placement = Placement(tmp_path, "cpu", 60.0)
    found = depth_anything_3.load(placement) if kind == "views" else depth_anything_3.load_meter(placement)
    expected, loaded = model.net.state_dict(), found.net.state_dict()
    assert all(torch.equal(loaded[name], each) for name, each in expected.items())


def test_weights_that_lack_a_part_are_refused(tmp_path: Path):
    net = network(configuration("da3-small"))
    net.cam_dec.fc_t = torch.nn.Identity()
    save(net, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"model_name": "da3-small"}))
    with pytest.raises(ModelError, match=r"lack 2 parts of da3-small, such as model\.cam_dec\.fc_t\.bias"):
        depth_anything_3.load(Placement(tmp_path, "cpu", 60.0))


def save(net: Any, file: Path) -> None:
    """Save weights as the publisher does: those that layers share once."""
    whole = torch.nn.Module()
    whole.model = net
    safe_tensors.save_model(whole, file)


@pytest.mark.parametrize(
    ("config", "problem"),
    [(None, "has no weights"), ("{}", "has no weights"), ('{"model_name": "da9"}', "no model da9")],
)
def test_folder_without_such_weights_is_refused(config: str | None, problem: str, tmp_path: Path):
    safe_tensors.save_file({}, tmp_path / "model.safetensors")
    if config is not None:
        (tmp_path / "config.json").write_text(config)
    with pytest.raises(ModelError, match=problem):
        depth_anything_3.load(Placement(tmp_path, "cpu", 60.0))


def test_wheel_that_is_missing_is_named_with_the_commands(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "depth_anything_3.cfg", None)
    with pytest.raises(ModelError, match=r"pip install --no-deps depth-anything-3==0\.1\.1"):
        configuration("da3-small")


def test_network_needs_none_of_the_packages_that_its_wheel_asks_for():
    assert network(configuration("da3-small")) is not None
    assert [name for name in ("open3d", "xformers", "moviepy", "e3nn") if find_spec(name)] == []


def test_two_sessions_share_a_batch_and_full_memory_halves_it(views: DepthAnything3, monkeypatch: pytest.MonkeyPatch):
    sizes, whole = list[int](), views.net.forward

    def forward(pixels: Sequence[object]) -> object:
        sizes.append(len(pixels))
        if len(pixels) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return whole(pixels)

    monkeypatch.setattr(views.net, "forward", forward)
    calls = [CALL.validate_json(request_of(scene(3, seed).pictures)) for seed in (0, 1)]
    answers = asyncio.run(answers_of(Engine(views, None), calls))
    assert sizes == [2, 1, 1]
    for answer, seed in zip(answers, (0, 1), strict=True):
        result = decode(answer.body)["result"]
        assert result["is_metric"] is False
        assert result["depth"] == pytest.approx(views.reconstruct([scene(3, seed)])[0].depth, rel=1e-4)


async def answers_of(engine: Engine, calls: Sequence[Call]) -> list[CallAnswer]:
    queue = BatchQueue(engine.answer, 10**7)
    queue.start()
    try:
        return await asyncio.gather(*(queue.answer(call) for call in calls))
    finally:
        await queue.stop()


def request_of(pictures: Sequence[Bytes]) -> bytes:
    """Return a request as perception-worker sends it."""
    images: list[str] = []
    for picture in pictures:
        file = BytesIO()
        Image.fromarray(picture).save(file, "PNG")
        images.append(b64encode(file.getvalue()).decode())
    kwargs = {"images": images, "frame_indices": list(range(len(images))), "align": "ground"}
    call = {"version": 1, "answer_version": 1, "deployment": "spatial_Reconstruct", "method": "reconstruct"}
    return json.dumps({**call, "kwargs": kwargs}).encode()

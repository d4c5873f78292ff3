"""Adapters with the real classes of their libraries, on a CPU: `./run test-perception`."""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false
# the hub's client is part of the extra `models`

from pathlib import Path
from types import SimpleNamespace

import httpx2
import huggingface_hub
import numpy as np
import pytest
from contracts.events.perception import Prompt, TextPrompt
from perception_server.models import depth_anything_2
from perception_server.models import sam3 as sam3_module
from perception_server.models.depth_anything_2 import UNKNOWN, DepthAnything
from perception_server.models.interface import (
    AbandonedError,
    ModelError,
    OutOfMemoryError,
    Placement,
    Prompted,
    Views,
)
from perception_server.models.libraries import inference, torch
from perception_server.models.registry import adapters
from perception_server.models.sam3 import Sam3
from perception_server.weights import fetch, folder_of, note_of
from spatial.arrays import unpack_masks

from tests.perception_models.pictures import BITS, BOX, HEIGHT, POINT, WIDTH, pictures, prompted
from tests.perception_models.tiny import tiny_depth_anything, tiny_sam3

CARD = adapters()["sam3"].card
CUBE, BALL = TextPrompt(kind="text", text="cube"), TextPrompt(kind="text", text="ball")


@pytest.fixture(scope="module")
def depth_anything() -> DepthAnything:
    return tiny_depth_anything()


@pytest.fixture(scope="module")
def sam3() -> Sam3:
    return tiny_sam3()


def test_depth_has_the_size_of_the_picture_and_is_metric(depth_anything: DepthAnything):
    [cameras] = depth_anything.reconstruct([Views(pictures(1))])
    assert cameras.depth.shape == cameras.confidence.shape == (1, HEIGHT, WIDTH)
    assert cameras.depth.dtype == cameras.confidence.dtype == np.float32
    assert 0 < cameras.depth.max() <= 20
    assert set(np.unique(cameras.confidence)) <= {0, UNKNOWN}
    fx, fy, cx, cy = cameras.intrinsics[0]
    assert np.rad2deg(2 * np.arctan(WIDTH / 2 / fx)) == pytest.approx(60)
    assert (fx, cx, cy) == (fy, WIDTH / 2 - 0.5, HEIGHT / 2 - 0.5)


def test_focal_length_that_a_photo_states_is_that_of_its_camera(depth_anything: DepthAnything):
    stated, assumed = depth_anything.reconstruct([Views(pictures(1), (88.0,)), Views(pictures(1), (None,))])
    assert stated.intrinsics[0, :2].tolist() == [88.0, 88.0]
    assert np.rad2deg(2 * np.arctan(WIDTH / 2 / assumed.intrinsics[0, 0])) == pytest.approx(60)


def test_depths_of_a_batch_are_those_of_single_pictures_in_their_order(depth_anything: DepthAnything):
    scenes = [Views((each,)) for each in pictures(3)]
    together = depth_anything.reconstruct(scenes)
    for scene, found in zip(scenes, together, strict=True):
        [alone] = depth_anything.reconstruct([scene])
        assert found.depth == pytest.approx(alone.depth, abs=0.01)
    assert not np.allclose(together[0].depth, together[1].depth, atol=0.1)


def test_depth_anything_is_loaded_from_a_folder(depth_anything: DepthAnything, tmp_path: Path):
    depth_anything.model.save_pretrained(tmp_path)
    depth_anything.processor.save_pretrained(tmp_path)
    [expected], [found] = (
        each.reconstruct([Views(pictures(1))])
        for each in (depth_anything, depth_anything_2.load(Placement(tmp_path, "cpu", 60.0)))
    )
    assert (found.depth == expected.depth).all()


def test_sam3_is_loaded_from_a_folder_with_the_parts_of_its_tracker(sam3: Sam3, tmp_path: Path):
    """The weights are those of the model of videos, as publishers have them."""
    sam3.video.save_pretrained(tmp_path)
    sam3.video_processor.save_pretrained(tmp_path)
    loaded = sam3_module.load(Placement(tmp_path, "cpu", 60.0))
    [expected], [found] = (each.detect([prompted(1, CUBE)]) for each in (sam3, loaded))
    assert found.scores == expected.scores
    assert (found.bits == expected.bits).all()
    saved, tracker = sam3.video.state_dict(), loaded.tracker.model.state_dict()
    parts = {f"{part}.{name}": name for name in tracker for part in ("tracker_model", "detector_model")}
    same = {name: torch.equal(saved[full], tracker[name]) for full, name in parts.items() if full in saved}
    assert len(same) > 200
    assert {name.split(".")[1] for name, is_same in same.items() if not is_same} <= {"neck"}  # the tracker has its own
    assert loaded.track(prompted(2, BOX)).bits.shape == (2, 1, BITS)


def test_relative_weights_are_refused():
    with pytest.raises(ModelError, match="take metric ones"):
        tiny_depth_anything("relative")


def test_texts_of_a_batch_are_found_as_one_by_one(sam3: Sam3):
    requests = [Prompted((each,), (text,), 0, 0.0) for each, text in zip(pictures(3), (CUBE, BALL, CUBE), strict=True)]
    together = sam3.detect(requests)
    for request, found in zip(requests, together, strict=True):
        [alone] = sam3.detect([request])
        assert found.bits.shape == alone.bits.shape == (1, 2, BITS)
        assert np.mean(_masks(found.bits) != _masks(alone.bits)) < 0.01
        assert found.scores == pytest.approx(alone.scores, abs=1e-4)
    assert [each.labels for each in together] == [("cube",) * 2, ("ball",) * 2, ("cube",) * 2]


def test_nothing_found_has_masks_of_the_picture(sam3: Sam3):
    [found] = sam3.detect([prompted(1, CUBE, threshold=1.0)])
    assert found.bits.shape == (1, 0, BITS)
    assert found.scores == ()


@pytest.mark.parametrize("prompt", [POINT, BOX], ids=lambda each: each.kind)
def test_point_and_box_are_one_object_of_a_picture(sam3: Sam3, prompt: Prompt):
    [found, text] = sam3.detect([prompted(1, prompt), prompted(1, BALL)])
    assert found.bits.shape == (1, 1, BITS)
    assert (found.labels, found.prompts) == (("object",), (0,))
    assert 0 <= found.scores[0] <= 1
    assert text.labels == ("ball", "ball")


def test_video_has_texts_and_places_with_the_prompts_that_found_them(sam3: Sam3):
    found = sam3.track(prompted(4, BOX, CUBE, POINT, prompt_frame=2))
    assert found.bits.shape == (4, len(found.labels), BITS)
    assert set(found.prompts) == {0, 1, 2}
    assert all(
        label == ("cube" if prompt == 1 else "object")
        for label, prompt in zip(found.labels, found.prompts, strict=False)
    )
    assert found.prompts.count(0) == found.prompts.count(2) == 1


def test_video_that_is_not_wanted_any_more_is_abandoned(sam3: Sam3):
    asked: list[int] = []

    def is_wanted() -> bool:
        asked.append(1)
        return len(asked) < 2

    with pytest.raises(AbandonedError):
        sam3.track(Prompted(pictures(4), (BOX,), 0, 0.0, is_wanted))
    assert len(asked) == 2


def test_full_device_is_an_error_of_its_own():
    with pytest.raises(OutOfMemoryError, match="CUDA out of memory"), inference():
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\nmore")


def test_fetched_weights_have_the_commit_of_the_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: SimpleNamespace(sha="0123abc"))
    monkeypatch.setattr(
        huggingface_hub, "snapshot_download", lambda name, revision, local_dir, **_: asked.append((name, revision))
    )
    folder_of(CARD, tmp_path).mkdir()
    assert fetch(CARD, tmp_path) == note_of(CARD, tmp_path)
    assert asked == [(CARD.repository, "0123abc")]
    assert note_of(CARD, tmp_path).revision == "0123abc"


def test_hub_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def refuse(*_: object, **__: object) -> None:
        raise httpx2.ConnectError("no route")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", refuse)
    with pytest.raises(ModelError, match="cannot be downloaded from facebook/sam3: no route"):
        fetch(CARD, tmp_path)


def _masks(bits: np.ndarray) -> np.ndarray:
    return unpack_masks(bits, np.array([*bits.shape[:2], HEIGHT, WIDTH]))

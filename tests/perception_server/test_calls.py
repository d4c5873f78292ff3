"""Calls over HTTP by perception-worker's client, and by clients that break the protocol."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from threading import Event
from typing import Any

import httpx
import numpy as np
import pytest
from artifacts.port import reference
from contracts.events.perception import PointsPrompt, Reconstruct, SegmentImage, SegmentVideo, TextPrompt
from contracts.models.questions.frames import FrameRef
from perception_worker.gpu.backend import GpuBackend
from perception_worker.gpu.client import GpuClient
from perception_worker.gpu.servers import Servers
from perception_worker.results import UP_TO_SCALE, PackedFrames, ReconstructedFrames, RefusedError
from PIL import Image
from spatial.array_codec import decode
from spatial.arrays import unpack_arrays, unpack_masks

from tests.support.questions.perception_server import TOKEN, BrightPixels, FlatDepth, perception_server

WIDTH, HEIGHT = 33, 20
BALL = TextPrompt(kind="text", text="ball")


def picture(number: int, width: int = WIDTH) -> bytes:
    """Return a PNG, black but for its first `number + 1` columns."""
    pixels = np.zeros((HEIGHT, width, 3), np.uint8)
    pixels[:, : number + 1] = 255
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


PICTURES = [picture(number) for number in range(4)]
FILES = {reference(each, "image/png").sha256: each for each in PICTURES}
FRAMES = tuple(
    FrameRef(
        picture=reference(each, "image/png"),
        frame_index=10 * number,
        time_s=number,
        width_px=WIDTH,
        height_px=HEIGHT,
        source=None,
    )
    for number, each in enumerate(PICTURES)
)


def call(method: str = "detect", images: list[bytes] | None = None, **kwargs: object) -> dict[str, Any]:
    """Return a request as the worker sends it."""
    chosen = PICTURES[:1] if images is None else images
    arguments: dict[str, object] = {
        "images": [b64encode(each).decode() for each in chosen],
        "frame_indices": list(range(len(chosen))),
    }
    if method == "reconstruct":
        return {**_head("spatial_Reconstruct", method), "kwargs": {**arguments, "align": "ground", **kwargs}}
    arguments |= {"prompts": [{"kind": "text", "text": "ball"}], "prompt_frame": 0, "confidence_threshold": 0.3}
    return {**_head("spatial_SAM3", method), "kwargs": {**arguments, **kwargs}}


def _head(deployment: str, method: str) -> dict[str, object]:
    return {"version": 1, "deployment": deployment, "method": method}


@asynccontextmanager
async def worker(address: str, token: str = TOKEN) -> AsyncGenerator[GpuBackend]:
    client = GpuClient(Servers((address,)), token, call_s=20, wait_s=0)
    try:
        yield GpuBackend(client)
    finally:
        await client.stop()


@asynccontextmanager
async def http(address: str, token: str = TOKEN) -> AsyncGenerator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=20, trust_env=False) as client:
        yield client


async def test_worker_gets_masks_of_a_picture():
    async with perception_server(segmenter=BrightPixels()) as address, worker(address) as gpu:
        found = await gpu.answer(SegmentImage(kind="segment_image", frame=FRAMES[2], prompt=BALL), FILES)
    masks = unpack_masks(*unpack_arrays(found.packed(), "masks", "shape"))
    assert masks.shape == (1, 1, HEIGHT, WIDTH)
    assert masks[0, 0, :, :3].all()
    assert not masks[0, 0, :, 3:].any()


async def test_worker_gets_masks_of_a_video_with_absolute_indices():
    can = PointsPrompt(kind="points", foreground=((1.0, 1.0),))
    operation = SegmentVideo(kind="segment_video", frames=FRAMES, prompts=(can, BALL), prompt_frame_index=20)
    async with perception_server(segmenter=BrightPixels()) as address, worker(address) as gpu:
        found = await gpu.answer(operation, FILES)
    masks = unpack_masks(*unpack_arrays(found.packed(), "masks", "shape"))
    assert isinstance(found, PackedFrames)
    assert found.frame_indices == (0, 10, 20, 30)
    assert masks.sum(axis=(1, 2, 3)).tolist() == [HEIGHT, 2 * HEIGHT, 3 * HEIGHT, 4 * HEIGHT]
    assert [(each.label, each.prompt, each.score) for each in found.objects] == [("ball", 1, 0.75)]


async def test_worker_gets_depth_and_cameras():
    async with perception_server(FlatDepth()) as address, worker(address) as gpu:
        found = await gpu.answer(Reconstruct(kind="reconstruct", frames=FRAMES), FILES)
    assert isinstance(found, ReconstructedFrames)
    assert (found.depth == 2).all()
    assert (found.confidence == 255).all()
    assert found.extrinsics[0, :3, 2] == pytest.approx([0, 0, -1])
    assert found.gravity_direction == (0, -1, 0)


async def test_scene_without_a_unit_reaches_the_worker_with_what_is_missing():
    model = FlatDepth(is_metric=False, notes=("the metric model measures too little",))
    async with perception_server(model) as address, worker(address) as gpu:
        found = await gpu.answer(Reconstruct(kind="reconstruct", frames=FRAMES), FILES)
    assert isinstance(found, ReconstructedFrames)
    assert not found.is_metric
    assert found.notes == (UP_TO_SCALE, "the metric model measures too little")


async def test_notes_of_a_metric_scene_reach_the_worker():
    async with perception_server(FlatDepth(notes=("metres by another model",))) as address, worker(address) as gpu:
        found = await gpu.answer(Reconstruct(kind="reconstruct", frames=FRAMES), FILES)
    assert isinstance(found, ReconstructedFrames)
    assert found.is_metric
    assert found.notes == ("metres by another model",)


async def test_focal_length_that_a_photo_states_reaches_the_model():
    stated = tuple(each.model_copy(update={"focal_px": 43.5}) for each in FRAMES[:1])
    async with perception_server(FlatDepth()) as address, worker(address) as gpu:
        found = await gpu.answer(Reconstruct(kind="reconstruct", frames=stated), FILES)
        assumed = await gpu.answer(Reconstruct(kind="reconstruct", frames=FRAMES[:1]), FILES)
    assert isinstance(found, ReconstructedFrames)
    assert isinstance(assumed, ReconstructedFrames)
    assert (found.intrinsics[0].fx, assumed.intrinsics[0].fx) == (43.5, WIDTH)


async def test_wrong_token_is_refused_before_the_request_is_read():
    async with perception_server(segmenter=BrightPixels()) as address, http(address, "wrong") as client:
        assert (await client.post("/call", content=b"no JSON")).status_code == 401
        async with worker(address, "wrong") as gpu:
            with pytest.raises(RefusedError, match="check PERCEPTION_GPU_TOKEN"):
                await gpu.answer(SegmentImage(kind="segment_image", frame=FRAMES[0], prompt=BALL), FILES)


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({}, "method"),
        ({**call(), "version": 3}, "version"),
        ({**call(), "extra": 1}, "extra"),
        (call(images=[]), "images"),
        (call(images=[b"GIF89a"]), "neither PNG nor JPEG"),
        (call(images=PICTURES), "one picture and one prompt"),
        (call("segment_video", [PICTURES[0], picture(0, 12)]), "several sizes"),
        (call("segment_video", PICTURES, frame_indices=[0]), "frame_indices"),
        (call("segment_video", PICTURES, prompt_frame=4), "beyond the last"),
        (call(prompts=[{"kind": "points", "foreground": [[WIDTH, 0]]}]), "outside the picture"),
        (call(prompts=[{"kind": "box", "box": [5, 5, 5, 9]}]), "is empty"),
        (call(confidence_threshold=2), "confidence_threshold"),
        (call("reconstruct", align="sim"), "use 'ground'"),
        (call("reconstruct", [PICTURES[0]] * 65), "at most 64"),
        ({**call("reconstruct"), "focal_px": [50.0, 50.0]}, "1 pictures have 2 focal_px"),
    ],
)
async def test_wrong_request_is_refused_with_the_reason(request_: dict[str, Any], problem: str):
    async with perception_server(FlatDepth(), BrightPixels()) as address, http(address) as client:
        answer = await client.post("/call", json=request_)
    assert answer.status_code == 400
    assert problem in answer.text
    assert len(answer.text) < 300


async def test_damaged_picture_is_refused_and_the_rest_of_its_batch_is_answered():
    model = BrightPixels(opens=Event())
    damaged = PICTURES[1][:-30]
    async with perception_server(segmenter=model) as address, http(address) as client:
        first = asyncio.create_task(client.post("/call", json=call()))
        await _until(lambda: len(model.batches) == 1)
        others = [
            asyncio.create_task(client.post("/call", json=call(images=[each]))) for each in (damaged, PICTURES[2])
        ]
        await asyncio.sleep(0.2)
        assert model.opens is not None
        model.opens.set()
        answers = [decode((await each).content) for each in (first, *others)]
    assert [each["ok"] for each in answers] == [True, False, True]
    assert answers[1]["error"]["type"] == "ValueError"
    assert "picture 0 is damaged" in answers[1]["error"]["message"]


async def test_model_that_is_not_loaded_is_left_to_other_servers():
    async with perception_server(FlatDepth(max_views=1)) as address, worker(address) as gpu:
        with pytest.raises(RefusedError, match="has no model that segments") as refused:
            await gpu.answer(SegmentImage(kind="segment_image", frame=FRAMES[0], prompt=BALL), FILES)
    assert refused.value.reason == "backend_unavailable"


async def test_more_pictures_than_the_model_takes_are_refused():
    async with perception_server(FlatDepth(max_views=1)) as address, worker(address) as gpu:
        with pytest.raises(RefusedError, match=r"takes 1 picture") as refused:
            await gpu.answer(Reconstruct(kind="reconstruct", frames=FRAMES), FILES)
    assert refused.value.reason == "invalid_prompt"


async def test_waiting_calls_of_all_clients_share_a_batch():
    model = BrightPixels(opens=Event())
    async with perception_server(segmenter=model) as address, http(address) as client:
        first = asyncio.create_task(client.post("/call", json=call()))
        await _until(lambda: model.batches == [1])
        requests = [call(confidence_threshold=number / 100) for number in range(64)]
        waiting = [asyncio.create_task(client.post("/call", json=each)) for each in requests]
        await _until_reported(client, "waiting", 64)
        assert model.opens is not None
        model.opens.set()
        answers = await asyncio.gather(first, *waiting)
    assert model.batches == [1, 64]
    assert all(decode(each.content)["ok"] for each in answers)


async def test_batch_that_does_not_fit_into_memory_is_halved():
    model = BrightPixels(most_at_once=2, opens=Event())
    async with perception_server(segmenter=model) as address, http(address) as client:
        first = asyncio.create_task(client.post("/call", json=call()))
        await _until(lambda: model.batches == [1])
        waiting = [asyncio.create_task(client.post("/call", json=call(images=[each]))) for each in PICTURES]
        await _until_reported(client, "waiting", 4)
        assert model.opens is not None
        model.opens.set()
        answers = [decode(each.content) for each in await asyncio.gather(first, *waiting)]
    assert model.batches == [1, 4, 2, 2]
    assert [int(each["result"]["masks"].sum()) for each in answers[1:]] == [HEIGHT * (n + 1) for n in range(4)]


async def test_one_call_that_does_not_fit_into_memory_is_left_to_other_servers():
    async with perception_server(segmenter=BrightPixels(most_at_once=0)) as address, worker(address) as gpu:
        with pytest.raises(RefusedError, match="OutOfMemoryError") as refused:
            await gpu.answer(SegmentImage(kind="segment_image", frame=FRAMES[0], prompt=BALL), FILES)
    assert refused.value.reason == "backend_unavailable"


async def test_fault_of_a_model_ends_one_call_and_not_the_server():
    model = BrightPixels(fails=True)
    async with perception_server(segmenter=model) as address, http(address) as client:
        assert (await client.post("/call", json=call())).status_code == 500
        model.fails = False
        assert decode((await client.post("/call", json=call())).content)["ok"]
        assert (await client.get("/health")).json()["status"] == "ok"


async def test_equal_call_is_answered_from_the_cache():
    model = BrightPixels()
    async with perception_server(segmenter=model) as address, http(address) as client:
        answers = [(await client.post("/call", json=call())).content for _ in range(2)]
        await client.post("/call", json=call(confidence_threshold=0.4))
    assert answers[0] == answers[1]
    assert model.batches == [1, 1]


async def test_video_whose_client_has_left_is_abandoned():
    model = BrightPixels(opens=Event())
    async with perception_server(segmenter=model) as address, http(address) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.post("/call", json=call("segment_video", PICTURES), timeout=0.2)
        await _until(lambda: model.abandoned == 1)
        assert model.opens is not None
        model.opens.set()
        assert (await client.post("/call", json=call())).status_code == 200


async def test_waiting_call_whose_client_has_left_is_never_computed():
    model = BrightPixels(opens=Event())
    async with perception_server(segmenter=model) as address, http(address) as client:
        first = asyncio.create_task(client.post("/call", json=call()))
        await _until(lambda: model.batches == [1])
        with pytest.raises(httpx.ReadTimeout):
            await client.post("/call", json=call(images=[PICTURES[1]]), timeout=0.2)
        await _until_reported(client, "waiting", 0)
        assert model.opens is not None
        model.opens.set()
        assert (await first).status_code == 200
    assert model.batches == [1]


async def test_larger_request_than_the_limit_is_refused():
    async with (
        perception_server(segmenter=BrightPixels(), perception_server_request_mb=1) as address,
        http(address) as client,
    ):
        answer = await client.post("/call", content=b" " * (2**20 + 1))
    assert (answer.status_code, answer.text) == (400, "the request has more than 1 MB: send fewer frames")


async def test_health_names_models_and_revisions():
    async with perception_server(FlatDepth()) as address, http(address) as client:
        report = (await client.get("/health")).json()
    assert report["status"] == "ok"
    assert report["models"][1] == {"name": "bright", "task": "segment", "revision": "2", "licence": "Apache-2.0"}


async def _until_reported(client: httpx.AsyncClient, name: str, number: int) -> None:
    async with asyncio.timeout(10):
        while (await client.get("/health")).json()[name] != number:  # noqa: ASYNC110 - another process would ask so
            await asyncio.sleep(0.02)


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - a thread of the server sets no event of this loop
            await asyncio.sleep(0.01)

"""GPU servers: the same results as the simulator, and what a lost or broken server leads to."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from threading import Event

import numpy as np
import pytest
from artifacts.port import reference
from contracts.events.perception import (
    KernelOperation,
    PointsPrompt,
    Reconstruct,
    SegmentImage,
    SegmentVideo,
    TextPrompt,
)
from perception_worker.gpu.backend import GpuBackend
from perception_worker.gpu.client import GpuClient
from perception_worker.gpu.servers import COOL_DOWN_S, LOST_S, Servers
from perception_worker.results import Found, ReconstructedFrames, RefusedError, SegmentedFrames
from perception_worker.simulator.backend import SimulatorBackend
from spatial.array_codec import MalformedAnswerError, decode, encode
from spatial.arrays import NPZ_TYPE
from spatial.namespace import Namespace
from spatial.port import PerceptionReply

from tests.support.questions.gpu_server import TOKEN, FakeGpuServer, running
from tests.support.questions.perception import (
    Question,
    camera_at,
    namespace_of,
    namespace_with,
    question_about,
    table_scene,
)

DEAD = "http://127.0.0.1:9"
CAMERAS = (camera_at((0.0, -3.0, 1.5), (0.0, 0.0, 0.3)), camera_at((2.4, -1.8, 1.2), (0.0, 0.2, 0.2)))


@pytest.fixture(scope="module")
def question(backend: SimulatorBackend) -> Question:
    return question_about(backend, table_scene(CAMERAS))


@asynccontextmanager
async def client_of(
    *addresses: str, token: str = TOKEN, call_s: float = 30, wait_s: float = 0
) -> AsyncGenerator[tuple[GpuBackend, Servers]]:
    servers = Servers(addresses)
    client = GpuClient(servers, token, call_s, wait_s)
    try:
        yield GpuBackend(client), servers
    finally:
        await client.stop()


def operations(question: Question) -> list[KernelOperation]:
    frames = question.frames
    ball, can = TextPrompt(kind="text", text="blue ball"), TextPrompt(kind="text", text="can")
    return [
        Reconstruct(kind="reconstruct", frames=frames),
        SegmentImage(kind="segment_image", frame=frames[0], prompt=ball),
        SegmentImage(
            kind="segment_image", frame=frames[1], prompt=PointsPrompt(kind="points", foreground=((160, 120),))
        ),
        SegmentVideo(kind="segment_video", frames=frames, prompts=(can, ball), prompt_frame_index=1),
    ]


class ServerPerception:
    """The port of a kernel, answered by a GPU server."""

    def __init__(self, address: str, question: Question) -> None:
        self._address, self._question = address, question

    def __call__(self, operation: KernelOperation) -> PerceptionReply:
        found = asyncio.run(self._ask(operation))
        packed = found.packed()
        return PerceptionReply(found.result(reference(packed, NPZ_TYPE)), packed)

    async def _ask(self, operation: KernelOperation) -> Found:
        async with client_of(self._address) as (gpu, _):
            return await gpu.answer(operation, self._question.files)


async def ask(gpu: GpuBackend, question: Question, operation: KernelOperation) -> Found:
    return await gpu.answer(operation, question.files)


async def reconstruct(gpu: GpuBackend, question: Question) -> Found:
    return await ask(gpu, question, Reconstruct(kind="reconstruct", frames=question.frames))


@pytest.mark.parametrize("number", range(4))
async def test_server_and_simulator_give_the_same_results(backend: SimulatorBackend, question: Question, number: int):
    operation = operations(question)[number]
    expected = backend.answer(operation, lambda _: question.scene)
    with running(FakeGpuServer(backend, question)) as server:
        async with client_of(server.address) as (gpu, _):
            found = await ask(gpu, question, operation)
    assert found.frame_indices == expected.frame_indices
    if isinstance(expected, ReconstructedFrames):
        assert isinstance(found, ReconstructedFrames)
        assert (found.depth == expected.depth).all()
        assert (found.confidence == expected.confidence).all()
        assert found.extrinsics == pytest.approx(expected.extrinsics)
        assert found.intrinsics == expected.intrinsics
        assert found.gravity_direction == expected.gravity_direction
    else:
        assert isinstance(found, SegmentedFrames)
        assert isinstance(expected, SegmentedFrames)
        assert (found.masks == expected.masks).all()
        assert found.objects == expected.objects


async def test_same_cell_measures_the_same_by_either_backend(backend: SimulatorBackend, question: Question):
    """What a cell does with reconstruction and masks does not depend on who answers."""

    def volume_and_place(namespace: Namespace) -> list[float]:
        rec = namespace["tools"].Reconstruct()
        low, high = namespace["tools"].SAM3.segment_video_by_text(["red box"]).extent_3d(rec, "red box_1")
        return [*low, *high]

    with running(FakeGpuServer(backend, question)) as server:
        by_server = namespace_with(ServerPerception(server.address, question), question)
        found = await asyncio.to_thread(volume_and_place, by_server)
    assert found == pytest.approx(volume_and_place(namespace_of(backend, question)), abs=1e-6)


async def test_dead_server_is_left_alone_and_another_one_answers(backend: SimulatorBackend, question: Question):
    with running(FakeGpuServer(backend, question)) as server:
        async with client_of(DEAD, server.address) as (gpu, servers):
            await reconstruct(gpu, question)
            await reconstruct(gpu, question)
    assert server.methods == ["reconstruct", "reconstruct"]
    assert "ConnectError" in servers.all[0].problem
    assert servers.choose() is servers.all[1]


async def test_without_any_server_a_call_fails_with_the_time_to_retry(question: Question):
    async with client_of(DEAD, "http://127.0.0.1:10") as (gpu, _):
        with pytest.raises(RefusedError, match=r"no GPU server answers .*127\.0\.0\.1:9: ConnectError") as refused:
            await reconstruct(gpu, question)
    assert refused.value.reason == "backend_unavailable"
    assert refused.value.retry_after_s == LOST_S


async def test_server_that_dies_between_two_calls_fails_the_second(backend: SimulatorBackend, question: Question):
    with running(FakeGpuServer(backend, question)) as server:
        async with client_of(server.address) as (gpu, _):
            await reconstruct(gpu, question)
            server.status = 500
            with pytest.raises(RefusedError, match="HTTP status 500"):
                await reconstruct(gpu, question)


async def test_server_that_hangs_is_given_up_after_the_limit(backend: SimulatorBackend, question: Question):
    with running(FakeGpuServer(backend, question, hangs=Event())) as server:
        async with client_of(server.address, call_s=0.2) as (gpu, _):
            with pytest.raises(RefusedError, match="ReadTimeout") as refused:
                await reconstruct(gpu, question)
    assert refused.value.retry_after_s == COOL_DOWN_S


async def test_wrong_token_is_named(backend: SimulatorBackend, question: Question):
    with running(FakeGpuServer(backend, question)) as server:
        async with client_of(server.address, token="other") as (gpu, _):
            with pytest.raises(RefusedError, match="check PERCEPTION_GPU_TOKEN"):
                await reconstruct(gpu, question)


async def test_error_of_the_request_is_not_tried_again(backend: SimulatorBackend, question: Question):
    servers = [FakeGpuServer(backend, question, error=("ValueError", "the box is empty")) for _ in range(2)]
    with running(servers[0]) as first, running(servers[1]) as second:
        async with client_of(first.address, second.address) as (gpu, _):
            with pytest.raises(RefusedError, match="the box is empty") as refused:
                await reconstruct(gpu, question)
    assert refused.value.reason == "invalid_prompt"
    assert len(first.methods) + len(second.methods) == 1


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"\xc1", "not MessagePack"),
        (encode({"version": 3, "ok": True}), "malformed"),
        (encode({"version": 1, "ok": True, "result": {"depth": np.zeros((2, 2))}}), "should be an array"),
        (encode({"version": 1, "ok": True, "result": [1]}), "not a map"),
        (encode({"version": 1, "ok": False, "error": {"type": "CUDAError", "message": "out of memory"}}), "out of mem"),
    ],
)
async def test_answer_that_breaks_the_protocol_is_refused(
    backend: SimulatorBackend, question: Question, body: bytes, problem: str
):
    with running(FakeGpuServer(backend, question, body=body)) as server:
        async with client_of(server.address) as (gpu, _):
            with pytest.raises(RefusedError, match=problem) as refused:
                await reconstruct(gpu, question)
    assert refused.value.reason == "backend_unavailable"


def test_least_used_server_is_chosen():
    servers = Servers(("a", "b", "c"))
    first, second = servers.all[:2]
    with servers.calling(first), servers.calling(second):
        assert servers.choose() is servers.all[2]
        servers.failed(servers.all[2], "down")
        assert servers.choose() is first
    assert first.calls == 0


def test_failed_server_is_used_again_after_its_rest():
    now_s = 100.0
    servers = Servers(("a",), clock=lambda: now_s)
    servers.failed(servers.all[0], "down")
    assert servers.choose() is None
    assert servers.next_ready_s == pytest.approx(COOL_DOWN_S)
    now_s += COOL_DOWN_S
    assert servers.choose() is servers.all[0]


@pytest.mark.parametrize(
    "masks",
    [
        np.zeros((2, 1, 240, 320), np.bool_),
        np.zeros((2, 1, 240 * 320 // 8), np.bool_),
        np.zeros((2, 1, 240 * 320 // 8 - 1), np.uint8),
    ],
)
async def test_masks_of_version_2_that_are_not_bits_are_refused(
    backend: SimulatorBackend, question: Question, masks: np.ndarray
):
    result = {"masks": masks, "labels": ["can"], "prompts": [0], "scores": [0.5]}
    body = encode({"version": 2, "ok": True, "result": result})
    with running(FakeGpuServer(backend, question, body=body)) as server:
        async with client_of(server.address) as (gpu, _):
            with pytest.raises(RefusedError, match=r"its masks .*should be"):
                await ask(gpu, question, operations(question)[3])


@pytest.mark.parametrize(
    "value",
    [{"a": [1, None, "x", 2.5]}, {"n": np.arange(6, dtype=np.int32).reshape(2, 3)}, [np.zeros((0, 3), np.bool_)]],
)
def test_arrays_survive_the_codec(value: object):
    np.testing.assert_equal(decode(encode(value)), value)


@pytest.mark.parametrize(
    "array",
    [
        {"__ndarray__": "|O", "shape": [1], "data": b"12345678"},
        {"__ndarray__": "<f4", "shape": [2], "data": b"1234"},
        {"__ndarray__": "<f4", "shape": [-1], "data": b""},
        {"__ndarray__": "<f4", "shape": [2**40, 2**40], "data": b""},
        {"__ndarray__": "<f4", "shape": "x", "data": b""},
    ],
)
def test_array_that_is_not_what_it_says_is_refused(array: dict[str, object]):
    with pytest.raises(MalformedAnswerError):
        decode(encode(array))


def test_deep_nesting_is_refused():
    nested: object = 1
    for _ in range(100):
        nested = [nested]
    with pytest.raises(MalformedAnswerError, match="nested more than 64 deep"):
        decode(encode(nested))

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# PyAV leaves the types of encoders open
"""Uploads: a benchmark as an archive, and a question with images or a video."""

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

import av
import httpx
import numpy as np
import pytest
from artifacts.client import Artifacts
from benchmarks.archive import files_of, pack
from chassis.app import App
from contracts.events.question import QuestionAsked
from contracts.events.run import EngineeringRequested
from gateway.settings import Settings
from PIL import Image

from tests.architecture.repository import ROOT
from tests.gateway.gateway_client import RunningGateway, problem_of, running

FOLDER = ROOT / "libs/benchmarks/src/benchmarks/suite/gravity-chute"
Archive = Callable[[dict[str, bytes]], bytes]


def image(width_px: int, height_px: int, form: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width_px, height_px), (200, 30, 90)).save(file, form)
    return file.getvalue()


def video(path: Path, frames: int) -> bytes:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=24)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
        for number in range(frames):
            pixels = np.full((120, 160, 3), 5 * number, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    return path.read_bytes()


def tar_with(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> bytes:
    """Return an archive of the benchmark with one more entry."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for path, content in files_of(FOLDER).items():
            member = tarfile.TarInfo(f"chute/{path}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        tar.addfile(member, io.BytesIO())
    return file.getvalue()


def zip_bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chute/benchmark.yaml", b" " * 50_000_000)
    return file.getvalue()


async def send(gateway: RunningGateway, packed: bytes, **fields: str) -> httpx.Response:
    return await gateway.client.post("/benchmark-archives", files={"archive": ("a", packed)}, data=fields)


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
async def test_run_of_an_archive_has_its_world(
    gateway: RunningGateway, publisher: App, artifacts: Artifacts, suffix: str
) -> None:
    files = files_of(FOLDER)
    files["environment.py"] += f"# {uuid4()}\n".encode()
    accepted = await send(gateway, pack("mine", files, suffix), seed="3", max_parts="9", max_steps="5")
    assert accepted.status_code == 202, accepted.text
    (request,) = await publisher.bus.history(UUID(accepted.json()["run_id"]))
    assert isinstance(request, EngineeringRequested)
    variant = request.assignment.variant
    assert (variant.benchmark, variant.seed, request.budget.max_steps) == ("gravity-chute", 3, 5)
    assert request.assignment.limits.max_parts == 9
    assert await artifacts.get(variant.environment_code) == files["environment.py"]


@pytest.mark.parametrize(
    ("packed", "word"),
    [
        (b"", "cannot be unpacked"),
        (b"PK\x03\x04 no zip", "cannot be unpacked"),
        (tar_with("../chute/environment.py"), "'..'"),
        (tar_with("/etc/passwd"), "not a relative path"),
        (tar_with("chute/level-2.yaml", tarfile.SYMTYPE, "/etc/passwd"), "link or a device"),
        (tar_with("chute/level-2.yaml", tarfile.LNKTYPE, "chute/benchmark.yaml"), "link or a device"),
        (tar_with("chute/level-2.yaml", tarfile.CHRTYPE), "link or a device"),
        (tar_with("chute/notes.txt"), "not a file of a benchmark"),
        (zip_bomb(), "more than"),
        (pack("mine", {**files_of(FOLDER), "benchmark.yaml": b"name: [1"}, ".zip"), "YAML"),
    ],
)
async def test_archive_that_is_not_a_plain_folder_is_refused(gateway: RunningGateway, packed: bytes, word: str) -> None:
    assert word in problem_of(await send(gateway, packed), 409)


async def test_question_has_the_frames_of_its_images(
    gateway: RunningGateway, publisher: App, artifacts: Artifacts
) -> None:
    files = [("images", ("a.png", image(1600, 800))), ("images", ("b.jpg", image(64, 48, "JPEG")))]
    data = {"text": "Which is wider?", "choice": ["the first", "the second"]}
    key = {"Idempotency-Key": str(uuid4())}
    first, again = [await gateway.client.post("/questions", files=files, data=data, headers=key) for _ in range(2)]
    assert first.status_code == 202, first.text
    assert first.json() == again.json()
    (asked,) = await publisher.bus.history(UUID(first.json()["run_id"]))
    assert isinstance(asked, QuestionAsked)
    assert asked.producer == "gateway"
    assert asked.question.answer.kind == "choice"
    assert [(each.width_px, each.height_px) for each in asked.question.frames] == [(768, 384), (64, 48)]
    with Image.open(io.BytesIO(await artifacts.get(asked.question.frames[0].picture))) as stored:
        assert stored.size == (768, 384)


async def test_question_has_the_frames_of_its_video(gateway: RunningGateway, publisher: App, tmp_path: Path) -> None:
    sent = {"video": ("v.mp4", video(tmp_path / "v.mp4", 48))}
    data = {"text": "How bright does it get?", "expect": "number", "max_frames": "4"}
    accepted = await gateway.client.post("/questions", files=sent, data=data)
    assert accepted.status_code == 202, accepted.text
    (asked,) = await publisher.bus.history(UUID(accepted.json()["run_id"]))
    assert isinstance(asked, QuestionAsked)
    assert [each.frame_index for each in asked.question.frames] == [0, 16, 31, 47]
    assert asked.question.metadata.is_video


async def test_media_that_cannot_be_read_is_named(gateway: RunningGateway) -> None:
    async def problem(field: str, content: bytes, status: int = 409) -> str:
        sent = {field: ("x", content)}
        return problem_of(await gateway.client.post("/questions", files=sent, data={"text": "What?"}), status)

    assert "image 1 cannot be read" in await problem("images", b"<svg onload='alert(1)'/>")
    assert "video cannot be read" in await problem("video", b"#!/bin/sh\n")
    assert "72 megapixels" in await problem("images", huge_png(9000, 8000))
    both = {"images": ("a.png", image(8, 8)), "video": ("v.mp4", b"1")}
    problem_of(await gateway.client.post("/questions", files=both, data={"text": "What?"}), 422)
    problem_of(await gateway.client.post("/questions", files={"x": ("x", b"1")}, data={"text": "What?"}), 422)


def huge_png(width_px: int, height_px: int) -> bytes:
    """Return a picture of which only the header is large: it is refused before its pixels are decoded."""
    small = image(1, 1)
    header = small[:12] + b"IHDR" + width_px.to_bytes(4, "big") + height_px.to_bytes(4, "big") + small[24:29]
    return header + zlib.crc32(header[12:]).to_bytes(4, "big") + small[33:]


async def test_uploads_have_limits_of_their_own(settings: Settings) -> None:
    limits = {"gateway_upload_limit_bytes": 100_000, "gateway_upload_images": 2, "gateway_body_limit_bytes": 50}
    async with running(settings.model_copy(update=limits)) as gateway:
        ask = gateway.client.post
        many = [("images", (f"{number}.png", image(8, 8))) for number in range(3)]
        assert "GATEWAY_UPLOAD_IMAGES" in problem_of(await ask("/questions", files=many, data={"text": "What?"}), 413)
        large = {"images": ("a.png", bytes(100_000))}
        assert "GATEWAY_UPLOAD_LIMIT" in problem_of(await ask("/questions", files=large, data={"text": "What?"}), 413)
        assert (await ask("/questions", files=many[:2], data={"text": "What?"})).status_code == 202
        assert "GATEWAY_BODY_LIMIT" in problem_of(await ask("/runs", json={"benchmark": "x" * 60}), 413)

"""Files that clients send: a benchmark as an archive, and a question with images or a video."""

import asyncio
import io
import tarfile
import zipfile
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from artifacts.client import Artifacts
from benchmarks.archive import files_of, pack
from benchmarks.loader import MAX_FIELDS_BYTES
from chassis.app import App
from contracts.events.question import QuestionAsked
from contracts.events.run import EngineeringRequested
from gateway.http import guard
from gateway.settings import Settings
from PIL import Image

from tests.architecture.repository import ROOT
from tests.gateway.files.media import animation, huge_png, image, sound, video
from tests.gateway.gateway_client import RunningGateway, problem_of, running

FOLDER = ROOT / "libs/benchmarks/src/benchmarks/suite/gravity-chute"
FILES = files_of(FOLDER)
MANY = {f"level-{number}.yaml": FILES["benchmark.yaml"] for number in range(20)}


def tar_with(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> bytes:
    """Return an archive of the benchmark with one more entry."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for path, content in FILES.items():
            member = tarfile.TarInfo(f"chute/{path}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        tar.addfile(member, io.BytesIO())
    return file.getvalue()


def zip_of(name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of the benchmark with one more file, or with this one instead of its own."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for path, each in {f"chute/{path}": each for path, each in FILES.items() if f"chute/{path}" != name}.items():
            archive.writestr(path, each)
        archive.writestr(name, content)
    return file.getvalue()


async def send(gateway: RunningGateway, packed: bytes, **fields: str) -> httpx.Response:
    return await gateway.client.post("/benchmark-archives", files={"archive": ("a", packed)}, data=fields)


async def ask(gateway: RunningGateway, *files: bytes, field: str = "images", text: str = "What?") -> httpx.Response:
    sent = [(field, ("x", each)) for each in files]
    return await gateway.client.post("/questions", files=sent, data={"text": text})


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
async def test_run_of_an_archive_has_its_world(
    gateway: RunningGateway, publisher: App, artifacts: Artifacts, suffix: str
) -> None:
    files = FILES | {"environment.py": FILES["environment.py"] + f"# {uuid4()}\n".encode()}
    accepted = await send(gateway, pack("mine", files, suffix), seed="3", max_parts="9", max_steps="5")
    assert accepted.status_code == 202, accepted.text
    (request,) = await publisher.bus.history(UUID(accepted.json()["run_id"]))
    assert isinstance(request, EngineeringRequested)
    variant = request.assignment.variant
    assert (variant.benchmark, variant.seed, request.budget.max_steps) == ("gravity-chute", 3, 5)
    assert request.assignment.limits.max_parts == 9
    assert await artifacts.get(variant.environment_code) == files["environment.py"]


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("packed", "status", "word"),
    [
        (b"", 415, "neither a .zip nor a .tar.gz"),
        (image(8, 8), 415, "neither a .zip nor a .tar.gz"),
        (b"PK\x03\x04 no zip", 422, "cannot be unpacked"),
        (pack("mine", FILES, ".tar.gz")[:300], 422, "cannot be unpacked"),
        (tar_with("../chute/environment.py"), 422, "'..'"),
        (tar_with("/etc/passwd"), 422, "not a relative path"),
        (zip_of("C:\\level-2.yaml", b""), 422, "not a relative path"),
        (tar_with("chute/level-2.yaml", tarfile.SYMTYPE, "/etc/passwd"), 422, "link or a device"),
        (tar_with("chute/level-2.yaml", tarfile.LNKTYPE, "chute/benchmark.yaml"), 422, "link or a device"),
        (tar_with("chute/level-2.yaml", tarfile.FIFOTYPE), 422, "link or a device"),
        (tar_with("chute/level-2.yaml", tarfile.CHRTYPE), 422, "link or a device"),
        (tar_with("chute/benchmark.yaml"), 422, "occurs twice"),
        (tar_with("other/level-77.yaml"), 422, "2 folders"),
        (tar_with("chute/notes.txt"), 422, "not a file of a benchmark"),
        (zip_of("chute/part.step", b"ISO-10303-21;" + b" " * 900_000), 422, "not a file of a benchmark"),
        (zip_of("chute/level-2.yaml", b"x", zipfile.ZIP_LZMA), 422, "unusual way"),
        (zip_of("chute/level-2.yaml", b" " * 50_000_000), 413, "more than 1000000"),
        (zip_of("chute/benchmark.yaml", b" " * (MAX_FIELDS_BYTES + 1)), 413, f"more than {MAX_FIELDS_BYTES}"),
        (pack("mine", FILES | MANY, ".zip"), 413, "more than 20 files"),
        (bytes([0x1F, 0x8B]) + bytes(4_000_000), 413, "more than 4000000 bytes"),
        (pack("mine", {"benchmark.yaml": FILES["benchmark.yaml"]}, ".zip"), 422, "environment.py missing"),
        (pack("mine", FILES | {"benchmark.yaml": b"name: [1"}, ".zip"), 422, "YAML"),
        (pack("mine", FILES | {"benchmark.yaml": b"a: &a [1]\nb: [*a]"}, ".zip"), 422, "alias"),
    ],
)
async def test_archive_that_is_not_a_plain_folder_is_refused(
    gateway: RunningGateway, packed: bytes, status: int, word: str
) -> None:
    detail = problem_of(await send(gateway, packed), status)
    assert word in detail
    assert len(detail) < 500


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


async def test_asked_question_is_where_its_answer_tells_and_can_be_cancelled(gateway: RunningGateway) -> None:
    accepted = await ask(gateway, image(8, 8), text="How many?")
    question = (await gateway.client.get(accepted.headers["location"])).raise_for_status().json()
    assert (question["asked"]["question"]["text"], question["end"]) == ("How many?", None)
    async with gateway.client.stream("GET", accepted.json()["live"]) as live:
        assert live.status_code == 200
        lines = live.aiter_lines()
        while not (line := await anext(lines)).startswith("event: "):
            pass
        assert line == "event: QuestionAsked"
    assert (await gateway.client.post(f"/runs/{accepted.json()['run_id']}/cancel")).status_code == 202


async def test_question_has_the_frames_of_its_video(gateway: RunningGateway, publisher: App, tmp_path: Path) -> None:
    sent = {"video": ("v.mp4", video(tmp_path / "v.mp4", 48))}
    data = {"text": "How bright does it get?", "expect": "number", "max_frames": "4"}
    accepted = await gateway.client.post("/questions", files=sent, data=data)
    assert accepted.status_code == 202, accepted.text
    (asked,) = await publisher.bus.history(UUID(accepted.json()["run_id"]))
    assert isinstance(asked, QuestionAsked)
    assert [each.frame_index for each in asked.question.frames] == [0, 16, 31, 47]
    assert asked.question.metadata.is_video


async def test_media_that_cannot_be_used_are_refused_with_the_reason(gateway: RunningGateway, tmp_path: Path) -> None:
    film = video(tmp_path / "film.mp4", 48)
    cases = [
        ("images", b"<svg onload='alert(1)'/>", 415, "image 1 is not a PNG"),
        ("images", film, 415, "image 1 is not a PNG"),
        ("images", huge_png(10_000, 10_000), 413, "100 megapixels (10000 x 10000), at most 50"),
        ("images", huge_png(40_000, 40_000), 413, "more than the 50 megapixels"),
        ("images", image(64, 64)[:80], 422, "image 1 cannot be read"),
        *[("images", animation(form), 422, "image 1 is animated") for form in ("GIF", "WEBP", "PNG")],
        ("video", b"#!/bin/sh\n", 415, "the video cannot be read as a video"),
        ("video", b"", 415, "the video cannot be read as a video"),
        ("video", film[: len(film) - 500], 422, "the video is cut off"),
        ("video", sound(tmp_path / "sound.mp4"), 422, "no video stream"),
        ("video", video(tmp_path / "empty.mkv", 0), 422, "the video cannot be read as a video"),
    ]
    for field, content, status, word in cases:
        detail = problem_of(await ask(gateway, content, field=field), status)
        assert word in detail, detail
        assert "/tmp" not in detail
        assert "0x" not in detail


async def test_question_has_images_or_a_video(gateway: RunningGateway) -> None:
    both = {"images": ("a.png", image(8, 8)), "video": ("v.mp4", b"1")}
    problem_of(await gateway.client.post("/questions", files=both, data={"text": "What?"}), 422)
    problem_of(await gateway.client.post("/questions", files={"x": ("x", b"1")}, data={"text": "What?"}), 422)
    problem_of(await gateway.client.post("/questions", json={"text": "What?"}), 415)
    assert "at most 64" in problem_of(await ask(gateway, *[image(2, 2)] * 65), 422)


async def test_refused_files_leave_nothing_behind(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    spool = settings.model_copy(update={"artifacts_spool": tmp_path / "spool"})
    async with running(spool) as gateway:
        film = image(64, 64) + bytes(3_000_000)  # larger than what a form keeps in memory
        problem_of(await ask(gateway, film, field="video"), 422)
        problem_of(await send(gateway, zip_of("chute/level-2.yaml", b" " * 3_000_000)), 413)
        left = [path for path in (tmp_path / "spool").rglob("*") if path.is_file() and path.stat().st_size]
        assert left == []
        assert list((tmp_path / "scratch").glob("*/*")) == []
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_uploads_have_limits_of_their_own(settings: Settings) -> None:
    limits = {"gateway_upload_limit_bytes": 100_000, "gateway_body_limit_bytes": 50}
    async with running(settings.model_copy(update=limits)) as gateway:
        assert "GATEWAY_UPLOAD_LIMIT" in problem_of(await ask(gateway, bytes(100_000)), 413)
        assert (await ask(gateway, image(8, 8), image(8, 8))).status_code == 202
        assert "GATEWAY_BODY_LIMIT" in problem_of(await gateway.client.post("/runs", json={"benchmark": "x" * 60}), 413)


async def test_files_over_a_slow_line_arrive_and_those_that_stall_are_not_waited_for(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two seconds stand for the time that every body has; the slow line sends for twice that."""
    monkeypatch.setattr(guard, "BODY_TIMEOUT_S", 2.0)
    request = gateway.client.build_request(
        "POST", "/questions", files={"images": ("a.png", image(8, 8) + bytes(250_000))}, data={"text": "What?"}
    )
    body = await request.aread()
    kind = {"Content-Type": request.headers["content-type"]}

    async def parts() -> AsyncGenerator[bytes]:
        for at in range(0, len(body), 10_000):
            yield body[at : at + 10_000]
            await asyncio.sleep(0.15)

    slow = await gateway.client.post("/questions", content=parts(), headers=kind)
    assert slow.status_code == 202, slow.text
    reader, writer = await asyncio.open_connection(gateway.client.base_url.host, gateway.client.base_url.port)
    lines = ["POST /questions HTTP/1.1", "Host: localhost", f"Content-Type: {kind['Content-Type']}"]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    writer.write(head.encode() + body[:10_000])
    answer = (await reader.read()).decode()
    writer.close()
    assert answer.startswith("HTTP/1.1 408 ")
    assert "10000 bytes of the body arrived in" in answer


async def test_caller_has_a_share_of_the_uploads(settings: Settings) -> None:
    """One address alone cannot take every place; each place is free again when its client leaves."""
    async with running(settings.model_copy(update={"gateway_uploads_per_caller": 1})) as gateway:
        began = asyncio.Event()

        async def endless() -> AsyncGenerator[bytes]:
            while True:
                yield b"x" * 10_000
                began.set()
                await asyncio.sleep(0.1)

        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        first = asyncio.create_task(gateway.client.post("/questions", content=endless(), headers=kind))
        await began.wait()
        while (refused := await ask(gateway, image(8, 8))).status_code == 202:
            pass
        assert "GATEWAY_UPLOADS_PER_CALLER" in problem_of(refused, 429)
        first.cancel()
        async with asyncio.timeout(60):
            while (await ask(gateway, image(8, 8))).status_code != 202:
                pass

"""`./run ask --video` as a person types it, against a server with tiny models: `./run test-perception`.

The server is in the environment with torch, all else in that of the command. Random weights find nothing that means
anything: what is tested is that depths and masks of real model classes arrive in cells, also after a crash.
"""

import os
import subprocess
from collections.abc import Generator
from pathlib import Path

import av
import numpy as np
import pytest

from tests.engineer.engineer_harness import cell_reply
from tests.support.clusters.fake_provider import FakeProvider, completion
from tests.support.isolated import ROOT
from tests.support.processes import wait_for
from tests.support.questions.server_process import ServerProcess

PYTHON = ROOT / ".millwright" / "perception" / "bin" / "python"
ASK_S = 600.0
WAIT_S = 300.0
"""Of a call for a server: this one imports torch again, which takes a minute on a busy machine."""
SIZE = (320, 240)
FRAMES = 24
CELLS = (
    "rec = tools.Reconstruct(InputImages[0])\nfirst = rec.frame_indices[0]\n"
    "print(rec.depth[first].shape, 'depth up to', rec.depth[first].max() > 0, rec.is_metric)",
    "found = tools.SAM3.segment_image_by_text(InputImages[0], 'ball', confidence_threshold=0)\n"
    "print(found.mask(0).shape, len(found.labels), 'objects')",
    "masks = tools.SAM3.segment_video_by_text('ball', confidence_threshold=0)\nprint(len(masks), 'frames of masks')",
    "ReturnAnswer(len(masks) * len(found.labels))",
)
pytestmark = pytest.mark.timeout(1800)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """A video of a ball that rolls to the right."""
    path = tmp_path / "film.mp4"
    v, u = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=8)  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for number in range(FRAMES):
            is_ball = np.hypot(u - 60 - 8 * number, v - 150) < 30
            pixels = np.where(is_ball[..., None], (200, 30, 30), (120, 130, 120)).astype(np.uint8)
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part
        container.mux(stream.encode(None))  # pyright: ignore[reportUnknownMemberType] - typed in part
    return path


@pytest.fixture
def server(tmp_path: Path) -> Generator[ServerProcess]:
    server = ServerProcess(PYTHON, "tests.perception_models.tiny_server", tmp_path / "server.log")
    server.start()
    yield server
    server.kill()


def test_question_about_a_video_survives_the_death_of_the_server_in_the_middle_of_a_call(
    film: Path, server: ServerProcess, tmp_path: Path
):
    words = ("ask", "How many masks are there?", "--video", str(film), "--expect", "integer", "--no-plan")
    with FakeProvider(*(completion(cell_reply(each)) for each in CELLS)) as provider:
        log = tmp_path / "ask.log"
        variables = {
            **os.environ,
            **server.variables,
            "OPENAI_API_KEY": "of-no-value",
            "OPENAI_BASE_URL": provider.base_url,
            "MILLWRIGHT_DATA": str(tmp_path / "data"),
            "PERCEPTION_GPU_WAIT_S": str(WAIT_S),
        }
        command = (ROOT / "run", *words, "--model", "openai:scripted", "--out", str(tmp_path / "out"))
        with log.open("wb") as output:
            asking = subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=output, stderr=output)
        try:
            wait_for(lambda: "2 objects" in log.read_text(), ASK_S, "the second cell", log.read_text)
            server.await_call()
            server.kill()
            server.start()
            code = asking.wait(ASK_S)
        finally:
            asking.terminate()
            asking.wait()
    shown = log.read_text()
    assert code == 0, shown
    assert "(240, 320) depth up to True True" in shown
    assert f"{FRAMES} frames of masks" in shown
    assert f"answer: {2 * FRAMES}" in shown
    assert (tmp_path / "out" / "report.html").exists()

"""The report of a question: small enough to send, with every picture that a person needs."""

import re
from io import BytesIO

import numpy as np
import pytest
from artifacts.testing import FakeArtifacts
from contracts.events.session import CellCompleted
from contracts.models.observation import ShownImage
from contracts.models.questions.frames import FrameRef
from PIL import Image
from run_report.budget import REPORT_BYTES
from run_report.document import report_html

from tests.contracts.examples import full_examples
from tests.spatial_agent.question_harness import question_asked

pytestmark = pytest.mark.asyncio


def noise(seed: int) -> bytes:
    """Return a picture that hardly compresses, as large as a frame of a question."""
    file = BytesIO()
    Image.fromarray(np.random.default_rng(seed).integers(0, 256, (614, 768, 3), np.uint8)).save(file, "PNG")
    return file.getvalue()


def frame(seed: int) -> bytes:
    """Return a picture like a frame of a film."""
    shades = np.linspace(0, 255, 768, dtype=np.uint8)[None, :, None].repeat(614, 0).repeat(3, 2)
    grain = np.random.default_rng(seed).integers(0, 8, shades.shape, np.uint8)
    file = BytesIO()
    Image.fromarray(shades // 2 + grain).save(file, "PNG")
    return file.getvalue()


async def report_of(pictures: list[bytes], output: str = "") -> str:
    """Return the report of a question with these frames, the last of which a cell shows."""
    artifacts = FakeArtifacts()
    refs = [await artifacts.put(each, "image/png") for each in pictures]
    frames = tuple(
        FrameRef(picture=ref, frame_index=number, time_s=number / 25, width_px=768, height_px=614)
        for number, ref in enumerate(refs)
    )
    done = full_examples()[CellCompleted]
    assert isinstance(done, CellCompleted)
    shown = ShownImage(label="where it ends", artifact=refs[-1], width_px=768, height_px=614)
    observation = done.observation.model_copy(update={"images": (shown,), "output": output})
    cells = [done.model_copy(update={"observation": observation})] * 8
    return await report_html([question_asked(frames=frames), *cells], artifacts)


@pytest.mark.full
async def test_report_with_32_frames_has_all_of_them_below_5_mb() -> None:
    page = await report_of([frame(seed) for seed in range(32)])
    assert len(page.encode()) < REPORT_BYTES
    assert len(re.findall(r"<img ", page)) == 32
    assert page.count("where it ends: shown above") == 8
    assert "frame 30, 1.20 s" in page


async def test_report_of_too_much_names_what_is_left_out_and_keeps_what_a_cell_showed() -> None:
    page = await report_of([noise(seed) for seed in range(64)], output="'" * 2_000_000)
    assert len(page.encode()) < REPORT_BYTES
    assert "left out, the file would be too large" in page
    assert re.search(r'<img [^>]*alt="where it ends"', page)
    assert "characters left out" in page

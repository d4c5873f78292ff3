"""The expert times the end of a film's motion as its run's report does, and takes no caption for motion."""

from io import BytesIO

import pytest
from contracts.models.artifact import ArtifactRef
from contracts.models.questions.frames import FrameRef
from contracts.models.simulation import PhysicalEvent
from offline_expert.questions.rest_cells import CELLS
from PIL import Image, ImageDraw
from run_report.record import recorded_moments
from spatial.frames import InputImage, InputImages, VideoMetadata
from spatial.tools.drawings import GraphTool

from tests.contracts.example_values import RESULT


def frame(number: int) -> InputImage:
    """Return a picture of a ball that rests from the sixth frame on, with a caption that changes up to the last."""
    picture = Image.new("RGB", (160, 136), (120, 140, 160))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((20 * min(number, 5), 40, 20 * min(number, 5) + 20, 60), (240, 120, 20))
    draw.rectangle((0, 120, 160, 136), (255, 255, 255))
    draw.rectangle((0, 120, 16 * number, 123), (120, 126, 136))
    draw.text((6, 124), f"{number / 10:.2f} s  " + "X" * number, (0, 0, 0))
    file = BytesIO()
    picture.save(file, "PNG")
    ref = ArtifactRef(sha256="0" * 64, media_type="image/png", size_bytes=1)
    place = FrameRef(picture=ref, frame_index=number, time_s=number / 10, width_px=160, height_px=136)
    return InputImage(place, file.getvalue())


def shown(*_: object, **_options: object) -> None:
    """Show nothing."""


def answer_of(notes: str) -> float:
    """Run the cells as a kernel does, and return their answer."""
    answers: list[float] = []
    images = InputImages([frame(number) for number in range(10)])
    metadata = VideoMetadata(len(images), is_video=True, fps=10.0, total_frames=10, notes=notes)
    tools = type("Tools", (), {"Graph": GraphTool()})
    names: dict[str, object] = {
        "InputImages": images,
        "Metadata": metadata,
        "tools": tools,
        "ReturnAnswer": answers.append,
    }
    names["show"] = shown
    for cell in CELLS:
        exec(cell, names)
    return answers[0]


def test_motion_of_a_recorded_run_ends_when_its_report_has_it_at_rest() -> None:
    rest = PhysicalEvent(time_s=0.437, kind="at_rest", subject="payload", place_mm=(0, 0, 0))
    later = rest.model_copy(update={"time_s": 0.61, "kind": "decided", "other": "reached_goal"})
    result = RESULT.model_copy(update={"events": (rest, later)})
    assert answer_of(recorded_moments(result)) == pytest.approx(0.44)


def test_caption_that_changes_is_no_motion() -> None:
    assert answer_of("") == pytest.approx(0.5)

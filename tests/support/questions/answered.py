"""The expert's cells, run in this process on generated questions: the text is ours, no agent wrote it."""

import contextlib
from io import StringIO
from typing import Any

from contracts.models.questions.answers import Value
from contracts.models.questions.frames import Noise
from offline_expert.questions.plain_words import in_plain_words
from offline_expert.questions.solver import solver_cells
from perception_worker.simulator.backend import SimulatorBackend
from questions.items import GeneratedQuestion
from spatial.frames import VideoMetadata

from tests.support.questions.perception import namespace_of, question_about


def answer_of(backend: SimulatorBackend, asked: GeneratedQuestion, noise: Noise | None = None) -> Value | None:
    """Return what the expert's cells answer; None if they end with an error."""
    question, item = question_about(backend, asked.scene, noise), asked.item
    width, height = asked.scene.width_px, asked.scene.height_px
    metadata = VideoMetadata(len(question.frames), item.is_video, item.fps, item.total_frames, width, height)
    returned: list[Any] = []
    names: dict[str, object] = {**namespace_of(backend, question, metadata), "ReturnAnswer": returned.append}
    with contextlib.redirect_stdout(StringIO()):
        for cell in solver_cells(in_plain_words(item.text)):
            try:
                exec(cell, names)
            except (ArithmeticError, LookupError, RuntimeError, ValueError, StopIteration):
                return None
    if not returned:
        return None
    value = returned[0]
    return value.item() if hasattr(value, "item") else value

"""Question sets that can be evaluated: the generated one, and files of others."""

import asyncio
from abc import ABC, abstractmethod
from hashlib import sha256
from pathlib import Path

from artifacts.port import ArtifactStore
from contracts.events.perception import RenderFrames
from contracts.models.questions.question import FrameMetadata, SpatialQuestion
from local_stack.errors import UserError
from perception_worker.handlers import render_frames
from perception_worker.simulator.backend import SimulatorBackend
from questions import generator
from questions.generator.question_set import numbered
from questions.imported.fields import RecordUnusableError
from questions.imported.importer import import_questions
from questions.imported.question import ImportedQuestion
from questions.items import QuestionItem
from questions.media.images import MediaUnreadableError
from run_requests.question import store_question

GENERATED = "questions"
"""Name of the generated set."""
SUFFIXES = frozenset({".jsonl", ".parquet"})


def names_question_set(name: str) -> bool:
    """Tell whether the name of something to evaluate is a question set."""
    return name == GENERATED or Path(name).suffix in SUFFIXES


def generated_digest() -> str:
    """Return what the questions of the generated set follow from: its code."""
    files = sorted(Path(generator.__file__).parent.glob("*.py"))
    return sha256(b"\0".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()


class QuestionSource(ABC):
    """A question set."""

    name: str
    digest: str
    """Of what its questions follow from."""

    @abstractmethod
    async def question(self, number: int, artifacts: ArtifactStore) -> tuple[QuestionItem, SpatialQuestion]:
        """Return a question and its exact answer; its frames are stored."""


class GeneratedSet(QuestionSource):
    """Questions about drawn scenes, whose frames are rendered here."""

    def __init__(self, simulator: SimulatorBackend) -> None:
        self.name, self.digest = GENERATED, generated_digest()
        self._simulator = simulator

    async def question(self, number: int, artifacts: ArtifactStore) -> tuple[QuestionItem, SpatialQuestion]:
        """See `QuestionSource`."""
        generated = await asyncio.to_thread(numbered, number)
        item = generated.item
        scene = await artifacts.put(generated.scene.model_dump_json().encode(), "application/json")
        rendered = await render_frames(RenderFrames(kind="render_frames", scene=scene), artifacts, self._simulator)
        metadata = FrameMetadata(is_video=item.is_video, fps=item.fps, total_frames=item.total_frames)
        asked = SpatialQuestion(text=item.text, answer=item.answer, frames=rendered.frames, metadata=metadata)
        return item, asked


class ImportedSet(QuestionSource):
    """Questions of a file, with the images and videos that it names."""

    def __init__(self, file: Path) -> None:
        """Read the file; raise `UserError` if it, or one of its records, cannot be used."""
        try:
            self.digest = sha256(file.read_bytes()).hexdigest()
            self._questions: list[ImportedQuestion] = list(import_questions(file))
        except OSError as error:
            raise UserError(f"{file} cannot be read: {error.strerror}") from error
        except RecordUnusableError as error:
            raise UserError(str(error)) from error
        self.name = file.stem

    async def question(self, number: int, artifacts: ArtifactStore) -> tuple[QuestionItem, SpatialQuestion]:
        """See `QuestionSource`; raise `UserError` for a number beyond the last one, or an unreadable file."""
        if number >= len(self._questions):
            raise UserError(f"{self.name} has {len(self._questions)} questions: --seeds 0-{len(self._questions) - 1}")
        imported = self._questions[number]
        try:
            media = await asyncio.to_thread(imported.media)
        except MediaUnreadableError as error:
            raise UserError(f"question {imported.item.id}: {error}") from error
        return imported.item, await store_question(imported.item.text, imported.item.answer, media, artifacts)

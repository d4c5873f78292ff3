"""Question sets that can be evaluated: the generated one, public data sets, and files of others."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
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
from questions.imported.datasets.loader import Dataset, load_dataset
from questions.imported.fields import RecordUnusableError
from questions.imported.importer import import_questions
from questions.imported.question import ImportedQuestion
from questions.items import QuestionItem
from questions.media.images import MediaUnreadableError, SamplingOptions
from run_requests.question import store_question

GENERATED = "questions"
"""Name of the generated set."""
PIECE = 1 << 20
"""Bytes."""
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
    count: int | None = None
    """Of its questions; None: there is one for each number."""
    left_out: int = 0
    """Questions that nothing here can score."""

    def require(self, numbers: Sequence[int]) -> None:
        """Raise `UserError` for a number beyond the last question."""
        if self.count is not None and numbers[-1] >= self.count:
            raise UserError(f"{self.name} has {self.count} questions: --seeds 0-{self.count - 1}")

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
    """Questions of others, with the images and videos that they name."""

    def __init__(
        self, name: str, digest: str, questions: Sequence[ImportedQuestion], sampling: SamplingOptions
    ) -> None:
        self.name, self.digest, self.count = name, digest, len(questions)
        self._questions, self._sampling = questions, sampling

    async def question(self, number: int, artifacts: ArtifactStore) -> tuple[QuestionItem, SpatialQuestion]:
        """See `QuestionSource`; raise `UserError` for an unreadable file."""
        imported = self._questions[number]
        item = imported.item
        try:
            media = await asyncio.to_thread(imported.media, self._sampling)
        except (MediaUnreadableError, OSError) as error:
            raise UserError(f"{imported.place or f'question {item.id}'}: {error}; the same command resumes") from error
        return item, await store_question(item.text, item.answer, media, artifacts, media.notes)


def file_source(file: Path, sampling: SamplingOptions) -> ImportedSet:
    """Return the questions of a file; raise `UserError` if it, or one of its records, cannot be used."""
    try:
        return ImportedSet(file.stem, _digest([file]), list(import_questions(file)), sampling)
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}") from error
    except RecordUnusableError as error:
        raise UserError(str(error)) from error


def dataset_source(name: str, path: Path, sampling: SamplingOptions) -> ImportedSet:
    """Return the questions of a copy of a public data set; raise `UserError` if they cannot be used."""
    try:
        dataset: Dataset = load_dataset(name, path)
        source = ImportedSet(name, _digest(dataset.files), dataset.questions, sampling)
    except OSError as error:
        raise UserError(f"{name}: {error.filename or path} cannot be read: {error.strerror}") from error
    except RecordUnusableError as error:
        raise UserError(str(error)) from error
    source.left_out = dataset.left_out
    return source


def _digest(files: Sequence[Path]) -> str:
    """Return the digest of annotation files, which may hold pictures: they are read in pieces."""
    whole = sha256()
    for file in files:
        with file.open("rb") as content:
            while piece := content.read(PIECE):
                whole.update(piece)
    return whole.hexdigest()

"""Imports a question set: a JSONL or Parquet file, with images and videos beside it or inside."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from contracts.models.questions.answers import (
    AnswerSpec,
    BooleanSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    TextSpec,
    Value,
)

from questions.imported.benchmarks import BENCHMARKS, DEFAULT_SCORES, BenchmarkScores
from questions.imported.fields import (
    ANSWER,
    ANSWER_INDEX,
    IDENTITY,
    IMAGES,
    KIND,
    QUESTION,
    VIDEO,
    Record,
    RecordUnusableError,
    choices_of,
    first_of,
    paths_of,
)
from questions.items import QuestionItem, Scorer
from questions.media.images import SampledMedia, SamplingOptions, load_images
from questions.media.videos import sample_video
from questions.scorers import choice_letter

TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True)
class ImportedQuestion:
    """A question with the files that it is about, not read yet."""

    item: QuestionItem
    images: tuple[Path | bytes, ...] = ()
    video: Path | None = None

    def media(self, options: SamplingOptions | None = None) -> SampledMedia:
        """Read its images or video; raise `MediaUnreadableError`."""
        if self.video is not None:
            return sample_video(self.video, options)
        files = [
            (f"image {number}", each) if isinstance(each, bytes) else (each.name, each.read_bytes())
            for number, each in enumerate(self.images, 1)
        ]
        return load_images(files, options)


def import_questions(path: Path, benchmark: str = "") -> Iterator[ImportedQuestion]:
    """Yield the questions of a `.jsonl` or `.parquet` file, whose name stands in for a missing benchmark's.

    Raises `RecordUnusableError` for a record without question, answer or files, with its number.
    """
    name = benchmark or path.stem
    scores = BENCHMARKS.get(name.casefold(), DEFAULT_SCORES)
    for number, record in enumerate(_records(path), 1):
        try:
            yield _question(record, number, name, scores, path.parent)
        except RecordUnusableError as error:
            raise RecordUnusableError(f"record {number} of {path.name}: {error}") from error


def _records(path: Path) -> Iterator[Record]:
    if path.suffix == ".parquet":
        yield from _parquet_records(path)
    elif path.suffix == ".jsonl":
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _json_record(line, number, path)
    else:
        raise RecordUnusableError(f"{path.name} is neither .jsonl nor .parquet")


def _json_record(line: str, number: int, path: Path) -> Record:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordUnusableError(f"line {number} of {path.name} is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise RecordUnusableError(f"line {number} of {path.name} is not an object")
    return cast("Record", record)


def _parquet_records(path: Path) -> Iterator[Record]:
    if find_spec("pyarrow") is None:
        raise RecordUnusableError(f"{path.name} needs the package pyarrow: install it, or convert the file to JSONL")
    from questions.imported.parquet_files import parquet_records  # noqa: PLC0415 - it needs an extra

    return parquet_records(path)


def _question(record: Record, number: int, source: str, scores: BenchmarkScores, folder: Path) -> ImportedQuestion:
    text = first_of(record, QUESTION)
    if not isinstance(text, str):
        raise RecordUnusableError(f"it has no question; known fields are {', '.join(QUESTION)}")
    answer, exact, scorer = _expected(record, scores)
    videos = paths_of(record, VIDEO)
    item = QuestionItem(
        id=f"{source}-{first_of(record, IDENTITY) or number}",
        source=source,
        kind=str(first_of(record, KIND) or "unknown"),
        text=text,
        answer=answer,
        exact=exact,
        scorer=scorer,
        is_video=bool(videos),
    )
    if videos:
        return ImportedQuestion(item, video=_file(videos[0], folder))
    images = tuple(_file_or_bytes(each, folder) for each in paths_of(record, IMAGES))
    if not images:
        raise RecordUnusableError(f"it has neither images nor a video; known fields are {', '.join(IMAGES + VIDEO)}")
    return ImportedQuestion(item, images=images)


def _expected(record: Record, scores: BenchmarkScores) -> tuple[AnswerSpec, Value, Scorer]:
    """Return what a record expects, its exact answer, and the scorer."""
    choices = choices_of(record)
    if choices:
        return ChoiceSpec(kind="choice", choices=choices), _exact_letter(record, choices), "choice"
    answer = first_of(record, ANSWER)
    if answer is None:
        raise RecordUnusableError(f"it has no answer; known fields are {', '.join(ANSWER)}")
    truth = answer if isinstance(answer, bool) else TRUTHS.get(str(answer).strip().casefold())
    if truth is not None:
        return BooleanSpec(kind="boolean"), truth, "exact"
    number = _number(answer)
    if number is None:
        return TextSpec(kind="text"), str(answer).strip(), "exact"
    if number == int(number) and "." not in str(answer):
        return IntegerSpec(kind="integer"), int(number), scores.counts
    return NumberSpec(kind="number", unit=str(record.get("unit") or "")), number, scores.numbers


def _exact_letter(record: Record, choices: tuple[str, ...]) -> str:
    index = first_of(record, ANSWER_INDEX)
    letters = ChoiceSpec(kind="choice", choices=choices).letters
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(choices):
        return letters[index]
    answer = str(first_of(record, ANSWER) or "").strip()
    texts = [choice.casefold() for choice in choices]
    if answer.casefold() in texts:
        return letters[texts.index(answer.casefold())]
    letter = choice_letter(answer, choices)
    if letter is None:
        raise RecordUnusableError(f"its answer {answer!r} is not one of {len(choices)} choices")
    return letter


def _number(answer: object) -> float | None:
    try:
        number = float(str(answer).strip())
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _file_or_bytes(given: Any, folder: Path) -> Path | bytes:  # noqa: ANN401 - as it came
    """Return an image: a path, or the bytes that Parquet files of Hugging Face hold."""
    if isinstance(given, bytes):
        return given
    if isinstance(given, Mapping):
        entry = cast("Mapping[str, Any]", given)
        return entry["bytes"] if isinstance(entry.get("bytes"), bytes) else _file(entry.get("path"), folder)
    return _file(given, folder)


def _file(given: object, folder: Path) -> Path:
    """Return a file inside the folder of the set; raise `RecordUnusableError` for any other."""
    if not isinstance(given, str):
        raise RecordUnusableError(f"{type(given).__name__} is not a path")
    path = (folder / given).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise RecordUnusableError(f"{given} is outside the folder of the question set")
    if not path.is_file():
        raise RecordUnusableError(f"{given} does not exist in the folder of the question set")
    return path

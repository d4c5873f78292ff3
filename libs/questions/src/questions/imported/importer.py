"""Imports a question set: a JSONL or Parquet file, with images and videos beside it or inside."""

import math
from collections.abc import Iterator, Mapping
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
from questions.imported.files import file_inside
from questions.imported.question import ImportedQuestion
from questions.imported.records import records_of
from questions.items import QuestionItem, Scorer
from questions.scorers import choice_letter

TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def import_questions(path: Path) -> Iterator[ImportedQuestion]:
    """Yield the questions of a `.jsonl` or `.parquet` file.

    Raises `RecordUnusableError` for a record without question, answer or files, with its number.
    """
    for number, record in enumerate(records_of(path), 1):
        try:
            yield _question(record, number, path)
        except RecordUnusableError as error:
            raise RecordUnusableError(f"record {number} of {path.name}: {error}") from error


def _question(record: Record, number: int, path: Path) -> ImportedQuestion:
    text = first_of(record, QUESTION)
    if not isinstance(text, str):
        raise RecordUnusableError(f"it has no question; known fields are {', '.join(QUESTION)}")
    answer, exact, scorer = _expected(record)
    videos = tuple(_file(each, path.parent) for each in paths_of(record, VIDEO))
    images = tuple(_file_or_bytes(each, path.parent) for each in paths_of(record, IMAGES))
    if not images and not videos:
        raise RecordUnusableError(f"it has neither images nor a video; known fields are {', '.join(IMAGES + VIDEO)}")
    item = QuestionItem(
        id=f"{path.stem}-{first_of(record, IDENTITY) or number}",
        source=path.stem,
        kind=str(first_of(record, KIND) or "unknown"),
        text=text,
        answer=answer,
        exact=exact,
        scorer=scorer,
        is_video=len(videos) == 1 and not images,
    )
    return ImportedQuestion(item, images, videos)


def _expected(record: Record) -> tuple[AnswerSpec, Value, Scorer]:
    """Return what a record expects, its exact answer, and the scorer."""
    choices = choices_of(record)
    if choices:
        return (
            ChoiceSpec(kind="choice", choices=choices),
            exact_letter(first_of(record, ANSWER_INDEX), first_of(record, ANSWER), choices),
            "choice",
        )
    answer = first_of(record, ANSWER)
    if answer is None:
        raise RecordUnusableError(f"it has no answer; known fields are {', '.join(ANSWER)}")
    truth = answer if isinstance(answer, bool) else TRUTHS.get(str(answer).strip().casefold())
    if truth is not None:
        return BooleanSpec(kind="boolean"), truth, "exact"
    number = number_of(answer)
    if number is None:
        return TextSpec(kind="text"), str(answer).strip(), "exact"
    if number == int(number) and "." not in str(answer):
        return IntegerSpec(kind="integer"), int(number), "relative_accuracy"
    return NumberSpec(kind="number", unit=str(record.get("unit") or "")), number, "relative_accuracy"


def exact_letter(index: object, answer: object, choices: tuple[str, ...]) -> str:
    """Return the letter of the right choice: by its number from 0, its text or its letter."""
    letters = ChoiceSpec(kind="choice", choices=choices).letters
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(choices):
        return letters[index]
    text = str(answer or "").strip()
    texts = [_plain(choice) for choice in choices]
    if _plain(text) in texts:
        return letters[texts.index(_plain(text))]
    letter = choice_letter(text, choices)
    if letter is None:
        raise RecordUnusableError(f"its answer {text!r} is not one of {len(choices)} choices")
    return letter


def _plain(choice: str) -> str:
    return choice.strip().rstrip(".").casefold()


def number_of(answer: object) -> float | None:
    """Return a finite number, also of a text; None for anything else."""
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
    if not isinstance(given, str):
        raise RecordUnusableError(f"{type(given).__name__} is not a path")
    return file_inside(given, folder)

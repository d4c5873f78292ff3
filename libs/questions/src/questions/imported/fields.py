"""Fields of a record under the names that public question sets use."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, cast

Record: TypeAlias = Mapping[str, Any]
"""A line of JSONL or a row of Parquet, as it came."""

QUESTION = ("question", "query", "prompt", "instruction", "text")
ANSWER = ("answer", "ground_truth", "gt", "gt_answer", "correct_answer", "target", "label_text")
ANSWER_INDEX = ("answer_index", "answer_idx", "answer_id", "correct_index", "gt_index", "label")
"""The number of the right choice, from 0."""
CHOICES = ("choices", "options", "candidates", "multiple_choice")
IDENTITY = ("id", "question_id", "qid", "idx", "sample_id", "uid")
KIND = ("question_type", "category", "task", "task_type", "sub_task", "type", "subtask")
IMAGES = ("images", "image", "image_paths", "image_path", "img", "img_paths", "image_files")
VIDEO = ("video", "video_path", "video_file", "clip", "video_url")
LETTER_PREFIX = re.compile(r"^\s*\(?[A-Z][).:]\s+")
"""Of a choice, such as `A. `."""


class RecordUnusableError(ValueError):
    """A record of a question set lacks something; the message names the record and the field."""


def first_of(record: Record, names: Sequence[str]) -> Any:  # noqa: ANN401 - as it came
    """Return the first field that exists and is not empty; None if there is none."""
    return next((record[name] for name in names if record.get(name) not in (None, "", [], {})), None)


def choices_of(record: Record) -> tuple[str, ...]:
    """Return the texts of the choices without their letters: of a list, a map by letter, or a text with lines."""
    given = first_of(record, CHOICES)
    if isinstance(given, str):
        given = parsed_choices(given)
    if isinstance(given, Mapping):
        by_letter = cast("Mapping[str, object]", given)
        given = [by_letter[letter] for letter in sorted(by_letter)]
    if given is None or not isinstance(given, Sequence):
        return ()
    return tuple(LETTER_PREFIX.sub("", str(each)).strip() for each in cast("Sequence[object]", given))


def paths_of(record: Record, names: Sequence[str]) -> list[Any]:
    """Return what a record gives as its images or video: paths, or maps with `bytes` or `path`."""
    given = first_of(record, names)
    if given is None:
        return []
    return list(cast("Sequence[Any]", given)) if isinstance(given, list | tuple) else [given]


def parsed_choices(text: str) -> object:
    """Return the choices of a text: JSON, Python, or a line for each."""
    if holds_list(text):
        for parse in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError):
                return parse(text.strip())
    return [line for line in text.splitlines() if line.strip()]


def holds_list(text: str) -> bool:
    """Tell whether a text begins as a list or a map of JSON or Python does."""
    return text.lstrip().startswith(("[", "{"))

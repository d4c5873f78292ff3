"""Reads a public data set from the user's own copy, by its layout."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.models.questions.answers import (
    AnswerSpec,
    BooleanSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    TextSpec,
    Value,
    VectorSpec,
)

from questions.imported.datasets.catalog import DATASETS
from questions.imported.datasets.choices import choices_of_record, require_choices
from questions.imported.datasets.layout import ANY, CHOICE, TEXT, AnswerForm, DatasetLayout
from questions.imported.datasets.paths import STEM, files_of_record
from questions.imported.fields import Record, RecordUnusableError
from questions.imported.files import VIDEO_SUFFIXES
from questions.imported.importer import TRUTHS, exact_letter, number_of
from questions.imported.question import Cells, ImportedQuestion
from questions.imported.records import records_of, require_parquet
from questions.items import QuestionItem
from questions.scorers import mask_image, require_view_change

MAX_TEXT = 400
"""Characters: SPAR's motions of a camera on ten axes."""
LONE_LETTER = re.compile(r"\(?([A-Z])[).:]?")
POINT_SPEC = VectorSpec(kind="vector", length=2, unit="shares of the image's width and height, from its upper left")


@dataclass(frozen=True)
class Dataset:
    """The questions of a data set, and how many it has that are not scored without a judge or a simulator."""

    layout: DatasetLayout
    files: tuple[Path, ...]
    questions: tuple[ImportedQuestion, ...]
    left_out: int


def load_dataset(name: str, path: Path) -> Dataset:
    """Read the questions of a data set from its folder, or from one of its annotation files.

    Raises `RecordUnusableError`, which names set, file, row and what to do.
    """
    layout = DATASETS.get(name)
    if layout is None:
        raise RecordUnusableError(f"{name!r} is not a known data set; known ones are {', '.join(DATASETS)}")
    root, files = annotation_files(layout, path)
    found = [each for file in files for each in _questions(layout, root, file)]
    kept = tuple(each for each in found if each is not None)
    if not kept:
        raise RecordUnusableError(f"{name}: {path} has no question that can be scored; download {layout.source} again")
    return Dataset(layout, files, kept, len(found) - len(kept))


def annotation_files(layout: DatasetLayout, path: Path) -> tuple[Path, tuple[Path, ...]]:
    """Return the folder of a data set and its annotation files."""
    if path.is_file():
        for pattern in layout.files:
            if path.match(pattern):
                return path.absolute().parents[pattern.count("/")], (path.absolute(),)
        if path.suffix not in {Path(pattern).suffix for pattern in layout.files}:
            raise RecordUnusableError(
                f"{layout.name}: {path.name} is not one of {', '.join(layout.files)}; name another"
            )
        return path.absolute().parent, (path.absolute(),)
    for pattern in layout.files:
        if files := sorted(each for each in path.absolute().glob(pattern) if each.is_file()):
            return path.absolute(), tuple(files)
    wanted = " or ".join(layout.files)
    raise RecordUnusableError(
        f"{layout.name}: {path} has no {wanted}; give the folder of your copy of {layout.source} of Hugging Face"
    )


def _questions(layout: DatasetLayout, root: Path, file: Path) -> Iterator[ImportedQuestion | None]:
    if layout.embedded and file.suffix == ".parquet":
        _require_columns(layout, file)
    for row, record in enumerate(_records(layout, file)):
        place = f"{layout.name}, {file.relative_to(root)}, row {row + 1}"
        try:
            prepared = record if layout.prepare is None else layout.prepare(record)
            yield _question(prepared, row, layout, root, file, place)
        except RecordUnusableError as error:
            raise RecordUnusableError(f"{place}: {error}") from error


def _records(layout: DatasetLayout, file: Path) -> Iterator[Record]:
    try:
        yield from records_of(file, layout.embedded)
    except RecordUnusableError as error:
        raise RecordUnusableError(f"{layout.name}, {error}") from error


def _require_columns(layout: DatasetLayout, file: Path) -> None:
    require_parquet(file)
    from questions.imported.parquet_files import parquet_columns  # noqa: PLC0415 - it needs an extra

    if missing := [name for name in layout.embedded if name not in parquet_columns(file)]:
        raise RecordUnusableError(f"{layout.name}, {file.name}: {_missing(layout, missing, parquet_columns(file))}")


def _missing(layout: DatasetLayout, missing: Sequence[str], given: Sequence[str]) -> str:
    names = ", ".join(given)
    return f"it has no column {', '.join(missing)}, but {names}; download the annotations of {layout.source} again"


def _question(  # noqa: PLR0913, PLR0917 - a record and its place
    record: Record, row: int, layout: DatasetLayout, root: Path, file: Path, place: str
) -> ImportedQuestion | None:
    needed = [layout.question, layout.kind, *([layout.answer_kind] if layout.answer_kind else [])]
    if missing := [name for name in needed if name not in record]:
        raise RecordUnusableError(_missing(layout, missing, list(record)))
    kind = str(record[layout.kind])
    form = _form(layout, str(record[layout.answer_kind or layout.kind]))
    if form is None:
        return None
    text, choices = choices_of_record(record, layout)
    spec, exact, form = _expected(record, layout, form, choices)
    images, videos, frames = _media(record, layout, root, file)
    cells = (Cells(file, row, tuple(layout.embedded)),) if layout.embedded else ()
    item = QuestionItem(
        id=f"{layout.name}-{_identity(record, layout, file, row)}",
        source=layout.name,
        kind=layout.kinds.get(kind, kind),
        text=text,
        answer=spec,
        exact=exact,
        scorer=form.scorer,
        zero=form.zero,
        stationary_below=form.stationary_below,
        mask=str(record[layout.answer[0]]) if form.kind == "point" else "",
        is_video=len(videos) == 1 and not images,
    )
    return ImportedQuestion(item, (*images, *cells), videos, frames, place)


def _media(
    record: Record, layout: DatasetLayout, root: Path, file: Path
) -> tuple[tuple[Path, ...], tuple[Path, ...], tuple[Path, ...]]:
    """Return the files that a record names: images, videos, and frames of a video."""
    found = files_of_record(record, layout, root, file)
    files = [each for paths in found.values() for each in paths]
    if not files and not layout.embedded:
        raise RecordUnusableError(f"it names no image and no video; its columns are {', '.join(record)}")
    videos = tuple(each for each in files if each.suffix.casefold() in VIDEO_SUFFIXES)
    frames = tuple(each for template, paths in found.items() for each in paths if f"{{{layout.frames}}}" in template)
    return tuple(each for each in files if each not in videos and each not in frames), videos, frames


def _form(layout: DatasetLayout, kind: str) -> AnswerForm | None:
    if kind not in layout.answers and ANY not in layout.answers:
        column, known = layout.answer_kind or layout.kind, ", ".join(layout.answers)
        raise RecordUnusableError(
            f"{column} {kind!r} is not one of {known}; correct the row, or download the set again"
        )
    return layout.answers.get(kind, layout.answers.get(ANY))


def _identity(record: Record, layout: DatasetLayout, file: Path, row: int) -> str:
    named = {**record, STEM: file.stem}
    parts = [str(named[name]) for name in layout.identity if named.get(name) not in (None, "")]
    return "-".join(parts) if len(parts) == len(layout.identity) and parts else f"{file.stem}-{row + 1}"


def _expected(
    record: Record, layout: DatasetLayout, form: AnswerForm, choices: tuple[str, ...]
) -> tuple[AnswerSpec, Value, AnswerForm]:
    """Return what a record expects, its exact answer, and how it is scored."""
    answer = next((record[name] for name in layout.answer if record.get(name) not in (None, "")), None)
    if answer is None:
        raise RecordUnusableError(f"it has no {' or '.join(layout.answer)}; use the split that has answers")
    if form.kind == "choice" and len(choices) < 2:
        if not isinstance(answer, bool) and str(answer).strip().casefold() not in TRUTHS:
            where = (
                f"column {' or '.join(layout.choices)}" if layout.choices else "its question's text, as in `A. left`"
            )
            raise RecordUnusableError(f"it has {len(choices)} choices in {where}; two or more are needed")
        form = TEXT
    if form.kind == "choice":
        require_choices(choices)
        spec = ChoiceSpec(kind="choice", choices=choices)
        return spec, _letter(spec, answer, is_index=layout.is_index), CHOICE
    return *_open_answer(form, answer), form


def _letter(spec: ChoiceSpec, answer: object, *, is_index: bool) -> str:
    """Return the letter of the right choice; a lone letter is not the text of a choice."""
    if is_index:
        index = number_of(answer)
        if index is None or index not in range(len(spec.choices)):
            raise RecordUnusableError(f"its answer {answer!r} is not the number of a choice, from 0; correct the row")
        return spec.letters[int(index)]
    alone = LONE_LETTER.fullmatch(str(answer).strip())
    return alone[1] if alone and alone[1] in spec.letters else exact_letter(None, answer, spec.choices)


def _require_scorable(form: AnswerForm, answer: str) -> None:
    try:
        if form.scorer == "view_change":
            require_view_change(answer)
        if form.scorer == "point_in_mask":
            mask_image(answer)
    except (OSError, SyntaxError, ValueError) as error:
        raise RecordUnusableError(f"its answer {answer[:40]!r} cannot be scored ({error}); correct the row") from error


def _open_answer(form: AnswerForm, answer: object) -> tuple[AnswerSpec, Value]:
    truth = answer if isinstance(answer, bool) else TRUTHS.get(str(answer).strip().casefold())
    _require_scorable(form, str(answer))
    if form.kind == "point":
        return POINT_SPEC, "a point in the mask"
    if form.kind == "text" and truth is not None:
        return BooleanSpec(kind="boolean"), truth
    if form.kind == "text":
        return TextSpec(kind="text", max_chars=MAX_TEXT), str(answer).strip()
    number = number_of(answer)
    if number is None or (form.kind == "integer" and number != int(number)):
        raise RecordUnusableError(f"its answer {answer!r} is not a {form.kind}; correct the row")
    if form.kind == "integer":
        return IntegerSpec(kind="integer"), int(number)
    return NumberSpec(kind="number", unit=""), number

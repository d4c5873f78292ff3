"""Records of annotation files: JSON, JSON lines, CSV, TSV and Parquet, as they come."""

import csv
import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from questions.imported.fields import Record, RecordUnusableError


def records_of(path: Path, left_out: Sequence[str] = ()) -> Iterator[Record]:
    """Yield the records of a file; raise `RecordUnusableError`. Columns with pictures are better left out."""
    number = 0
    try:
        for number, record in enumerate(_records(path, left_out), 1):
            if None in record:
                raise RecordUnusableError(f"record {number} of {path.name} has more cells than there are columns")
            yield record
    except (UnicodeDecodeError, csv.Error) as error:
        raise RecordUnusableError(f"{path.name} cannot be read after record {number} ({error}); correct it") from error


def _records(path: Path, left_out: Sequence[str]) -> Iterator[Record]:
    match path.suffix:
        case ".parquet":
            yield from _parquet_records(path, left_out)
        case ".jsonl":
            yield from _json_lines(path)
        case ".json":
            yield from _json_records(path)
        case ".csv" | ".tsv":
            with path.open(encoding="utf-8-sig", newline="") as lines:
                yield from csv.DictReader(lines, delimiter="," if path.suffix == ".csv" else "\t")
        case _:
            raise RecordUnusableError(f"{path.name} is neither .json, .jsonl, .csv, .tsv nor .parquet")


def require_parquet(path: Path) -> None:
    """Raise `RecordUnusableError` if Parquet files cannot be read here."""
    if find_spec("pyarrow") is None:
        raise RecordUnusableError(f"{path.name} needs the package pyarrow: install it, or convert the file to JSONL")


def _parquet_records(path: Path, left_out: Sequence[str]) -> Iterator[Record]:
    require_parquet(path)
    from questions.imported.parquet_files import parquet_records  # noqa: PLC0415 - it needs an extra

    return parquet_records(path, left_out)


def _json_lines(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _object(_parsed(line, f"line {number} of {path.name}"), f"line {number} of {path.name}")


def _json_records(path: Path) -> Iterator[Record]:
    given = _parsed(path.read_text(encoding="utf-8"), path.name)
    if not isinstance(given, list):
        raise RecordUnusableError(f"{path.name} is not a list of objects")
    for number, each in enumerate(cast("list[Any]", given), 1):
        yield _object(each, f"record {number} of {path.name}")


def _parsed(text: str, place: str) -> Any:  # noqa: ANN401 - as it came
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise RecordUnusableError(f"{place} is not JSON: {error}") from error


def _object(given: Any, place: str) -> Record:  # noqa: ANN401 - as it came
    if not isinstance(given, dict):
        raise RecordUnusableError(f"{place} is not an object")
    return cast("Record", given)

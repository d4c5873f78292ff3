"""Loads benchmarks: folders with a `benchmark.yaml` and an `environment.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml
from artifacts.port import reference
from contracts.models.benchmark import Variant
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.variant import make_variant

SUITE = Path(__file__).parent / "suite"
"""The built-in benchmarks."""
FILE = "benchmark.yaml"
CODE = "environment.py"
CODE_TYPE = "text/x-python"


class BenchmarkError(ValueError):
    """A benchmark's files are invalid. The message is one line with the file, the field, the value and the fix."""


@dataclass(frozen=True)
class LoadedBenchmark:
    """One variant of a benchmark, and the code of its environment."""

    variant: Variant
    file: BenchmarkFile
    """The content of benchmark.yaml, including its limits."""
    environment_code: bytes
    """Must be stored as an artifact before an event names it."""


def load(name_or_path: str, seed: int) -> LoadedBenchmark:
    """Return a benchmark under a seed; raise `BenchmarkError` if it is unknown or invalid."""
    folder = _folder(name_or_path)
    file = _read_file(folder / FILE)
    code = _read(folder / CODE)
    try:
        variant = make_variant(file, seed, reference(code, CODE_TYPE))
    except ValidationError as error:
        raise BenchmarkError(f"{folder / FILE} with seed {seed}: {_first_error(error, {})}") from error
    return LoadedBenchmark(variant, file, code)


def built_in() -> list[str]:
    """Return the names of the built-in benchmarks."""
    return sorted(path.parent.name for path in SUITE.glob(f"*/{FILE}"))


def _folder(name_or_path: str) -> Path:
    if name_or_path in built_in():
        return SUITE / name_or_path
    path = Path(name_or_path)
    if path.name == FILE:
        path = path.parent
    if not path.is_dir():
        names = ", ".join(built_in()) or "none"
        raise BenchmarkError(
            f"unknown benchmark {name_or_path!r}: name a folder that contains {FILE}, or a built-in benchmark ({names})"
        )
    return path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BenchmarkError(f"{path} cannot be read: {error.strerror}") from error


def _read_file(path: Path) -> BenchmarkFile:
    text = _read(path)
    try:
        content: object = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # PyYAML raises ValueError for impossible dates
        raise BenchmarkError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, Mapping):
        raise BenchmarkError(
            f"{path} must contain named fields such as `name:` and `goal_zone:`, but is {_shown(content)}"
        )
    fields = cast("Mapping[str, object]", content)
    try:
        return BenchmarkFile.model_validate(fields)
    except ValidationError as error:
        raise BenchmarkError(f"{path}: {_first_error(error, fields)}") from error


def _first_error(error: ValidationError, content: Mapping[str, object]) -> str:
    """Return the first error with its field, and the number of further errors."""
    details = error.errors(include_url=False, include_context=False)
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    field = _field(details[0], content)
    message = _message(details[0])
    return f"{field}: {message}{more}" if field else f"{message}{more}"


def _message(detail: ErrorDetails) -> str:
    match detail["type"]:
        case "missing":
            return "this field is missing; add it"
        case "extra_forbidden":
            return "this field is unknown; correct its name or remove it"
        case "value_error":
            return detail["msg"].removeprefix("Value error, ")
        case _:
            return f"{detail['msg']}, but it is {_shown(detail['input'])}"


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    return repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"


def _field(detail: ErrorDetails, content: Mapping[str, object]) -> str:
    """Return the path of the invalid field, with the labels of zones."""
    path: list[str] = []
    value: object = content
    for step in detail["loc"]:
        value = _item(value, step)
        label = _item(value, "label")
        path.append(f"{step} ({label})" if isinstance(step, int) and label else str(step))
    return ".".join(path)


def _item(container: object, key: str | int) -> object:
    if isinstance(container, Mapping):
        return cast("Mapping[object, object]", container).get(key)
    if isinstance(container, Sequence) and isinstance(key, int) and key < len(cast("Sequence[object]", container)):
        return cast("Sequence[object]", container)[key]
    return None

"""A benchmark on disk: `benchmark.yaml` and `environment.py` in one folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml
from artifacts.port import reference
from contracts.models.benchmark import Variant
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from benchmarks.benchmark_file import BenchmarkFile, read_benchmark, vary

SUITE = Path(__file__).parent / "suite"
"""The benchmarks that come along."""
FILE = "benchmark.yaml"
CODE = "environment.py"
CODE_TYPE = "text/x-python"


class BenchmarkError(ValueError):
    """One line that says what is wrong with a benchmark's files, and where."""


@dataclass(frozen=True)
class LoadedBenchmark:
    """One world, and the code that builds it."""

    variant: Variant
    file: BenchmarkFile
    """What the file says, its limits among it."""
    environment_code: bytes
    """To be stored before any event names it."""


def load(name_or_path: str, seed: int) -> LoadedBenchmark:
    """Return a benchmark under a seed; raise `BenchmarkError`, in one line, for whatever is wrong with it."""
    folder = _folder(name_or_path)
    file = _read_file(folder / FILE)
    code = _read(folder / CODE)
    try:
        variant = vary(file, seed, reference(code, CODE_TYPE))
    except ValidationError as error:
        raise BenchmarkError(f"{folder / FILE} with seed {seed}: {_first_line(error, {})}") from error
    return LoadedBenchmark(variant, file, code)


def built_in() -> list[str]:
    """Return the names of the benchmarks that come along."""
    return sorted(path.parent.name for path in SUITE.glob(f"*/{FILE}"))


def _folder(name_or_path: str) -> Path:
    if name_or_path in built_in():
        return SUITE / name_or_path
    path = Path(name_or_path)
    if path.name == FILE:
        path = path.parent
    if not path.is_dir():
        known = ", ".join(built_in()) or "none here"
        raise BenchmarkError(f"no benchmark {name_or_path!r}: give a folder with {FILE}, or one of: {known}")
    return path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BenchmarkError(f"{path} cannot be read: {error.strerror}") from error


def _read_file(path: Path) -> BenchmarkFile:
    try:
        content: object = yaml.safe_load(_read(path))
    except yaml.YAMLError as error:
        raise BenchmarkError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    except UnicodeDecodeError as error:
        raise BenchmarkError(f"{path} is not text: {error.reason}") from error
    if not isinstance(content, Mapping):
        raise BenchmarkError(f"{path} must hold named fields such as `name:` and `goal_zone:`")
    fields = cast("Mapping[str, object]", content)
    try:
        return read_benchmark(fields)
    except ValidationError as error:
        raise BenchmarkError(f"{path}: {_first_line(error, fields)}") from error


def _first_line(error: ValidationError, content: Mapping[str, object]) -> str:
    """Say the first thing that is wrong, and how much else is."""
    details = error.errors(include_url=False, include_context=False)
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    place = _place(details[0], content)
    message = details[0]["msg"].removeprefix("Value error, ")
    return f"{place}: {message}{more}" if place else f"{message}{more}"


def _place(detail: ErrorDetails, content: Mapping[str, object]) -> str:
    """Return where it is wrong, with the label of a zone where there is one."""
    words: list[str] = []
    here: object = content
    for step in detail["loc"]:
        here = _inside(here, step)
        label = _inside(here, "label")
        words.append(f"{step} ({label})" if isinstance(step, int) and label else str(step))
    return ".".join(words)


def _inside(here: object, step: str | int) -> object:
    if isinstance(here, Mapping):
        return cast("Mapping[object, object]", here).get(step)
    if isinstance(here, Sequence) and isinstance(step, int) and step < len(cast("Sequence[object]", here)):
        return cast("Sequence[object]", here)[step]
    return None

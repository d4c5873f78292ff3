"""The texts of a benchmark as an author writes them: what they may be, and the worlds that they state."""

from collections.abc import Iterable, Mapping

from artifacts.port import reference
from contracts.models.benchmark import BenchmarkFiles, Variant

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import CODE, CODE_TYPE, FILE, TEMPLATE, WITNESS, BenchmarkError, read_file
from benchmarks.variant import NoValidWorldError, make_variant, nominal_variant

FIELDS: Mapping[str, str] = {FILE: "benchmark_yaml", CODE: "environment_py", WITNESS: "witness_py"}
"""The field of `BenchmarkFiles` for each file."""
MAX_CHARS = 40_000
"""Of one file."""
_TEMPLATE_NAME, _TEMPLATE_LEVEL = "NAME", 1


def template_texts(level: int) -> dict[str, str]:
    """Return the files that an author begins with, by path: the template, with this level."""
    texts = {path: (TEMPLATE / path).read_text(encoding="utf-8") for path in FIELDS}
    texts[FILE] = texts[FILE].replace(f"level: {_TEMPLATE_LEVEL}\n", f"level: {level}\n", 1)
    return texts


def read_texts(files: BenchmarkFiles, level: int) -> BenchmarkFile:
    """Return the content of benchmark.yaml, of the level that was ordered; raise `BenchmarkError` with all faults."""
    for path, field in FIELDS.items():
        text = str(getattr(files, field))
        if not text.strip():
            raise BenchmarkError(path, "it is missing: write it")
        if len(text) > MAX_CHARS:
            raise BenchmarkError(path, f"it has {len(text)} characters, at most {MAX_CHARS} are possible: shorten it")
    file = read_file(files.benchmark_yaml.encode(), FILE)
    if file.level != level:
        raise BenchmarkError(
            FILE, f"level is {file.level}, ordered was {level}; correct level, and what makes the world as hard"
        )
    if file.name == _TEMPLATE_NAME:
        raise BenchmarkError(FILE, f"name is still {file.name}, as in the template; give the benchmark its own")
    return file


def variant_of(files: BenchmarkFiles, file: BenchmarkFile, seed: int | None) -> Variant:
    """Return the world of a seed, or the nominal one for None; raise `BenchmarkError` if it is not valid."""
    code = reference(files.environment_py.encode(), CODE_TYPE)
    try:
        return nominal_variant(file, code) if seed is None else make_variant(file, seed, code)
    except NoValidWorldError as error:
        raise BenchmarkError(FILE, str(error)) from error


def variants_of(files: BenchmarkFiles, file: BenchmarkFile, seeds: Iterable[int]) -> tuple[Variant, ...]:
    """Return the worlds of these seeds; raise `BenchmarkError` if one is not valid."""
    return tuple(variant_of(files, file, seed) for seed in seeds)

"""The folder of an evaluation: its options, and a line for each finished run, so that it resumes where it was."""

from collections.abc import Callable, Hashable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

from benchmarks.loader import CODE, file_of
from benchmarks.regular_file import read_regular_file
from contracts.model import Model
from contracts.models.benchmark import Budget, Executor
from contracts.settings import COMMAND
from local_stack.errors import UserError
from pydantic import ValidationError
from run_requests.request import RunOptions

from cli.certification.records import WorldRecord
from cli.evaluation.trials import Evaluation, TrialResult
from cli.json_lines import append_line, read_lines

RESULTS = "results.jsonl"
OPTIONS = "options.json"
Key = tuple[str, Executor, int]
R = TypeVar("R", bound=Model)


class EvaluationOptions(Model):
    """What decides about the results of an evaluation."""

    benchmarks: dict[str, str]
    """By name the digest of the benchmark's file and environment."""
    executors: tuple[Executor, ...]
    seeds: tuple[int, ...]
    model: str
    quantity: int
    budget: Budget

    @classmethod
    def of(cls, planned: Sequence[RunOptions]) -> "EvaluationOptions":
        """Return the options of planned runs, which differ in benchmark, executor and seed only."""
        first = planned[0]
        return cls(
            benchmarks={name: _digest(name) for name in dict.fromkeys(each.benchmark for each in planned)},
            executors=tuple(dict.fromkeys(each.executor for each in planned)),
            seeds=tuple(dict.fromkeys(each.seed for each in planned)),
            model=first.model,
            quantity=first.quantity,
            budget=first.budget,
        )


class ResultFolder(Generic[R]):
    """Results that are kept as runs end; without a folder nothing is kept."""

    def __init__(
        self, folder: Path | None, name: str, options: Model, kind: type[R], key: Callable[[R], Hashable]
    ) -> None:
        """Open or create the folder; raise `UserError` if it belongs to an evaluation with other options.

        `name` is the file of results, which `key` tells apart.
        """
        self._file, self._key = None if folder is None else folder / name, key
        self.results: list[R] = []
        if folder is not None:
            _require_equal_options(folder, options)
            self.results = read_lines(folder / name, kind, "--output")

    def append(self, result: R) -> None:
        """Keep a result."""
        self.results.append(result)
        if self._file is not None:
            append_line(self._file, result)

    def by_key(self) -> dict[Hashable, R]:
        """Return the results by their keys."""
        return {self._key(result): result for result in self.results}


class EvaluationFolder(ResultFolder[TrialResult]):
    """Results of runs of benchmarks."""

    def __init__(self, folder: Path | None, options: EvaluationOptions, witnesses: Sequence[WorldRecord] = ()) -> None:
        """See `ResultFolder`; results are compared with the witnesses of the same worlds, earlier ones as well."""
        super().__init__(folder, RESULTS, options, TrialResult, _key)
        self._witnesses = witnesses
        self.results = [with_witness(result, witnesses) for result in self.results]

    def append(self, result: TrialResult) -> None:
        """Keep a result."""
        super().append(with_witness(result, self._witnesses))

    def missing(self, planned: Sequence[RunOptions]) -> list[RunOptions]:
        """Return the runs without a result."""
        done = self.by_key()
        return [each for each in planned if (each.benchmark, each.executor, each.seed) not in done]

    def evaluation(self, planned: Sequence[RunOptions]) -> Evaluation:
        """Return the results and their scores, in the order of the planned runs."""
        found = self.by_key()
        keys: list[Key] = [(each.benchmark, each.executor, each.seed) for each in planned]
        return Evaluation.of([found[key] for key in keys if key in found])


def results_of(folder: Path) -> list[TrialResult]:
    """Return the results of a finished or interrupted evaluation; raise `UserError` if there are none."""
    if not (folder / RESULTS).is_file():
        raise UserError(f"{folder} has no {RESULTS}; name a folder of `{COMMAND} eval --output`")
    return read_lines(folder / RESULTS, TrialResult, "another folder")


def with_witness(result: TrialResult, records: Sequence[WorldRecord]) -> TrialResult:
    """Return a result with its price and mass as shares of the witness's in the same world, if that is known."""
    for record in reversed(records):
        if (record.benchmark, record.world) == (result.benchmark, f"seed {result.seed}") and record.is_robust:
            shares = {
                "price_share": _share(result.unit_price_usd, record.unit_price_usd),
                "mass_share": _share(result.mass_kg, record.mass_kg),
            }
            return result.model_copy(update=shares)
    return result


def _share(value: float | None, of: float | None) -> float | None:
    return None if value is None or not of else round(value / of, 4)


def _key(result: TrialResult) -> Key:
    return result.benchmark, result.executor, result.seed


def _digest(name: str) -> str:
    file = file_of(name)
    return sha256(
        b"\0".join(sha256(read_regular_file(path)).digest() for path in (file, file.with_name(CODE)))
    ).hexdigest()


def _require_equal_options(folder: Path, options: Model) -> None:
    file = folder / OPTIONS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_text(options.model_dump_json(indent=2) + "\n", encoding="utf-8")
            return
        before = type(options).model_validate_json(file.read_bytes())
    except OSError as error:
        raise UserError(f"{folder} cannot be used: {error.strerror}; choose another with --output") from error
    except ValidationError as error:
        raise UserError(f"{file} cannot be read: {error.errors()[0]['msg']}; choose another with --output") from error
    if different := [name for name in type(options).model_fields if getattr(before, name) != getattr(options, name)]:
        raise UserError(
            f"{folder} belongs to an evaluation with other {' and '.join(different)}; give the same options, or choose "
            "another folder with --output"
        )

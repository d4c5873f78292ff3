"""Results of `millwright eval --output`, read and summarized."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from contracts.confidence import all_known, median_known, wilson_interval
from pydantic import BaseModel, ValidationError

RESULTS = "results.jsonl"
MOST_BYTES = 16 << 20


class EvaluatedRun(BaseModel):
    """What pages show of one line of the results."""

    benchmark: str
    executor: str
    model: str
    seed: int
    run_id: str
    solved: bool
    designs: int = 0
    reason: str = ""
    failure: str | None = None
    steps: int
    cost_usd: float | None
    time_s: float
    success_rate: float | None = None
    unit_price_usd: float | None = None
    mass_kg: float | None = None
    price_share: float | None = None


class EvaluationRow(NamedTuple):
    """One benchmark with one executor, or all of them together; figures are medians, those of price of solved runs."""

    benchmark: str
    executor: str
    runs: Sequence[EvaluatedRun]
    solved: int
    first_try: int
    """Runs whose only design was proven."""
    failures: str
    """By class, the most frequent first."""
    interval: tuple[float, float]
    """Of the solved share, 95 %."""
    success_rate: float | None
    """Share of the replicas that the worst of the proven designs solved; None without one, or if one is unknown."""
    steps: float
    time_s: float
    cost_usd: float | None
    unit_price_usd: float | None
    price_share: float | None
    """Of the witness's price in the same world."""


class EvaluationFile(NamedTuple):
    """One folder of results."""

    name: str
    models: str
    rows: Sequence[EvaluationRow]
    total: EvaluationRow | None
    problem: str

    @property
    def runs(self) -> list[EvaluatedRun]:
        """All its runs."""
        return [run for row in self.rows for run in row.runs]


def read_evaluations(folder: Path) -> list[EvaluationFile]:
    """Return the evaluations of a folder, the newest first."""
    files = sorted(folder.glob(f"**/{RESULTS}"), key=lambda file: file.stat().st_mtime, reverse=True)
    return [_read(file, str(file.parent.relative_to(folder))) for file in files[:50]]


def _read(file: Path, name: str) -> EvaluationFile:
    if file.stat().st_size > MOST_BYTES:
        return EvaluationFile(name, "", (), None, f"the file is larger than {MOST_BYTES} bytes")
    try:
        lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
        runs = [EvaluatedRun.model_validate_json(line) for line in lines]
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        return EvaluationFile(name, "", (), None, f"it cannot be read: {str(error).splitlines()[0][:200]}")
    keys = dict.fromkeys((each.benchmark, each.executor) for each in runs)
    rows = [_row([each for each in runs if (each.benchmark, each.executor) == key]) for key in keys]
    total = _row(runs)._replace(benchmark="all", executor="") if len(rows) > 1 else None
    return EvaluationFile(name, ", ".join(sorted({each.model for each in runs})), rows, total, "")


def _row(runs: Sequence[EvaluatedRun]) -> EvaluationRow:
    proven = [each for each in runs if each.solved]
    failures = Counter(each.failure for each in runs if each.failure is not None)
    return EvaluationRow(
        runs[0].benchmark,
        runs[0].executor,
        runs,
        len(proven),
        sum(each.designs == 1 for each in proven),
        ", ".join(f"{count} {name}" for name, count in failures.most_common()),
        wilson_interval(len(proven), len(runs)),
        min(all_known([each.success_rate for each in proven]), default=None),
        median(each.steps for each in runs),
        median(each.time_s for each in runs),
        median_known(all_known([each.cost_usd for each in runs])),
        median_known(each.unit_price_usd for each in proven),
        median_known(each.price_share for each in proven),
    )

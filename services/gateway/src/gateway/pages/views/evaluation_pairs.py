"""Two evaluations, compared by the runs that they share: equal benchmark, equal seed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from contracts.confidence import mcnemar_p, paired_interval

from gateway.pages.views.evaluation_files import EvaluatedRun

Task = tuple[str, int]
Pair = tuple[EvaluatedRun, EvaluatedRun]


class PairedRow(NamedTuple):
    """How often either solved the pairs of one benchmark, or all pairs."""

    benchmark: str
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: float
    """Share that the second one solved, minus that of the first one."""
    interval: tuple[float, float]
    """Of the difference, 95 %."""
    p_value: float
    """Of McNemar's exact test, two-sided."""


def paired_rows(first: Sequence[EvaluatedRun], second: Sequence[EvaluatedRun]) -> list[PairedRow]:
    """Return a row for each benchmark, and one for all; none if they share no run.

    A task that one evaluation has several times, by several executors, has no pair.
    """
    ones, twos = _by_task(first), _by_task(second)
    pairs: dict[str, list[Pair]] = {}
    for task in sorted(ones.keys() & twos.keys()):
        pairs.setdefault(task[0], []).append((ones[task], twos[task]))
    rows = [_row(name, each) for name, each in pairs.items()]
    return rows if len(rows) < 2 else [*rows, _row("all", [pair for each in pairs.values() for pair in each])]


def _by_task(runs: Sequence[EvaluatedRun]) -> Mapping[Task, EvaluatedRun]:
    found: dict[Task, EvaluatedRun] = {(run.benchmark, run.seed): run for run in runs}
    counts = Counter((run.benchmark, run.seed) for run in runs)
    return {task: run for task, run in found.items() if counts[task] == 1}


def _row(benchmark: str, pairs: Sequence[Pair]) -> PairedRow:
    counts = Counter((one.solved, two.solved) for one, two in pairs)
    both, neither = counts[True, True], counts[False, False]
    only_first, only_second = counts[True, False], counts[False, True]
    return PairedRow(
        benchmark,
        both,
        only_first,
        only_second,
        neither,
        (only_second - only_first) / len(pairs),
        paired_interval(both, only_second, only_first, neither),
        mcnemar_p(only_first, only_second),
    )

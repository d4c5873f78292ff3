"""Comparison of two evaluations by the runs that they share: equal benchmark, equal seed."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Protocol, Self

from contracts.confidence import mcnemar_p, paired_interval
from contracts.model import Model
from local_stack.errors import UserError
from pydantic import NonNegativeInt


class Trial(Protocol):
    """What is compared of a run of a benchmark, or of a question."""

    @property
    def benchmark(self) -> str:
        """Return the name of the benchmark, or the kind of the question."""
        ...

    @property
    def seed(self) -> int:
        """Return what tells the runs of one benchmark apart."""
        ...

    @property
    def solved(self) -> bool:
        """Tell whether the run succeeded."""
        ...

    @property
    def steps(self) -> int:
        """Return the number of model calls that acted."""
        ...

    @property
    def input_tokens(self) -> int:
        """Return how many tokens models read."""
        ...

    @property
    def output_tokens(self) -> int:
        """Return how many tokens models wrote."""
        ...

    @property
    def cost_usd(self) -> float | None:
        """Return what the models cost, if that is known."""
        ...

    @property
    def time_s(self) -> float:
        """Return how long the run took."""
        ...


Pair = tuple[Trial, Trial]


class PairedScore(Model):
    """How two evaluations differ on the pairs of one benchmark, or on all pairs."""

    benchmark: str
    both: NonNegativeInt
    only_first: NonNegativeInt
    only_second: NonNegativeInt
    neither: NonNegativeInt
    difference: float
    """Share that the second one solved, minus that of the first one."""
    interval: tuple[float, float]
    """95 % confidence interval of the difference."""
    p_value: float
    """Of McNemar's exact test, two-sided: how likely a difference at least as large is between equals."""
    steps: float
    """Median of the differences, second minus first; here and below."""
    tokens: float
    time_s: float
    cost_usd: float | None

    @classmethod
    def of(cls, benchmark: str, pairs: Sequence[Pair]) -> Self:
        """Compare pairs, at least one."""
        counts = [sum((one.solved, two.solved) == each for one, two in pairs) for each in _OUTCOMES]
        both, only_first, only_second, neither = counts

        def typical(figure: Callable[[Trial], float]) -> float:
            return median(figure(two) - figure(one) for one, two in pairs)

        has_cost = all(each.cost_usd is not None for pair in pairs for each in pair)
        return cls(
            benchmark=benchmark,
            both=both,
            only_first=only_first,
            only_second=only_second,
            neither=neither,
            difference=(only_second - only_first) / len(pairs),
            interval=paired_interval(both, only_second, only_first, neither),
            p_value=mcnemar_p(only_first, only_second),
            steps=typical(lambda trial: trial.steps),
            tokens=typical(lambda trial: trial.input_tokens + trial.output_tokens),
            time_s=typical(lambda trial: trial.time_s),
            cost_usd=typical(lambda trial: trial.cost_usd or 0.0) if has_cost else None,
        )


_OUTCOMES = ((True, True), (True, False), (False, True), (False, False))


def compare(first: Sequence[Trial], second: Sequence[Trial]) -> tuple[PairedScore, ...]:
    """Compare two evaluations for each benchmark, and at the end for all; raise `UserError` if they share no run."""
    ones, twos = _by_task(first, "first"), _by_task(second, "second")
    pairs: dict[str, list[Pair]] = {}
    for task in sorted(ones.keys() & twos.keys()):
        pairs.setdefault(task[0], []).append((ones[task], twos[task]))
    if not pairs:
        raise UserError("the two evaluations share no benchmark and seed; run both with the same ones")
    everything = [pair for each in pairs.values() for pair in each]
    return (*(PairedScore.of(name, each) for name, each in pairs.items()), PairedScore.of("all", everything))


def _by_task(trials: Sequence[Trial], which: str) -> Mapping[tuple[str, int], Trial]:
    found: dict[tuple[str, int], Trial] = {}
    for trial in trials:
        task = (trial.benchmark, trial.seed)
        if task in found:
            name = f"{trial.benchmark} seed {trial.seed}"
            raise UserError(f"the {which} evaluation has {name} twice; evaluate each executor into its own folder")
        found[task] = trial
    return found

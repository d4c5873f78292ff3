"""Confidence intervals of success rates, and of differences between them in pairs; figures that may be unknown."""

from collections.abc import Iterable, Sequence
from math import comb, sqrt
from statistics import median

NORMAL_95 = 1.959963984540054
"""Quantile of the standard normal distribution at 0.975."""


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a proportion; (0, 1) without trials.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927), 209-212.
    """
    if trials == 0:
        return 0.0, 1.0
    proportion, squared = successes / trials, NORMAL_95**2
    middle = (proportion + squared / (2 * trials)) / (1 + squared / trials)
    variance = proportion * (1 - proportion) / trials + squared / (4 * trials**2)
    half = NORMAL_95 / (1 + squared / trials) * sqrt(variance)
    return max(0.0, middle - half), min(1.0, middle + half)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Return the two-sided p-value of McNemar's exact test: the binomial one on the pairs that differ."""
    differing = only_first + only_second
    tail = sum(comb(differing, count) for count in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / 2**differing)


def paired_interval(both: int, one: int, other: int, neither: int) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two paired proportions, `(one - other) / n`.

    R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
    data", Statistics in Medicine 17 (1998), 2635-2650, method 10.
    """
    count = both + one + other + neither
    high, low = both + one, both + other
    p_high, p_low = high / count, low / count
    (high_from, high_to), (low_from, low_to) = wilson_interval(high, count), wilson_interval(low, count)
    correlation = _correlation(both, one, other, neither)

    def reach(a: float, b: float) -> float:
        return sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b))

    difference = p_high - p_low
    return (
        max(-1.0, difference - reach(p_high - high_from, low_to - p_low)),
        min(1.0, difference + reach(high_to - p_high, p_low - low_from)),
    )


def _correlation(both: int, one: int, other: int, neither: int) -> float:
    margins = (both + one) * (other + neither) * (both + other) * (one + neither)
    if margins == 0:
        return 0.0
    excess = both * neither - one * other
    count = both + one + other + neither
    return (max(excess - count / 2, 0.0) if excess > 0 else excess) / sqrt(margins)


def all_known(values: Sequence[float | None]) -> list[float]:
    """Return the values; none of them if one is unknown."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def median_known(values: Iterable[float | None]) -> float | None:
    """Return the median of the values that are known; None if none is."""
    return median(known) if (known := [value for value in values if value is not None]) else None

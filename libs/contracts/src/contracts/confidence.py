"""Confidence interval of a success rate."""

from math import sqrt

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

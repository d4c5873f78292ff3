"""Between which the true success rate lies."""

from math import sqrt

NORMAL_95 = 1.959963984540054
"""Quantile of the standard normal distribution at 0.975."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share; all of 0 to 1 where nothing was tried.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927), 209-212.
    """
    if trials == 0:
        return 0.0, 1.0
    share, squared = successes / trials, NORMAL_95**2
    middle = (share + squared / (2 * trials)) / (1 + squared / trials)
    half = NORMAL_95 / (1 + squared / trials) * sqrt(share * (1 - share) / trials + squared / (4 * trials**2))
    return max(0.0, middle - half), min(1.0, middle + half)

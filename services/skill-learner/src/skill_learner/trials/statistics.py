"""Statistics of a trial: an interval for the mean of paired differences that holds at every stop.

A trial looks at its figures after each pair, so that an interval for a fixed number of pairs would be wrong too often.
This one is a confidence sequence by betting (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
betting", 2024, section 4): for each possible mean, gamblers bet that the pairs lie above or below it. Where the mean is
true no gambler can expect to get rich; by Ville's inequality the stake grows to 1 / alpha, at any time, with a
probability of alpha at most. Every mean against which the stake has grown so far is excluded. Nothing is assumed but
that differences lie in [-1, 1] and that pairs are alike.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from contracts.skills import Estimate

_GRID = 200
"""Steps of possible means."""
_BETS = tuple((number + 0.5) / 10 for number in range(10))
"""Shares of the stake that the gamblers risk."""


def estimate(differences: Sequence[float], confidence: float) -> Estimate:
    """Return mean and interval of differences in [-1, 1]; without any the interval is all of it."""
    if any(not -1.0 <= each <= 1.0 for each in differences):
        raise ValueError(f"differences lie in [-1, 1], not {min(differences):g} to {max(differences):g}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence is between 0 and 1, not {confidence:g}")
    counts = Counter((each + 1.0) / 2.0 for each in differences)
    threshold = 2.0 / (1.0 - confidence)
    means = [step / _GRID for step in range(_GRID + 1)]
    lowest = next((mean for mean in means if _capital(counts, mean) < threshold), None)
    mean = sum(differences) / len(differences) if differences else 0.0
    if lowest is None:  # between two steps of the grid
        return Estimate(mean=mean, low=mean, high=mean, confidence=confidence)
    highest = next(mean for mean in reversed(means) if _capital(counts, mean) < threshold)
    step = 1.0 / _GRID
    low, high = max(lowest - step, 0.0), min(highest + step, 1.0)
    return Estimate(mean=mean, low=2.0 * low - 1.0, high=2.0 * high - 1.0, confidence=confidence)


def _capital(counts: Mapping[float, int], mean: float) -> float:
    """Return what the gamblers above and below this mean have together, who began with 1 each."""
    above = sum(_product(counts, mean, bet / mean) for bet in _BETS) / len(_BETS) if mean > 0.0 else _edge(counts, 0.0)
    below = (
        sum(_product(counts, mean, -bet / (1.0 - mean)) for bet in _BETS) / len(_BETS)
        if mean < 1.0
        else _edge(counts, 1.0)
    )
    return above + below


def _product(counts: Mapping[float, int], mean: float, stake: float) -> float:
    product = 1.0
    for value, count in counts.items():
        product *= (1.0 + stake * (value - mean)) ** count
    return product


def _edge(counts: Mapping[float, int], mean: float) -> float:
    """Return what is won against a mean at the edge of the range: everything, by any value that is not there."""
    return float("inf") if any(value != mean for value in counts) else 1.0

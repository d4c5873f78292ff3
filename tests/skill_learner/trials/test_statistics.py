"""Tests of the interval of a trial: properties, and how often it errs when it is looked at after every pair."""

import random
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skill_learner.trials.statistics import estimate

differences = st.lists(st.sampled_from((-1.0, 0.0, 1.0)), max_size=60)
confidences = st.floats(min_value=0.5, max_value=0.999)


@settings(deadline=None)
@given(differences, confidences)
def test_interval_holds_the_mean_within_its_range(found: list[float], confidence: float) -> None:
    result = estimate(found, confidence)
    assert -1.0 <= result.low <= result.mean <= result.high <= 1.0


@settings(deadline=None)
@given(differences, confidences)
def test_interval_of_the_reverse_is_the_reverse(found: list[float], confidence: float) -> None:
    result, reverse = estimate(found, confidence), estimate([-each for each in found], confidence)
    assert (result.low, result.high) == pytest.approx((-reverse.high, -reverse.low), abs=0.011)


@settings(deadline=None)
@given(differences, confidences)
def test_interval_does_not_depend_on_the_order(found: list[float], confidence: float) -> None:
    assert estimate(found, confidence) == estimate(sorted(found), confidence)


@settings(deadline=None)
@given(differences)
def test_more_confidence_means_a_wider_interval(found: list[float]) -> None:
    narrow, wide = estimate(found, 0.8), estimate(found, 0.99)
    assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_without_pairs_everything_is_possible() -> None:
    assert (estimate([], 0.95).low, estimate([], 0.95).high) == (-1.0, 1.0)


@pytest.mark.parametrize(("pairs", "is_certain"), [(5, False), (9, True)])
def test_pairs_that_all_win_are_certain_after_nine(pairs: int, *, is_certain: bool) -> None:
    assert (estimate([1.0] * pairs, 0.95).low > 0.0) == is_certain


def test_pairs_without_a_difference_exclude_a_gain_of_a_quarter_after_24() -> None:
    assert estimate([0.0] * 24, 0.95).high < 0.25


@pytest.mark.parametrize("wrong", [[1.5], [-2.0]])
def test_difference_beyond_its_range_is_refused(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match=r"\[-1, 1\]"):
        estimate(wrong, 0.95)


@pytest.mark.sample(1)
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_placebo_covers_zero_at_every_look_in_at_least_18_of_20(share: float) -> None:
    """Both arms solve equally often; the interval is looked at after each of 40 pairs, and must never exclude zero."""
    rng = random.Random(f"placebo {share}")
    covered = 0
    for _ in range(20):
        pairs = [float(rng.random() < share) - float(rng.random() < share) for _ in range(40)]
        looks = (estimate(pairs[:count], 0.95) for count in range(1, len(pairs) + 1))
        covered += all(look.low <= 0.0 <= look.high for look in looks)
    assert covered >= 18, f"{covered} of 20"


def test_error_of_repeated_looks_stays_within_its_bound() -> None:
    """400 placebos, each looked at after every pair: at most 5 % may ever exclude zero."""
    rng = random.Random(7)
    errors = 0
    for _ in range(400):
        pairs = [rng.choice((-1.0, 0.0, 1.0)) for _ in range(30)]
        counts = list(accumulate(pairs))
        extremes = {max(range(30), key=lambda at: counts[at]), min(range(30), key=lambda at: counts[at]), 29}
        looks = (estimate(pairs[: at + 1], 0.95) for at in extremes)
        errors += any(not look.low <= 0.0 <= look.high for look in looks)
    assert errors <= 20, f"{errors} of 400"


def test_a_gain_of_half_is_found_within_40_pairs_mostly() -> None:
    rng = random.Random(3)
    found = 0
    for _ in range(20):
        pairs = [float(rng.random() < 0.9) - float(rng.random() < 0.4) for _ in range(40)]
        found += any(estimate(pairs[:count], 0.95).low > 0.0 for count in range(1, 41))
    assert found >= 18, f"{found} of 20"

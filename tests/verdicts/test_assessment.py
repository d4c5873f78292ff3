"""An assessment counts each replica of a review's reruns once, and decides whether they suffice for an approval."""

import pytest
from contracts.confidence import wilson_interval
from contracts.models.assessment import ENOUGH_REPLICAS, Assessment, Rerun

from tests.contracts import example_values as values
from tests.contracts.example_values import assessment_of

JUDGED = 3


def rerun(seed: int, reached: int, **others: int) -> Rerun:
    endings = ["reached_goal"] * reached
    endings += [ending for ending in ("missed_goal", "numerical") for _ in range(others.get(ending, 0))]
    return Rerun.model_validate({"seed": seed, "endings": endings})


def count(*reruns: Rerun) -> Assessment:
    return Assessment.of(reruns, JUDGED)


def test_assessment_counts_replicas_of_all_seeds() -> None:
    assessment = count(rerun(4, 20, numerical=1), rerun(1, 8, missed_goal=1))
    assert (assessment.seeds, assessment.replicas, assessment.reached) == ((1, 4), 30, 28)
    assert assessment.confidence == wilson_interval(28, 30)
    assert assessment.endings == {"missed_goal": 1, "numerical": 1, "reached_goal": 28}


def test_same_seed_counts_once_with_its_longest_rerun() -> None:
    assessment = count(rerun(1, 6), rerun(1, 10, missed_goal=1), rerun(1, 6))
    assert (assessment.seeds, assessment.replicas) == ((1,), 11)


def test_seed_of_the_verdict_does_not_count() -> None:
    assert count(rerun(JUDGED, 32), rerun(4, 6)).seeds == (4,)


def test_numerical_failure_has_not_passed() -> None:
    assert count(*(rerun(10 + n, 5, numerical=1) for n in range(5))).verdict == "flaky"


def test_fewer_than_29_replicas_are_undecided() -> None:
    assert assessment_of(ENOUGH_REPLICAS - 1, 1).verdict == "undecided"
    assert assessment_of(ENOUGH_REPLICAS, 1).verdict == "stable"
    assert count().confidence == (0.0, 1.0)
    assert 0.9**ENOUGH_REPLICAS < 0.05 < 0.9 ** (ENOUGH_REPLICAS - 1), "fewer would not reject a design of 90 %"


def test_fewer_than_five_seeds_are_undecided() -> None:
    assert assessment_of(4, 64).verdict == "undecided"


def test_success_rate_below_90_percent_is_flaky() -> None:
    assert assessment_of(5, 6, missed=4).verdict == "flaky"
    assert assessment_of(5, 6, missed=3).verdict == "stable"


def test_sufficiency_follows_from_the_figures_alone() -> None:
    assert assessment_of(5, 6).is_sufficient
    for changes in ({"seeds": (1, 1, 1, 1, 1)}, {"replicas": 28, "reached": 28}, {"reached": 26}):
        assert not assessment_of(5, 6).model_copy(update={"verdict": "stable", **changes}).is_sufficient


@pytest.mark.parametrize("verdict", ["solved", "failed"])
@pytest.mark.parametrize("stability", ["untested", "stable", "flaky", "failed"])
def test_result_is_proven_only_if_solved_and_stable(verdict: str, stability: str) -> None:
    result = values.RESULT.model_copy(update={"verdict": verdict, "stability": stability})
    assert result.is_proven == ((verdict, stability) == ("solved", "stable"))

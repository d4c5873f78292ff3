"""Tests of the readers of replies on the corpus: see `tests.support.replies.reply_corpus`."""

import pytest

from tests.support.replies.reply_corpus import Case, cases, problem_of, recorded_problem, recorded_replies

ACCEPTED, AMBIGUOUS = cases("accepted"), cases("ambiguous")
NOT_SENSIBLE = {
    75: "evidence that no cell of the review bound",
}
"""Recorded replies that are refused, and why."""


def _name(case: Case) -> str:
    return f"{case['kind']}: {case['name']}"


@pytest.mark.parametrize("case", ACCEPTED, ids=_name)
def test_clear_reply_is_read_with_its_meaning(case: Case) -> None:
    assert not problem_of(case)


@pytest.mark.parametrize("case", AMBIGUOUS, ids=_name)
def test_ambiguous_reply_is_refused_with_the_words_that_help(case: Case) -> None:
    problem = problem_of(case)
    assert problem.startswith("refused: ")
    assert case["words"] in problem


@pytest.mark.parametrize("reply", recorded_replies(), ids=lambda reply: str(reply["n"]))
def test_recorded_reply_is_read_if_it_is_sensible(reply: Case) -> None:
    assert bool(recorded_problem(reply)) == (reply["n"] in NOT_SENSIBLE), recorded_problem(reply)

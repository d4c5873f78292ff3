"""Scores of answers."""

import math
from typing import Literal

import pytest
from contracts.models.questions.answers import (
    AnswerSpec,
    BooleanSpec,
    BoxSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    Value,
    VectorSpec,
)
from questions.items import QuestionItem
from questions.scorers import RELATIVE_ACCURACY_THRESHOLDS, choice_letter, mean_relative_accuracy, score


def item(
    answer: AnswerSpec, exact: Value, scorer: Literal["choice", "exact", "relative_accuracy", "tolerance"]
) -> QuestionItem:
    return QuestionItem(id="q", source="s", kind="k", text="?", answer=answer, exact=exact, scorer=scorer)


def test_relative_accuracy_has_the_ten_thresholds_of_its_definition():
    expected = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
    assert pytest.approx(expected) == RELATIVE_ACCURACY_THRESHOLDS


@pytest.mark.parametrize(
    ("given", "exact", "expected"),
    [
        (10.0, 10.0, 1.0),
        (10.5, 10.0, 1.0),
        (10.51, 10.0, 0.9),
        (8.0, 10.0, 0.7),
        (15.0, 10.0, 0.1),
        (15.1, 10.0, 0.0),
        (-10.0, 10.0, 0.0),
        (-9.0, -10.0, 0.9),
        (0.0, 0.0, 1.0),
        (0.01, 0.0, 0.0),
        (math.inf, 10.0, 0.0),
        (math.nan, 10.0, 0.0),
    ],
)
def test_relative_accuracy_is_the_share_of_thresholds_passed(given: float, exact: float, expected: float):
    assert mean_relative_accuracy(given, exact) == pytest.approx(expected)


CHOICES = ("the red dog", "the cat", "a goat", "none")


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("C.", "C"),
        (r"so \boxed{D}", "D"),
        (r"\boxed{\text{A}}", "A"),
        ("The answer is C", "C"),
        ("answer: (B)", "B"),
        ("A. the red dog", "A"),
        ("I think (C) fits", "C"),
        ("It is the cat.", "B"),
        ("The dog.", None),
        ("A dog is bigger than the cat", "B"),
        ("either the cat or a goat", None),
        ("E", None),
        ("", None),
    ],
)
def test_letter_is_extracted_only_where_the_text_names_one_choice(text: str, letter: str | None):
    assert choice_letter(text, CHOICES) == letter


def test_last_letter_of_a_word_is_not_a_choice():
    """`The dog.` ends with `g.`, which is not the seventh choice."""
    assert choice_letter("The dog.", [f"thing {number}" for number in range(8)]) is None


@pytest.mark.parametrize(
    ("asked", "given", "expected"),
    [
        (item(ChoiceSpec(kind="choice", choices=CHOICES), "B", "choice"), "b", 1.0),
        (item(ChoiceSpec(kind="choice", choices=CHOICES), "B", "choice"), "the cat", 1.0),
        (item(ChoiceSpec(kind="choice", choices=CHOICES), "B", "choice"), "E", 0.0),
        (item(IntegerSpec(kind="integer"), 3, "exact"), 3, 1.0),
        (item(IntegerSpec(kind="integer"), 3, "exact"), 4, 0.0),
        (item(IntegerSpec(kind="integer"), 1, "exact"), True, 0.0),
        (item(BooleanSpec(kind="boolean"), False, "exact"), False, 1.0),
        (item(BooleanSpec(kind="boolean"), False, "exact"), 0, 0.0),
        (item(NumberSpec(kind="number", unit="m"), 2.0, "relative_accuracy"), 1.5, 0.6),
        (item(NumberSpec(kind="number", unit="m"), 2.0, "tolerance"), 2.1, 1.0),
        (item(NumberSpec(kind="number", unit="m"), 2.0, "tolerance"), 2.2, 0.0),
        (item(NumberSpec(kind="number", unit="m"), 2.0, "tolerance"), math.nan, 0.0),
        (item(VectorSpec(kind="vector"), (1.0, 0.0, 0.0), "tolerance"), (1.0, 0.04, 0.0), 1.0),
        (item(VectorSpec(kind="vector"), (1.0, 0.0, 0.0), "tolerance"), (1.0, 0.06, 0.0), 0.0),
        (item(BoxSpec(kind="box"), (0.0, 0.0, 10.0, 10.0), "tolerance"), (0.0, 0.0, 10.0, 6.0), 1.0),
        (item(BoxSpec(kind="box"), (0.0, 0.0, 10.0, 10.0), "tolerance"), (0.0, 0.0, 10.0, 4.0), 0.0),
        (item(IntegerSpec(kind="integer"), 3, "exact"), None, 0.0),
    ],
)
def test_answer_is_scored_as_its_question_asks(asked: QuestionItem, given: Value | None, expected: float):
    assert score(asked, given) == pytest.approx(expected)

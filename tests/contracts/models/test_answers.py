"""What counts as an answer, and the reason why anything else does not."""

import math

import numpy as np
import pytest
from contracts.models.questions.answers import (
    AnswerRefused,
    AnswerSpec,
    BooleanSpec,
    BoxSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    TextSpec,
    ValidAnswer,
    VectorSpec,
    check_answer,
)

CHOICE = ChoiceSpec(kind="choice", choices=("left", "right", "behind"))
INTEGER = IntegerSpec(kind="integer", minimum=0)
NUMBER = NumberSpec(kind="number", unit="m")
TEXT = TextSpec(kind="text", max_chars=10)
BOOLEAN = BooleanSpec(kind="boolean")
VECTOR = VectorSpec(kind="vector")
BOX = BoxSpec(kind="box")


@pytest.mark.parametrize(
    ("spec", "given", "value"),
    [
        (CHOICE, "B", "B"),
        (CHOICE, "(b)", "B"),
        (CHOICE, "Behind", "C"),
        (INTEGER, 3, 3),
        (INTEGER, np.int64(3), 3),
        (INTEGER, 3.0, 3),
        (INTEGER, 10**30, 10**30),
        (NUMBER, 1.5, 1.5),
        (NUMBER, np.float32(1.5), 1.5),
        (NUMBER, np.array(1.5), 1.5),
        (TEXT, " a cup ", "a cup"),
        (BOOLEAN, np.bool_(True), True),
        (VECTOR, np.array([1, 2, 3]), (1.0, 2.0, 3.0)),
        (VECTOR, [np.float32(1), 2, 3.0], (1.0, 2.0, 3.0)),
        (BOX, (1, 2, 3, 4), (1.0, 2.0, 3.0, 4.0)),
    ],
)
def test_value_is_an_answer(spec: AnswerSpec, given: object, value: object):
    answer = check_answer(spec, given)
    assert isinstance(answer, ValidAnswer)
    assert answer.value == value
    assert type(answer.value) is type(value)
    assert ValidAnswer.model_validate_json(answer.model_dump_json()) == answer


@pytest.mark.parametrize(
    ("spec", "given", "reason"),
    [
        (CHOICE, "D", "'D' is not one of the choices; give one letter of A, B, C"),
        (CHOICE, 1, "expected one letter of A, B, C as a text"),
        (CHOICE, "The dog.", "not one of the choices"),
        (INTEGER, True, "got the truth value True"),
        (INTEGER, 2.5, "expected a whole number of at least 0, got 2.5; round it"),
        (INTEGER, -1, "expected a whole number of at least 0, got -1"),
        (NUMBER, math.nan, "expected a number in m, got nan: check the masks"),
        (NUMBER, math.inf, "got inf"),
        (NUMBER, np.float64("nan"), "got nan"),
        (NUMBER, True, "got the truth value True"),
        (NUMBER, np.bool_(True), "got the truth value True"),
        (NUMBER, "3.5 m", "got the text '3.5 m'; give a number without unit"),
        (NUMBER, "3,5", "got the text '3,5'"),
        (NUMBER, 10**400, "beyond the range"),
        (NUMBER, None, "got None"),
        (NUMBER, np.array([1.0, 2.0]), "got list"),
        (TEXT, "", "expected a text"),
        (TEXT, "x" * 11, "at most 10 characters, got 11"),
        (BOOLEAN, 1, "expected True or False, got 1"),
        (BOOLEAN, "yes", "expected True or False, got 'yes'"),
        (VECTOR, (1, 2), "expected 3 numbers in m, got 2 values"),
        (VECTOR, (1, 2, math.nan), "got nan"),
        (BOX, (3, 2, 1, 4), "is empty; x1 < x2"),
    ],
)
def test_value_is_refused_with_the_reason(spec: AnswerSpec, given: object, reason: str):
    refused = check_answer(spec, given)
    assert isinstance(refused, AnswerRefused)
    assert reason in refused.reason

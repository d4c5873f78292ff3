"""What a kind of question draws: text, expectation and exact answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from contracts.models.questions.answers import (
    AnswerSpec,
    BooleanSpec,
    ChoiceSpec,
    IntegerSpec,
    NumberSpec,
    Value,
)
from contracts.models.questions.spatial_scene import SpatialScene

from questions.items import Scorer

INTRODUCTION = "The images show one scene from different sides."
VIDEO = "The video shows one scene."


@dataclass(frozen=True)
class QuestionDraft:
    """A question before it has an id."""

    text: str
    answer: AnswerSpec
    exact: Value
    scorer: Scorer
    scene: SpatialScene
    is_video: bool = False


Draw: TypeAlias = Callable[[np.random.Generator, int], QuestionDraft]
"""Draws a question of a level; raises `AmbiguousError`."""


def number(text: str, unit: str, exact: float, scene: SpatialScene, *, is_video: bool = False) -> QuestionDraft:
    """Return a question for a number, right within 5 %."""
    spec = NumberSpec(kind="number", unit=unit, relative_tolerance=0.05, absolute_tolerance=0.01)
    return QuestionDraft(f"{_introduction(is_video)} {text}", spec, exact, "tolerance", scene, is_video)


def count(text: str, exact: int, scene: SpatialScene, *, is_video: bool = False) -> QuestionDraft:
    """Return a question for a whole number."""
    spec = IntegerSpec(kind="integer", minimum=0)
    return QuestionDraft(f"{_introduction(is_video)} {text}", spec, exact, "exact", scene, is_video)


def truth(text: str, *, exact: bool, scene: SpatialScene, is_video: bool = False) -> QuestionDraft:
    """Return a question for yes or no."""
    return QuestionDraft(
        f"{_introduction(is_video)} {text}", BooleanSpec(kind="boolean"), exact, "exact", scene, is_video
    )


def choice(
    text: str, choices: Sequence[str], exact: str, scene: SpatialScene, *, is_video: bool = False
) -> QuestionDraft:
    """Return a question for one of several texts."""
    spec = ChoiceSpec(kind="choice", choices=tuple(choices))
    letter = spec.letters[list(choices).index(exact)]
    return QuestionDraft(f"{_introduction(is_video)} {text}", spec, letter, "choice", scene, is_video)


def listed(names: Sequence[str]) -> str:
    """Return names as a text: `the red ball, the blue box or the green ball`."""
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _introduction(is_video: bool) -> str:
    return VIDEO if is_video else INTRODUCTION

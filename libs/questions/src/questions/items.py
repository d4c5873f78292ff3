"""One question of a set: its text, what it expects, the exact answer, and how an answer is scored."""

from dataclasses import dataclass
from typing import Literal

from contracts.model import Model
from contracts.models.questions.answers import AnswerSpec, Value
from contracts.models.questions.spatial_scene import SpatialScene
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat

Scorer = Literal["choice", "exact", "relative_accuracy", "tolerance", "view_change", "point_in_mask"]
ZeroRule = Literal["exact", "absolute", "stationary"]
"""How a number is scored if the exact one is 0. `exact`: only 0 is right. `absolute`: by the absolute error.
`stationary`: all below a limit are right, others are scored against the limit."""


class QuestionItem(Model):
    """A question with its exact answer, which no agent sees."""

    id: str
    source: str
    """Name of the question set."""
    kind: str
    level: NonNegativeInt = 1
    text: str
    answer: AnswerSpec
    exact: Value
    """A choice by its letter."""
    scorer: Scorer
    zero: ZeroRule = "exact"
    stationary_below: NonNegativeFloat = 0.0
    """The limit of the rule `stationary`."""
    mask: str = ""
    """For `point_in_mask`: a grey image in base64, whose brightness at the point is the score."""
    is_video: bool = False
    fps: PositiveFloat | None = None
    total_frames: NonNegativeInt = 0


@dataclass(frozen=True)
class GeneratedQuestion:
    """A question about a scene that is to be rendered."""

    item: QuestionItem
    scene: SpatialScene

"""One question of a set: its text, what it expects, the exact answer, and how an answer is scored."""

from dataclasses import dataclass
from typing import Literal

from contracts.model import Model
from contracts.models.questions.answers import AnswerSpec, Value
from contracts.models.questions.spatial_scene import SpatialScene
from pydantic import NonNegativeInt, PositiveFloat

Scorer = Literal["choice", "exact", "relative_accuracy", "tolerance"]


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
    is_video: bool = False
    fps: PositiveFloat | None = None
    total_frames: NonNegativeInt = 0


@dataclass(frozen=True)
class GeneratedQuestion:
    """A question about a scene that is to be rendered."""

    item: QuestionItem
    scene: SpatialScene

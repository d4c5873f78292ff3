"""Public benchmarks of spatial reasoning, and how each is scored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from questions.items import Scorer

Media = Literal["image", "images", "video"]


@dataclass(frozen=True)
class BenchmarkScores:
    """How answers to one benchmark are scored, by what they are."""

    media: Media
    numbers: Scorer = "relative_accuracy"
    """Of numbers that are not counts."""
    counts: Scorer = "relative_accuracy"
    """Of whole numbers."""
    average: Literal["questions", "kinds"] = "questions"
    """`kinds`: the mean of the kinds' means, as BLINK's of its 14 tasks."""


BENCHMARKS: Mapping[str, BenchmarkScores] = {
    "erqa": BenchmarkScores("images"),
    "omni3d": BenchmarkScores("image", counts="exact"),
    "omnispatial": BenchmarkScores("image"),
    "spbench": BenchmarkScores("images"),
    "mindcube": BenchmarkScores("images"),
    "mmsi": BenchmarkScores("images"),
    "spar": BenchmarkScores("images"),
    "mmsi-video": BenchmarkScores("video"),
    "osi": BenchmarkScores("video"),
    "pai": BenchmarkScores("video"),
    "vsi-u": BenchmarkScores("video"),
    "vsti": BenchmarkScores("video"),
    "dsi": BenchmarkScores("video"),
    "blink": BenchmarkScores("images", average="kinds"),
    "spatialtree": BenchmarkScores("images"),
    "viewspatial": BenchmarkScores("images"),
    "cv-bench": BenchmarkScores("image", counts="exact"),
    "perceptcomp": BenchmarkScores("video"),
    "video-mme": BenchmarkScores("video"),
    "video-mme-v2": BenchmarkScores("video"),
}
"""By name. Choices are scored by their letter, texts and yes or no exactly, in all of them. Sets with another name are
scored as the default."""
DEFAULT_SCORES = BenchmarkScores("images")

"""Candidates of a skill, and which of them are worth a further change. Pure.

As in GEPA (Agrawal et al., 2025): a candidate stays while no other one is at least as good on every task, and the
parent of the next change is drawn from those by the number of tasks on which none is better.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from contracts.model import Model
from pydantic import NonNegativeInt


class Task(NamedTuple):
    """A world to solve."""

    benchmark: str
    seed: int

    def __str__(self) -> str:
        return f"{self.benchmark} {self.seed}"


class TaskScore(Model):
    """What the run of a candidate on one task did; one that solves it is better, then one that fails less often."""

    is_solved: bool
    failures: NonNegativeInt
    tokens: NonNegativeInt

    @property
    def rank(self) -> tuple[bool, int]:
        """The higher the better."""
        return self.is_solved, -self.failures


class SkillCandidate(Model):
    """A version of the skill with its scores, one for each task."""

    version: int | None
    """None: the runs have no version of the skill."""
    parent: int | None = None
    scores: tuple[TaskScore, ...]

    @property
    def total(self) -> tuple[int, int]:
        """Solved tasks, and failures as a negative number."""
        return sum(each.is_solved for each in self.scores), -sum(each.failures for each in self.scores)

    @property
    def tokens_per_run(self) -> float:
        """Mean tokens of a run."""
        return sum(each.tokens for each in self.scores) / len(self.scores)

    def beats(self, other: "SkillCandidate") -> bool:
        """Tell whether it is at least as good on every task, and better on one."""
        pairs = [(own.rank, their.rank) for own, their in zip(self.scores, other.scores, strict=True)]
        return all(own >= their for own, their in pairs) and any(own > their for own, their in pairs)


def front_of(candidates: Sequence[SkillCandidate]) -> list[SkillCandidate]:
    """Return the candidates that no other one beats."""
    return [each for each in candidates if not any(other.beats(each) for other in candidates)]


def best_of(candidates: Sequence[SkillCandidate]) -> SkillCandidate:
    """Return the candidate with the best total; of equal ones the first."""
    return max(candidates, key=lambda each: each.total)


def draw_parent(
    candidates: Sequence[SkillCandidate], among: Sequence[SkillCandidate], dice: random.Random
) -> SkillCandidate:
    """Draw one of the front, `among` which the choice is, by the number of tasks on which none is better."""
    tops = [max(ranks) for ranks in zip(*([score.rank for score in each.scores] for each in candidates), strict=True)]
    weights = [sum(score.rank == top for score, top in zip(each.scores, tops, strict=True)) for each in among]
    return dice.choices(among, weights=[max(each, 1) for each in weights])[0]

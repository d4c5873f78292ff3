"""Margins between executors: on how many questions one scores higher than the other, by kind."""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from contracts.model import Model
from pydantic import NonNegativeInt

from cli.evaluation.questions.trials import QuestionTrial
from cli.result_page import markdown_table

ALL = "all"


class QuestionMargin(Model):
    """Two executors on the questions of one kind, or on all, that both have answered."""

    kind: str
    first: str
    second: str
    wins: NonNegativeInt
    """Questions on which the first executor has the higher score."""
    losses: NonNegativeInt
    ties: NonNegativeInt
    difference: float
    """Of the mean scores, first minus second."""

    @property
    def margin(self) -> float:
        """Return wins minus losses, as a share of the questions."""
        return (self.wins - self.losses) / (self.wins + self.losses + self.ties)


def question_margins(trials: Sequence[QuestionTrial]) -> tuple[QuestionMargin, ...]:
    """Return the margins of each pair of executors by kind, and at the end on all questions."""
    scores = {(trial.executor, trial.number): trial.score for trial in trials}
    kinds: dict[str, dict[int, None]] = {}
    for trial in trials:
        kinds.setdefault(trial.kind, {})[trial.number] = None
    kinds[ALL] = {trial.number: None for trial in trials}
    pairs = list(combinations(dict.fromkeys(trial.executor for trial in trials), 2))
    found = (_margin(kind, pair, list(numbers), scores) for kind, numbers in kinds.items() for pair in pairs)
    return tuple(each for each in found if each is not None)


def margins_md(margins: Sequence[QuestionMargin]) -> str:
    """Return a Markdown table: margin, wins and losses of each pair of executors by kind."""
    found = {(each.kind, each.first, each.second): each for each in margins}
    pairs = list(dict.fromkeys((each.first, each.second) for each in margins))
    rows = [
        (kind, *(_cell(found.get((kind, *pair))) for pair in pairs))
        for kind in dict.fromkeys(each.kind for each in margins)
    ]
    return markdown_table(("kind", *(f"`{first}` over `{second}`" for first, second in pairs)), rows)


def _margin(
    kind: str, pair: tuple[str, str], numbers: Sequence[int], scores: dict[tuple[str, int], float]
) -> QuestionMargin | None:
    first, second = pair
    shared = [each for each in numbers if (first, each) in scores and (second, each) in scores]
    differences = [scores[first, each] - scores[second, each] for each in shared]
    if not differences:
        return None
    wins, losses = sum(each > 0 for each in differences), sum(each < 0 for each in differences)
    return QuestionMargin(
        kind=kind,
        first=first,
        second=second,
        wins=wins,
        losses=losses,
        ties=len(differences) - wins - losses,
        difference=fmean(differences),
    )


def _cell(margin: QuestionMargin | None) -> str:
    if margin is None:
        return ""
    return f"{round(margin.margin, 3) + 0.0:+.1%} ({margin.wins}:{margin.losses})"

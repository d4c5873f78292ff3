"""Tables of an evaluation of questions: scores by kind and executor, and what the cells used."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from contracts.confidence import wilson_interval
from contracts.model import Model
from pydantic import NonNegativeInt, PositiveInt

from cli.evaluation.questions.failure import QuestionFailureClass
from cli.evaluation.questions.trials import QuestionTrial
from cli.result_page import markdown_table

ALL = "all"
MAX_PRIMITIVES = 12
"""Columns of the table: tools first, then control structures, then the most used functions of libraries."""


class QuestionScore(Model):
    """The results of one executor on the questions of one kind, or on all."""

    kind: str
    executor: str
    questions: PositiveInt
    right: NonNegativeInt
    """With the full score."""
    interval: tuple[float, float]
    """Wilson's 95 % confidence interval of the share that is right."""
    mean_score: float
    failures: dict[QuestionFailureClass, int]

    @classmethod
    def of(cls, kind: str, trials: Sequence[QuestionTrial]) -> "QuestionScore":
        """Aggregate trials of one executor, at least one."""
        right = sum(trial.solved for trial in trials)
        failures: Counter[QuestionFailureClass] = Counter(each.failure for each in trials if each.failure is not None)
        return cls(
            kind=kind,
            executor=trials[0].executor,
            questions=len(trials),
            right=right,
            interval=wilson_interval(right, len(trials)),
            mean_score=fmean(trial.score for trial in trials),
            failures=dict[QuestionFailureClass, int](failures.most_common()),
        )


class QuestionEvaluation(Model):
    """All trials and their scores."""

    scores: tuple[QuestionScore, ...]
    """By kind and executor; at the end all kinds together."""
    trials: tuple[QuestionTrial, ...]

    @classmethod
    def of(cls, trials: Sequence[QuestionTrial]) -> "QuestionEvaluation":
        """Aggregate in the order of the trials."""
        groups: dict[tuple[str, str], list[QuestionTrial]] = {}
        for trial in trials:
            groups.setdefault((trial.kind, trial.executor), []).append(trial)
        everything: dict[tuple[str, str], list[QuestionTrial]] = {}
        for trial in trials:
            everything.setdefault((ALL, trial.executor), []).append(trial)
        grouped = (*groups.items(), *everything.items())
        return cls(scores=tuple(QuestionScore.of(key[0], each) for key, each in grouped), trials=tuple(trials))

    @property
    def executors(self) -> tuple[str, ...]:
        """Return the names of the executors in order."""
        return tuple(dict.fromkeys(score.executor for score in self.scores))

    def ablation_md(self) -> str:
        """Return a Markdown table of the questions answered in full, by kind and executor."""
        found = {(score.kind, score.executor): score for score in self.scores}
        kinds = dict.fromkeys(score.kind for score in self.scores)
        rows = [(kind, *(_share(found.get((kind, name))) for name in self.executors)) for kind in kinds]
        rows.append(("95 % interval", *(_interval(found[ALL, name]) for name in self.executors)))
        rows.append(("failures", *(_failures(found[ALL, name]) for name in self.executors)))
        return markdown_table(("kind", *(f"`{name}`" for name in self.executors)), rows)

    def primitives_md(self, executor: str) -> str:
        """Return a Markdown table: how often the cells of one answered question use a primitive, by kind."""
        answered = [each for each in self.trials if each.executor == executor and each.primitives]
        totals: dict[str, int] = {}
        for trial in answered:
            for name, count in trial.primitives.items():
                totals[name] = totals.get(name, 0) + count
        totals.pop("ReturnAnswer", None)  # each answer has one
        names = sorted(totals, key=lambda name: (_rank(name), -totals[name], name))[:MAX_PRIMITIVES]
        rows: list[tuple[str, ...]] = []
        for kind in dict.fromkeys(each.kind for each in answered):
            used = [each.primitives for each in answered if each.kind == kind]
            rows.append((kind, *(f"{fmean(each.get(name, 0) for each in used):.1f}" for name in names)))
        return markdown_table(("kind", *(f"`{name}`" for name in names)), rows)


def _rank(primitive: str) -> int:
    """Return 0 for what the kernel provides, 1 for control structures, 2 for functions of libraries."""
    if primitive.partition(".")[0] in ("tools", "vlm", "show", "feedback"):
        return 0
    return 2 if "." in primitive else 1


def _share(score: QuestionScore | None) -> str:
    return "" if score is None else f"{score.right}/{score.questions}"


def _interval(score: QuestionScore) -> str:
    low, high = score.interval
    return f"{low:.0%} to {high:.0%}"


def _failures(score: QuestionScore) -> str:
    return ", ".join(f"{count} {name}" for name, count in score.failures.items())

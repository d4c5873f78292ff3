"""Tables of an evaluation of questions: scores by kind and executor, and what the cells used."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from contracts.confidence import wilson_interval
from contracts.model import Model
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from cli.evaluation.questions.failure import QuestionFailureClass
from cli.evaluation.questions.margins import ALL, QuestionMargin, margins_md, question_margins
from cli.evaluation.questions.trials import QuestionTrial
from cli.result_page import markdown_table

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
    tokens: NonNegativeInt = 0
    """Input and output of all questions."""
    cost_usd: NonNegativeFloat | None = None
    """Of all questions; None if the price of a model is not known."""
    mean_steps: NonNegativeFloat = 0.0
    mean_time_s: NonNegativeFloat = 0.0

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
            tokens=sum(trial.input_tokens + trial.output_tokens for trial in trials),
            cost_usd=_total_cost(trials),
            mean_steps=fmean(trial.steps for trial in trials),
            mean_time_s=fmean(trial.time_s for trial in trials),
        )


class QuestionEvaluation(Model):
    """All trials and their scores."""

    scores: tuple[QuestionScore, ...]
    """By kind and executor; at the end all kinds together."""
    margins: tuple[QuestionMargin, ...] = ()
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
        scores = tuple(QuestionScore.of(key[0], each) for key, each in grouped)
        return cls(scores=scores, margins=question_margins(trials), trials=tuple(trials))

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

    def accuracy_md(self) -> str:
        """Return a Markdown table of the mean scores by kind and executor, and of what they cost."""
        found = {(score.kind, score.executor): score for score in self.scores}
        kinds = [kind for kind in dict.fromkeys(score.kind for score in self.scores) if kind != ALL]
        rows = [(kind, *(_percent(found.get((kind, name))) for name in self.executors)) for kind in (*kinds, ALL)]
        rows.append(("mean of kinds", *(self._mean_of_kinds(name) for name in self.executors)))
        totals = [found[ALL, name] for name in self.executors]
        rows += [
            ("steps", *(f"{each.mean_steps:.1f}" for each in totals)),
            ("tokens", *(f"{each.tokens / each.questions:,.0f}" for each in totals)),
            ("cost, USD", *(_cost(each) for each in totals)),
            ("time, s", *(f"{each.mean_time_s:.1f}" for each in totals)),
        ]
        return markdown_table(("kind", *(f"`{name}`" for name in self.executors)), rows)

    def page_md(self, title: str, setting: str) -> str:
        """Return all tables as a page."""
        return (
            f"# {title}\n\n{setting}\n\n## Accuracy\nMean scores; steps, tokens, cost and time of one question.\n\n"
            f"{self.accuracy_md()}\n\n## Answers in full\n\n{self.ablation_md()}\n\n"
            "## Margins\nWins minus losses as a share of the questions, and wins to losses.\n\n"
            f"{margins_md(self.margins)}\n"
        )

    def _mean_of_kinds(self, executor: str) -> str:
        return f"{fmean(each.mean_score for each in self.scores if each.executor == executor and each.kind != ALL):.1%}"

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


def _percent(score: QuestionScore | None) -> str:
    return "" if score is None else f"{score.mean_score:.1%}"


def _total_cost(trials: Sequence[QuestionTrial]) -> float | None:
    costs = [trial.cost_usd for trial in trials]
    return None if None in costs else sum(each for each in costs if each is not None)


def _cost(score: QuestionScore) -> str:
    return "unknown" if score.cost_usd is None else f"{score.cost_usd / score.questions:.5f}"


def _interval(score: QuestionScore) -> str:
    low, high = score.interval
    return f"{low:.0%} to {high:.0%}"


def _failures(score: QuestionScore) -> str:
    return ", ".join(f"{count} {name}" for name, count in score.failures.items())

"""Tables of an evaluation's scores: for a terminal, and as a page that is committed."""

from collections.abc import Sequence

from contracts.settings import COMMAND
from contracts.text import one_line
from rich.table import Table
from rich.text import Text

from cli.evaluation.trials import Evaluation, Score
from cli.result_page import markdown_table

COLUMNS = (
    "benchmark",
    "level",
    "executor",
    "solved",
    "robust",
    "95 % interval",
    "least replicas",
    "first try",
    "steps",
    "calls",
    "tokens",
    "cost",
    "time",
    "unit price",
    "mass",
    "price/witness",
    "mass/witness",
    "failures",
)
"""`robust` is proven, `solved` the nominal run of any design; `least replicas` the worst of the proven designs."""


def score_cells(score: Score) -> tuple[str, ...]:
    """Return one row of a table."""
    low, high = score.interval
    return (
        one_line(score.benchmark, 40),
        str(score.level or ""),
        score.executor,
        f"{score.nominal}/{score.runs}",
        f"{score.solved}/{score.runs}",
        f"{low:.0%} to {high:.0%}",
        _measured(score.success_rate, ".0%", ""),
        f"{score.first_try}/{score.runs}",
        f"{score.steps:g}",
        f"{score.model_calls:g}",
        f"{score.tokens:,.0f}",
        _measured(score.cost_usd, ".4f", " USD"),
        f"{score.time_s:.1f} s",
        _measured(score.unit_price_usd, ".2f", " USD"),
        _measured(score.mass_kg, ".3f", " kg"),
        _measured(score.price_share, ".0%", ""),
        _measured(score.mass_share, ".0%", ""),
        ", ".join(f"{count} {name}" for name, count in score.failures.items()),
    )


def scores_table(scores: Sequence[Score]) -> Table:
    """Return a table with one row for each score."""
    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, no_wrap=True)
    for score in scores:
        table.add_row(*(Text(cell) for cell in score_cells(score)))
    return table


def evaluation_markdown(evaluation: Evaluation, date: str, commit: str) -> str:
    """Return the scores as a page."""
    models = ", ".join(f"`{name}`" for name in dict.fromkeys(each.model for each in evaluation.trials))
    seeds = sorted({each.seed for each in evaluation.trials})
    head = (
        "# Evaluation of benchmarks\n\n"
        f"- {date}, commit {commit}\n"
        f"- `{COMMAND} eval`: {len(evaluation.trials)} runs through all services, seeds {seeds[0]} to {seeds[-1]}, "
        f"model {models}\n"
        "- solved: the nominal run of a judged design; robust: the delivered design is proven by its replicas, too; "
        "least replicas: the share that the worst proven design solved; price, mass: medians of delivered designs\n\n"
    )
    return head + markdown_table(COLUMNS, [score_cells(score) for score in evaluation.all_scores]) + "\n"


def _measured(value: float | None, form: str, unit: str) -> str:
    return "" if value is None else f"{value:{form}}{unit}"

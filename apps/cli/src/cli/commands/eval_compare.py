"""`millwright eval-compare FIRST SECOND`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from contracts.text import one_line
from rich.table import Table
from rich.text import Text

from cli.evaluation.comparison import PairedScore, Trial, compare
from cli.evaluation.questions.question_folder import ANSWERS, answers_of
from cli.evaluation.result_folder import results_of
from cli.screen import output_console

FILE_WIDTH = 200


def eval_compare(
    first: Annotated[Path, typer.Argument(help="A folder of `eval --output`.")],
    second: Annotated[Path, typer.Argument(help="Another one, with the same benchmarks and seeds.")],
) -> None:
    """Compare two evaluations on the benchmarks and seeds that they share."""
    one, two = _trials_of(first), _trials_of(second)
    scores = compare(one, two)
    console = output_console()
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(comparison_table(scores))
    total = scores[-1]
    pairs = total.both + total.only_first + total.only_second + total.neither
    unpaired = len(one) + len(two) - 2 * pairs
    console.print(Text(f"{pairs} pairs; {unpaired} runs have no counterpart. Differences: second minus first."))


def _trials_of(folder: Path) -> Sequence[Trial]:
    return answers_of(folder) if (folder / ANSWERS).is_file() else results_of(folder)


def signed_share(share: float) -> str:
    """Return a difference of shares in percent; one that is rounded to nothing has a plus."""
    return f"{round(share, 2) + 0.0:+.0%}"


def comparison_table(scores: Sequence[PairedScore]) -> Table:
    """Return a table with a row for each benchmark and one for all."""
    table = Table(box=None, pad_edge=False)
    solved = ("both", "only first", "only second", "neither", "difference", "95 % interval", "McNemar p")
    for name in ("benchmark", *solved, "steps", "tokens", "cost", "time"):
        table.add_column(name, no_wrap=True)
    for score in scores:
        low, high = score.interval
        table.add_row(
            Text(one_line(score.benchmark, 40)),
            *(str(count) for count in (score.both, score.only_first, score.only_second, score.neither)),
            signed_share(score.difference),
            f"{signed_share(low)} to {signed_share(high)}",
            f"{score.p_value:.3f}",
            f"{score.steps:+g}",
            f"{score.tokens:+,.0f}",
            "" if score.cost_usd is None else f"{score.cost_usd:+.4f} USD",
            f"{score.time_s:+.1f} s",
        )
    return table

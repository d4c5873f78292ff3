"""`millwright runs`."""

from typing import Annotated

import typer
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.table import Table
from rich.text import Text
from store.runs import RunSummaries, RunSummary

from cli.entry import OK, run
from cli.log_access import open_archive
from cli.recorder_lag import lag_line
from cli.screen import screen
from cli.text import one_line

FILE_WIDTH = 240
STYLES = {"running": "cyan", "succeeded": "green", "failed": "red"}


def runs(limit: Annotated[int, typer.Option(min=1, help="How many, from the newest on.")] = 20) -> None:
    """List runs, the newest first."""
    run(_runs(limit, read_settings(), screen()))


async def _runs(limit: int, surroundings: CliSettings, console: Console) -> int:
    async with open_archive(surroundings) as database:
        found = await RunSummaries(database.engine).newest(limit)
    if not found:
        console.print("no runs yet: millwright solve gravity-chute")
        return OK
    if not console.is_terminal:
        console.width = FILE_WIDTH  # whole lines for grep
    console.print(runs_table(found))
    behind = await lag_line(surroundings)
    if behind is not None:
        console.print(Text(behind, style="dim"), soft_wrap=True)
    return OK


def runs_table(found: list[RunSummary]) -> Table:
    """Return one line for each run."""
    table = Table(box=None, pad_edge=False)
    for column in ("run", "begun", "benchmark", "seed", "model", "outcome", "price", "mass", "parts", "continues"):
        table.add_column(column, no_wrap=True)
    for each in found:
        outcome = one_line(f"{each.outcome} {each.reason}".strip(), 60)
        table.add_row(
            str(each.run_id),
            f"{each.started_at.astimezone():%Y-%m-%d %H:%M:%S}",
            each.benchmark,
            str(each.seed),
            Text(_model(each)),
            Text(outcome, style=STYLES[each.outcome]),
            "" if each.unit_price_usd is None else f"{each.unit_price_usd:.2f} USD",
            "" if each.mass_kg is None else f"{each.mass_kg:.3f} kg",
            "" if each.parts is None else str(each.parts),
            "" if each.continues is None else str(each.continues)[:8],
        )
    return table


def _model(summary: RunSummary) -> str:
    """Return the model, and how it acts unless by cells."""
    name = one_line(summary.model, 30)
    return name if summary.executor == "code" else f"{name}, {summary.executor}"

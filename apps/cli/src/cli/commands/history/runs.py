"""`millwright runs`."""

from typing import Annotated

import typer
from chassis.errors import BusUnavailableError
from chassis.settings import BusSettings
from chassis.stream.lag import measure_lag
from contracts.settings import COMMAND
from contracts.text import counted, one_line
from local_stack.data_folder import read_state
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.table import Table
from rich.text import Text
from store.runs import RunSummaries, RunSummary

from cli.entry import OK, run
from cli.log_access import open_database
from cli.screen import output_console

FILE_WIDTH = 240
LAG_TIMEOUT_S = 3.0
STYLES = {"waiting": "dim", "running": "cyan", "succeeded": "green", "not_proven": "red", "failed": "red"}


def runs(limit: Annotated[int, typer.Option(min=1, help="How many to list.")] = 20) -> None:
    """List runs, the newest first.

    Those that generate benchmarks are listed, too.
    """
    run(_runs(limit, read_settings(), output_console()))


async def _runs(limit: int, settings: CliSettings, console: Console) -> int:
    async with open_database(settings) as database:
        found = await RunSummaries(database.engine).newest(limit, kind=None)
    if not found:
        console.print(f"no runs yet: {COMMAND} solve gravity-chute")
        return OK
    if not console.is_terminal:
        console.width = FILE_WIDTH  # whole lines for grep
    console.print(runs_table(found))
    lag = await _lag_line(settings)
    if lag is not None:
        console.print(Text(lag, style="dim"), soft_wrap=True)
    return OK


def runs_table(found: list[RunSummary]) -> Table:
    """Return a table with one row for each run."""
    table = Table(box=None, pad_edge=False)
    for column in ("run", "started", "benchmark", "seed", "model", "outcome", "price", "mass", "parts", "continues"):
        table.add_column(column, no_wrap=True)
    for each in found:
        place = "" if each.ahead is None else f"({counted(each.ahead, 'run')} before it)"
        outcome = one_line(" ".join(filter(None, (each.outcome.replace("_", " "), place, each.reason))), 60)
        table.add_row(
            str(each.run_id),
            f"{each.started_at.astimezone():%Y-%m-%d %H:%M:%S}",
            _subject(each),
            str(each.seed),
            Text(_model(each)),
            Text(outcome, style=STYLES[each.outcome]),
            "" if each.unit_price_usd is None else f"{each.unit_price_usd:.2f} USD",
            "" if each.mass_kg is None else f"{each.mass_kg:.3f} kg",
            "" if each.parts is None else str(each.parts),
            "" if each.continues is None else str(each.continues)[:8],
        )
    return table


def _subject(summary: RunSummary) -> str:
    """Return the benchmark; of a run that generates one, its name or, before it has one, what it is about."""
    if summary.kind == "engineering":
        return summary.benchmark
    return "new: " + one_line(summary.benchmark or summary.task, 30)


def _model(summary: RunSummary) -> str:
    """Return the model, with its executor unless that is the default."""
    name = one_line(summary.model, 30)
    return name if summary.executor == "code" else f"{name}, {summary.executor}"


async def _lag_line(settings: CliSettings) -> str | None:
    """Return how far the recorder is behind; None when neither an external nor a local NATS server is known."""
    state = read_state(settings.millwright_data)
    url = settings.nats_url or (state.environment["NATS_URL"] if state else None)
    if url is None:
        return None
    try:
        return str(await measure_lag(BusSettings(nats_url=url, bus_connect_timeout_s=LAG_TIMEOUT_S)))
    except BusUnavailableError as error:
        return f"recorder lag: unknown, {error}"

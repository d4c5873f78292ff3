"""`millwright export RUN...`."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from contracts.settings import COMMAND
from contracts.text import counted
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.progress import track
from store.database import Database
from store.runs import RunSummaries

from cli.entry import OK, run
from cli.export.dataset_card import dataset_card
from cli.export.redaction import Redaction, known_secrets
from cli.export.rows import Row, RunRow
from cli.export.tables import NAMES, Format, JsonlWriter, Writer, rows_of
from cli.export.training_files import TrainingFormat, TrainingWriter
from cli.log_access import History, open_history, read_run
from cli.options import parse_run_id
from cli.screen import output_console, print_mark

MAX_RUNS = 1_000_000
FORMATS: Mapping[str, Format | TrainingFormat] = {
    "jsonl": "jsonl",
    "parquet": "parquet",
    "trl": "trl",
    "verifiers": "verifiers",
}

RunIds = Annotated[list[str] | None, typer.Argument(metavar="RUN...", help="Ids of runs; default: all runs.")]
Folder = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="A new or empty folder for the files.")]
FormatName = Annotated[str, typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")]


def export(run_ids: RunIds = None, folder: Folder = Path("out/export"), form: FormatName = "jsonl") -> None:
    """Write runs as tables for analysis, or as conversations with tools and rewards for training."""
    chosen = [parse_run_id(each) for each in run_ids or ()]
    if form not in FORMATS:
        raise UserError(f"--format {form!r}: choose one of {', '.join(FORMATS)}")
    if form == "parquet" and find_spec("pyarrow") is None:
        raise UserError("--format parquet needs the package pyarrow: install it, or choose jsonl")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"--out {folder}: it is not an empty folder; choose another, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    settings, console = read_settings(), output_console()
    match FORMATS[form]:
        case "trl" | "verifiers" as training:
            writer = TrainingWriter(folder, training, Redaction(known_secrets(settings)))
            run(_export_conversations(chosen, writer, settings, console))
        case tables:
            run(_export_tables(chosen, folder, tables, settings, console))


async def _export_tables(
    run_ids: Sequence[UUID], folder: Path, form: Format, settings: CliSettings, console: Console
) -> int:
    runs: list[RunRow] = []
    counts: Counter[str] = Counter()
    async with open_history(settings) as history:
        with _open_writer(form, folder) as writer:
            async for row in _rows(run_ids, history, console):
                writer.write(row)
                counts[NAMES[type(row)]] += 1
                if isinstance(row, RunRow):
                    runs.append(row)
    (folder / "README.md").write_text(dataset_card(runs, counts, form), encoding="utf-8")
    written = ", ".join(counted(number, name.removesuffix("s")) for name, number in counts.items())
    print_mark(console, "success", f"{folder}: {written}")
    return OK


async def _export_conversations(
    run_ids: Sequence[UUID], writer: TrainingWriter, settings: CliSettings, console: Console
) -> int:
    async with open_history(settings) as history:
        with writer:
            async for row in _rows(run_ids, history, console):
                writer.write(row)
        await writer.write_pictures(history.artifacts)
    (writer.folder / "README.md").write_text(writer.card(), encoding="utf-8")
    print_mark(console, "success", f"{writer.folder}: {counted(writer.families.total(), 'conversation')}")
    return OK


async def _rows(run_ids: Sequence[UUID], history: History, console: Console) -> AsyncIterator[Row]:
    chosen = run_ids or await _all_runs(history.database)
    for run_id in track(chosen, "exporting", console=console, transient=True):
        async for row in rows_of(await read_run(run_id, history), history.artifacts):
            yield row


def _open_writer(form: Format, folder: Path) -> Writer:
    if form == "jsonl":
        return JsonlWriter(folder)
    from cli.export.parquet import ParquetWriter  # noqa: PLC0415 - an extra

    return ParquetWriter(folder)


async def _all_runs(database: Database) -> list[UUID]:
    newest = await RunSummaries(database.engine).newest(MAX_RUNS)
    if not newest:
        raise UserError(f"no run is recorded: `{COMMAND} solve gravity-chute` makes one")
    return [each.run_id for each in reversed(newest)]

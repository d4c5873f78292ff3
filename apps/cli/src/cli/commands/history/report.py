"""`millwright report RUN [OTHER]`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from run_report.document import comparison_html, report_html
from run_report.record import NotReportableError

from cli.entry import OK, run
from cli.log_access import open_history, read_run
from cli.options import Run, parse_run_id
from cli.screen import output_console, print_mark

Other = Annotated[
    str | None, typer.Argument(metavar="OTHER", help="Id of a second run or attempt, shown beside the first.")
]
File = Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The file to write; it is replaced.")]


def report(run_id: Run, other: Other = None, file: File = Path("report.html")) -> None:
    """Write a run, or two side by side, into one HTML file with its 3D replay.

    The file opens without a network.
    """
    chosen = [parse_run_id(each) for each in (run_id, other) if each is not None]
    if file.is_dir():
        raise UserError(f"--out {file} is a folder: name a file in it, such as {file / 'report.html'}")
    run(_report(chosen, file, read_settings(), output_console()))


async def _report(run_ids: Sequence[UUID], file: Path, settings: CliSettings, console: Console) -> int:
    async with open_history(settings) as history:
        runs = [await read_run(run_id, history) for run_id in run_ids]
        try:
            first, *others = runs
            if others:
                page = await comparison_html(first, others[0], history.artifacts)
            else:
                page = await report_html(first, history.artifacts)
        except NotReportableError as error:
            raise UserError(str(error)) from error
    size = _write(file, page.encode())
    print_mark(console, "success", f"{file}: {size / 1e6:.1f} MB, opens in any browser")
    return OK


def _write(file: Path, page: bytes) -> int:
    """Write the file, and return its size."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.write_bytes(page)
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}; choose another with --out") from error

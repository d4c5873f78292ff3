"""`millwright benchmark import`."""

from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer
from benchmarks.foreign.conversion import ImportedBenchmark, read_foreign
from benchmarks.foreign.folder import file_text, write_folder
from benchmarks.foreign.script import adapted_script, slab_script
from benchmarks.loader import BenchmarkError, load
from local_stack.errors import UserError
from rich.console import Console

from cli.commands.check import print_report
from cli.entry import FAILED, OK, run
from cli.screen import line_printer, output_console, print_mark
from cli.world_checks import check_worlds, opened_host

SCRIPT_BYTES = 1_000_000
"""Largest definition or script that is read."""


def import_(
    file: Annotated[Path, typer.Argument(help="The foreign definition, in YAML.")],
    folder: Annotated[Path | None, typer.Option(help="The new folder; by default named as the benchmark.")] = None,
    script: Annotated[Path | None, typer.Option(help="A build123d script that builds the world.")] = None,
    check: Annotated[bool, typer.Option(help="Build and simulate the world of seed 0 afterwards.")] = True,
) -> None:
    """Make a benchmark of a foreign definition, and print everything that was assumed."""
    console = output_console()
    imported, code = _read_both(file, script, folder.name if folder is not None else file.parent.resolve().name)
    target = folder or Path(imported.file.name)
    environment, change = (slab_script(imported.floor_mm), "") if code is None else adapted_script(*code)
    assumed = (*imported.assumed, change) if change else imported.assumed
    try:
        write_folder(target, file_text(imported.file, file.name, assumed), environment)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}; choose another with --folder") from error
    for line in assumed:
        print_mark(console, "info", line)
    print_line = line_printer(console)
    print_line(f"written: {target}")
    if not check:
        print_line(f"next: millwright check {target}")
        return
    run(_check(target, console))


def _read_both(file: Path, script: Path | None, name: str) -> tuple[ImportedBenchmark, tuple[str, str] | None]:
    """Return the benchmark and its script, with the script's name."""
    imported = read_foreign(_read(file), str(file), name, has_script=script is not None)
    if script is None and imported.script is not None:
        script = file.parent / imported.script
        if not script.resolve().is_relative_to(file.parent.resolve()):
            raise BenchmarkError(str(file), f"script: {imported.script} is not beside the file; use --script")
    if script is None:
        return imported, None
    try:
        return imported, (_read(script).decode("utf-8"), str(script))
    except UnicodeDecodeError as error:
        raise BenchmarkError(str(script), f"it is not UTF-8: {error.reason}; save it as UTF-8") from error


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(SCRIPT_BYTES + 1)
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}; name an existing file") from error
    if len(content) > SCRIPT_BYTES:
        raise UserError(f"{file} is larger than {SCRIPT_BYTES} bytes; name a definition or a script")
    return content


async def _check(folder: Path, console: Console) -> int:
    loaded = load(str(folder), 0)
    worlds = {"seed 0": (loaded, loaded.variant)}
    faults = 0
    async with opened_host() as host, aclosing(check_worlds(worlds, host)) as checked:
        async for report in checked:
            faults += bool(report.fault)
            print_report(console, report)
    print_line = line_printer(console)
    if faults:
        print_line(f"next: correct the files in {folder}, then millwright check {folder}")
        return FAILED
    print_line(f"next: write {folder}/witness.py, then millwright benchmark certify {folder}")
    return OK

"""`millwright benchmark import`."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer
from benchmarks.archive import is_archive, unpack
from benchmarks.foreign.conversion import ImportedBenchmark, read_foreign
from benchmarks.foreign.folder import file_text, write_folder
from benchmarks.foreign.script import adapted_script, slab_script
from benchmarks.loader import CODE, FILE, BenchmarkError, load, yaml_fields
from benchmarks.regular_file import read_regular_file
from contracts.models.label import Label
from contracts.settings import COMMAND
from local_stack.errors import UserError
from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from cli.certification.world_checks import check_worlds, opened_host
from cli.commands.check import print_report
from cli.entry import FAILED, OK, run
from cli.screen import line_printer, output_console, print_mark

SCRIPT_BYTES = 1_000_000
"""Largest definition or script that is read."""


def import_(
    file: Annotated[Path, typer.Argument(help="A foreign definition in YAML, or a packed benchmark.")],
    folder: Annotated[Path | None, typer.Option(help="The new folder; by default named as the benchmark.")] = None,
    script: Annotated[Path | None, typer.Option(help="A build123d script that builds a foreign world.")] = None,
    check: Annotated[bool, typer.Option(help="Build and simulate the world of seed 0 afterwards.")] = True,
) -> None:
    """Make a folder of a foreign definition, with everything that was assumed, or of a packed benchmark."""
    console = output_console()
    name, files, assumed = _unpacked(file, script) if is_archive(file) else _translated(file, script, folder)
    target = folder or Path(name)
    try:
        write_folder(target, files)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}; choose another with --folder") from error
    for line in assumed:
        print_mark(console, "info", line)
    print_line = line_printer(console)
    print_line(f"written: {target}")
    if not check:
        print_line(f"next: {COMMAND} check {target}")
        return
    run(_check(target, console))


Import = tuple[str, Mapping[str, bytes], Sequence[str]]
"""A name, the files of the folder, and what was assumed."""


def _unpacked(file: Path, script: Path | None) -> Import:
    if script is not None:
        raise UserError(f"{file} contains its own environment.py; leave out --script")
    files = unpack(file)
    name = yaml_fields(files[FILE], f"{FILE} in {file}").get("name")
    try:
        return TypeAdapter(Label).validate_python(name), files, ()
    except ValidationError as error:
        raise BenchmarkError(f"{FILE} in {file}", f"name: {name!r} cannot be a name; correct it") from error


def _translated(file: Path, script: Path | None, folder: Path | None) -> Import:
    imported, code = _read_both(file, script, folder.name if folder is not None else file.parent.resolve().name)
    environment, change = (slab_script(imported.floor_mm), "") if code is None else adapted_script(*code)
    assumed = (*imported.assumed, change) if change else imported.assumed
    text = file_text(imported.file, file.name, assumed)
    return imported.file.name, {FILE: text.encode(), CODE: environment.encode()}, assumed


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
        return read_regular_file(file, SCRIPT_BYTES, follows_links=True)
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}; name a definition or a script") from error


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
        print_line(f"next: correct the files in {folder}, then {COMMAND} check {folder}")
        return FAILED
    print_line(f"next: write {folder}/witness.py, then {COMMAND} benchmark certify {folder}")
    return OK

"""`millwright benchmark pack`."""

from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer
from benchmarks.archive import SUFFIXES, files_of, is_archive
from benchmarks.archive import pack as packed
from benchmarks.loader import file_of, load
from contracts.settings import COMMAND
from contracts.text import counted
from local_stack.errors import UserError

from cli.commands.benchmark.author_commands import BenchmarkArgument
from cli.screen import line_printer, output_console


def pack(
    name_or_path: BenchmarkArgument,
    output: Annotated[Path | None, typer.Option(help="A .tar.gz or .zip; by default NAME.tar.gz.")] = None,
) -> None:
    """Pack a benchmark's folder into one file; equal folders give equal bytes."""
    folder = file_of(name_or_path).parent
    name = load(str(folder), 0).file.name
    target = output or Path(f"{name}.tar.gz")
    if not is_archive(target):
        raise UserError(f"{target} has no known ending; use one of {', '.join(SUFFIXES)}")
    files = files_of(folder)
    content = packed(name, files, target.suffix)
    try:
        with target.open("xb") as opened:
            opened.write(content)
    except OSError as error:
        raise UserError(f"{target} cannot be written: {error.strerror}; choose another with --output") from error
    print_line = line_printer(output_console())
    print_line(
        f"written: {target}: {counted(len(files), 'file')}, {len(content)} bytes, sha256 {sha256(content).hexdigest()}"
    )
    print_line(f"next: {COMMAND} benchmark import {target}")

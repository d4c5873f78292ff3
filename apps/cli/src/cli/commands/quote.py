"""`millwright quote FILE...`."""

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from cad_worker.job_protocol import FileQuoteResult
from contracts.models.design import Method
from contracts.quotes import VERDICTS, DrawnPart, QuoteChoice, QuoteReport, worst_of
from local_stack.errors import UserError
from parts_catalog.materials import MATERIALS, materials_for
from parts_catalog.methods.registry import METHODS
from pydantic import ValidationError
from rich.text import Text
from run_report.quotes.page import report_page
from run_report.quotes.rows import report_csv
from run_report.quotes.text import progress_text, report_text

from cli.entry import run
from cli.quotes.answers import quote_files
from cli.result_page import write_page
from cli.screen import error_console

ALL = "all"
SUFFIXES = (".step", ".stp", ".stpz", ".p21", ".stl", ".3mf", ".obj", ".py")
PAGE = Path("out") / "quote" / "quote.html"


class Tolerance(StrEnum):
    """Classes of ISO 2768."""

    COARSE = "coarse"
    MEDIUM = "medium"
    FINE = "fine"


def quote(  # noqa: PLR0913, PLR0917 - options of a command
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="STEP, STL, 3MF, OBJ, build123d scripts, or folders with such files."),
    ],
    method: Annotated[list[str] | None, typer.Option(help=f"{ALL}, {', '.join(METHODS)}; several with commas.")] = None,
    material: Annotated[
        list[str] | None, typer.Option(help=f"{', '.join(MATERIALS)}; several with commas. Default: a usual one.")
    ] = None,
    quantity: Annotated[str, typer.Option(help="Quantities of the order, with commas.")] = "1,10,100,1000",
    tolerance: Annotated[Tolerance, typer.Option(help="Class of ISO 2768.")] = Tolerance.MEDIUM,
    is_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")] = False,
    is_csv: Annotated[bool, typer.Option("--csv", help="Print a row for each part, way and quantity.")] = False,
    is_html: Annotated[bool, typer.Option("--html", help="Print a page with the parts and places in 3D.")] = False,
    out: Annotated[Path | None, typer.Option(help="File to write instead of standard output.")] = None,
) -> None:
    """Quote the parts in CAD files, meshes and scripts: makeable or not, for how much, what to change first.

    Exit status, by the worst file: 0 every part can be made by one of the methods, 1 one cannot, 2 a file cannot be
    quoted: it is empty, damaged, open or not a file of parts.
    """
    if is_json + is_csv + is_html > 1:
        raise UserError("choose one of --json, --csv and --html")
    methods = _methods(method)
    choice = _choice(methods, _materials(material, methods), quantity, tolerance.value)
    found = _all_files(files)
    run(_quote(found, choice, _Output(is_json, is_csv, is_html, out)))


class _Output:
    """Where the report goes, and in which form."""

    def __init__(self, is_json: bool, is_csv: bool, is_html: bool, out: Path | None) -> None:
        self.is_html = is_html
        self._render: Callable[[QuoteReport, Sequence[Sequence[DrawnPart]]], str] = (
            (lambda report, _: report.model_dump_json(indent=2) + "\n")
            if is_json
            else (lambda report, _: report_csv(report))
            if is_csv
            else report_page
            if is_html
            else (lambda report, _: report_text(report))
        )
        self._out = PAGE if out is None and is_html and sys.stdout.isatty() else out

    def write(self, report: QuoteReport, shown: Sequence[Sequence[DrawnPart]]) -> None:
        text = self._render(report, shown)
        if self._out is None:
            sys.stdout.write(text)
            return
        write_page(self._out, text)
        error_console().print(Text(f"written: {self._out}"), soft_wrap=True)


async def _quote(files: Sequence[Path], choice: QuoteChoice, output: _Output) -> int:
    console, done = error_console(), 0

    def answered(result: FileQuoteResult) -> None:
        nonlocal done
        done += 1
        if len(files) > 1:
            line = progress_text(done, len(files), result.quote, choice.quantities[0])
            console.print(Text(line), soft_wrap=True)

    results = await quote_files(files, choice, has_view=output.is_html, answered=answered)
    worst = worst_of(result.quote.verdict for result in results)
    report = QuoteReport(choice=choice, files=tuple(result.quote for result in results), verdict=worst)
    output.write(report, [result.shown for result in results])
    return VERDICTS.index(worst)


def _methods(wanted: Sequence[str] | None) -> tuple[Method, ...]:
    names = _listed(wanted)
    if not names or ALL in names:
        return tuple(METHODS)
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise UserError(f"{unknown[0]!r} is not a method: choose {ALL}, {', '.join(METHODS)}")
    return tuple(method for method in METHODS if method in names)


def _materials(wanted: Sequence[str] | None, methods: Sequence[Method]) -> tuple[str, ...]:
    names = [name.replace("_", "-").replace("aluminium", "aluminum") for name in _listed(wanted)]
    for name in names:
        if name not in MATERIALS:
            usable = dict.fromkeys(each for method in methods for each in materials_for(method))
            raise UserError(f"{name!r} is not a material: choose one of {', '.join(usable)}")
        if not set(MATERIALS[name].methods) & set(methods):
            raise UserError(f"{name} needs {' or '.join(MATERIALS[name].methods)}, not {' or '.join(methods)}")
    return tuple(dict.fromkeys(names))


def _choice(methods: tuple[Method, ...], materials: tuple[str, ...], quantity: str, tolerance: str) -> QuoteChoice:
    try:
        quantities = tuple(dict.fromkeys(int(each) for each in quantity.split(",") if each.strip()))
        if not quantities:
            raise ValueError
        return QuoteChoice.model_validate(
            {"methods": methods, "materials": materials, "quantities": quantities, "tolerance_class": tolerance}
        )
    except (ValueError, ValidationError) as error:
        raise UserError(f"--quantity {quantity!r}: give whole numbers from 1 on, such as 1,10,100") from error


def _listed(wanted: Sequence[str] | None) -> list[str]:
    return [name.strip().lower().replace("-", "_") for text in wanted or () for name in text.split(",") if name.strip()]


def _all_files(named: Sequence[Path]) -> list[Path]:
    """Return the files, and those in folders, in the order of their names."""
    found: list[Path] = []
    for path in named:
        inside = sorted(each for each in path.iterdir() if each.suffix.lower() in SUFFIXES) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"{path} is a folder without files of parts ({', '.join(SUFFIXES)})")
        found += inside
    return list(dict.fromkeys(found))

"""`millwright benchmark harbor`."""

from pathlib import Path
from typing import Annotated

import typer
from benchmarks.harbor_task import IMAGE, task_files, task_name
from benchmarks.loader import file_of, load, read_witness, suite
from contracts.settings import COMMAND
from contracts.text import counted
from local_stack.errors import UserError

from cli.commands.eval import parse_seeds
from cli.screen import line_printer, output_console

FOLDER = Path("out") / "harbor"


def harbor(
    benchmarks: Annotated[list[str], typer.Argument(help="Built-in names, folders, or `suite` for all of the suite.")],
    seeds: Annotated[str, typer.Option(help="Such as 0, or 0-3.")] = "0",
    image: Annotated[str, typer.Option(help="Of the judge; see docs/evaluation-elsewhere.md.")] = IMAGE,
    out: Annotated[Path, typer.Option(help="A new folder, which gets one for each task.")] = FOLDER,
) -> None:
    """Write benchmarks as tasks of Harbor: its agents solve them, our judge gives the reward."""
    if out.exists():
        raise UserError(f"{out} exists: choose a new folder with --out")
    names = [each for name in benchmarks for each in (suite(name) or [name])]
    tasks = [(load(name, seed), file_of(name)) for name in names for seed in parse_seeds(seeds)]
    for loaded, file in tasks:
        for path, text in task_files(loaded, file, read_witness(file), image).items():
            target = out / task_name(loaded) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            target.chmod(0o755 if target.suffix == ".sh" else 0o644)
    print_line = line_printer(output_console())
    print_line(f"written: {out}: {counted(len(tasks), 'task')}")
    print_line(f"next: harbor run -p {out} -a oracle (docs/evaluation-elsewhere.md); `{COMMAND} try` is the judge")

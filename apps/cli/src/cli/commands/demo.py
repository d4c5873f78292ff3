"""`millwright demo`."""

from pathlib import Path
from typing import Annotated

import typer
from contracts.models.benchmark import Limits
from local_stack.settings import read_settings
from run_requests.request import RunOptions

from cli.entry import run
from cli.runs.execution import RunPlace, solve_benchmark
from cli.screen import output_console

BENCHMARK, SEED = "detour", 3
MAX_MASS_KG = 0.65
"""Less than the benchmark's limit and than the mass of the expert's first design: the limit costs it two more designs,
from which a skill is learned."""
FOLDER = Path("out") / "demo"


Watch = Annotated[bool, typer.Option("--watch", help="Show the run's page in a browser, and go on until Ctrl-C.")]


def demo(watch: Watch = False) -> None:
    """Solve a benchmark with the offline expert and a tight mass limit: no key, no Docker, about a minute."""
    options = RunOptions(BENCHMARK, SEED, model="offline", quantity=100, limits=Limits(max_mass_kg=MAX_MASS_KG))
    run(solve_benchmark(options, RunPlace(read_settings(), output_console(), FOLDER, watch=watch)))

"""`millwright demo`."""

from pathlib import Path

from contracts.models.benchmark import Limits
from local_stack.settings import read_settings

from cli.entry import run
from cli.runs.request import RunOptions
from cli.runs.solve import solve
from cli.screen import screen

BENCHMARK, SEED = "detour", 3
TIGHT_MASS_KG = 0.65
"""Less than the benchmark allows, and less than the expert's first design weighs: a user's wish that costs it two more
designs and leaves something to learn."""
FOLDER = Path("out") / "demo"


def demo() -> None:
    """Solve a benchmark with the offline expert, lighter than it asks for: no key, no Docker, about a minute."""
    order = RunOptions(BENCHMARK, SEED, model="offline", quantity=100, limits=Limits(max_mass_kg=TIGHT_MASS_KG))
    run(solve(order, FOLDER, read_settings(), screen(), separate=False))

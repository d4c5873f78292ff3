"""`millwright demo`."""

from pathlib import Path

from contracts.benchmark import Limits

from cli.requesting import Order
from cli.running import run
from cli.screen import screen
from cli.settings import read_surroundings
from cli.solving import solve

BENCHMARK = "gravity-chute"
FOLDER = Path("out") / "demo"


def demo() -> None:
    """Solve a small benchmark with the offline expert: no key, no Docker, about a minute."""
    order = Order(BENCHMARK, seed=0, model="offline", quantity=100, limits=Limits())
    run(solve(order, FOLDER, read_surroundings(), screen(), separate=False))

"""Records observations of real cells: `python -m tests.documents.record_observations` (some minutes).

The rule-based expert works on a benchmark; then fixed cells of the tool executor and cells that fail run on its
design, in a real kernel, with real workbenches and physics. Times are replaced, so that a recording is reproducible.
"""

# ruff: noqa: E501 - cells are easier to read on one line

import asyncio
import json
from pathlib import Path

from benchmarks.loader import load
from cad_worker.kernel_kinds import order_of
from contracts.models.benchmark import Variant
from contracts.models.observation import Observation
from engineer.executors import fixed_cells
from kernel_host.sessions.session import Answer, Cell, CellOutcome, Session

from tests.support.benchmark_solver import Bench, Solution, bench

FILE = Path(__file__).parent / "recorded" / "observations.json"
BENCHMARK, SEED = "gravity-chute", 1

_PART = """
from build123d import Box, Compound, Pos
from utils import *

def part(label, size, at=(0, 0, 0), method="3d_printing", material="pla"):
    made = Pos(*at) * Box(*size)
    made.label = label
    made.metadata = {"manufacturing_method": method, "material_id": material}
    return made
"""
_CELLS = {
    "tool: price of the assembly": fixed_cells.price_cell(None),
    "tool: simulation": fixed_cells.SIMULATE,
    "tool: world": fixed_cells.measure_cell("world"),
    "tool: parts": fixed_cells.measure_cell("parts"),
    "tool: path of the payload": fixed_cells.measure_cell("payload"),
    "tool: distance to nothing": fixed_cells.distance_cell("nothing", "floor"),
    "tool: price of nothing": fixed_cells.price_cell("nothing"),
    "helpers": _PART,
    "label with a blank": 'print(repr(validate_and_price(part("leg 1", (14, 14, 60)))))',
    "thin wall": 'thin = validate_and_price(part("thin", (100, 100, 0.2)))',
    "size before it is built": 'price((260, 16, 16), "3d_printing", "pla")',
    "sweep of a price": 'prices = sweep(lambda edge: price((edge, 16, 16), "3d_printing", "pla"), [100, 200, 256, 257])',
    "sweep with an error": 'found = sweep(lambda edge: price((edge, 16, 16), "3d_printing", "pla"), [100, 0, 256])',
    "like parts": 'legs = validate_and_price(Compound(label="m", children=[part(f"leg {n}", (14, 14, 60), (30 * n, 0, 0)) '
    "for n in range(12)]))",
    "many parts": 'parts = validate_and_price(Compound(label="m", children=[part(f"leg-{n}", (14, 14, 60 + n), '
    "(30 * n, 0, 0)) for n in range(60)]))",
    "preview of parts that fall": 'run = simulate(Compound(label="m", children=[part("thin", (80, 80, 0.4), (0, 0, 60))]))',
    "preview with jitter": "from script import assembly\nrun = simulate(assembly, replicas=4, seed=3)",
    "test of a station": "from script import assembly\nplace = benchmark.payload.start_mm\n"
    "run = simulate(assembly, payload_at_mm=(place[0], place[1], place[2] + 5))",
    "clearance": "gaps = clearance(run, environment, benchmark.goal_zone)",
    "findings twice": 'thin = part("thin", (100, 100, 0.2))\nfirst = validate_and_price(thin)\nsecond = validate_and_price(thin)',
    "not an assembly": "simulate(3)",
    "too many replicas": "from script import assembly\nsimulate(assembly, replicas=99)",
    "name that does not exist": "Cylindre(3, 4)",
    "refused import": "import subprocess\nimport socket",
    "syntax": "def broken(:",
    "traceback through a function": "def half(size):\n    return size / 0\n\nhalf(3)",
    "long output": "for number in range(3000):\n    print(number, 'of a long list of lines')",
    "long table": "print('| n | square |')\nprint('| --- | --- |')\nfor n in range(900):\n    print(f'| {n} | {n * n} |')",
    "one long line": "print('x' * 30000)",
    "many variables": "a, b, c = 1, [2] * 50, {'k': 3}\nd = part('d', (5, 5, 5))\ne = environment.solids()",
    "assertion with figures": "assert benchmark.payload.size_mm > 500, f'{benchmark.payload.size_mm} mm is small'",
}


class _Recorder(Bench):
    """A bench that keeps the observations of the expert's cells, and goes on with the cells above."""

    def __init__(self, inner: Bench) -> None:
        vars(self).update(vars(inner))
        self.recorded: dict[str, Observation] = {}

    async def _converse(self, solution: Solution, session: Session, variant: Variant) -> None:
        run = session.run

        async def recording(cell: Cell, answer: Answer) -> CellOutcome:
            outcome = await run(cell, answer)
            name = f"expert: cell {len(self.recorded) + 1}"
            self.recorded[name] = outcome.observation
            return outcome

        vars(session)["run"] = recording
        await super()._converse(solution, session, variant)
        del vars(session)["run"]
        for number, (name, code) in enumerate(_CELLS.items()):
            outcome = await run(Cell(code, name, number, 60.0), self._tools(order_of(session)))
            self.recorded[name] = outcome.observation


async def _record() -> dict[str, Observation]:
    async with bench(replicas=4) as inner:
        recorder = _Recorder(inner)
        await recorder.solve(load(BENCHMARK, SEED))
    return recorder.recorded


def main() -> None:
    """Write the recordings."""
    recorded = asyncio.run(_record())
    plain = {
        name: each.model_copy(update={"elapsed_s": 0.5}).model_dump(mode="json", exclude_defaults=True)
        for name, each in recorded.items()
    }
    text = json.dumps(plain, indent=1, ensure_ascii=False).replace(f"{Path(__file__).parents[2]}/", "")
    FILE.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()

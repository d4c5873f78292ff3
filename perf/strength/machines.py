"""Parts of the suite's machines that finite elements looked at, and how many changed their verdict."""

import asyncio
from dataclasses import dataclass

import numpy as np
from benchmarks.loader import built_in, load
from contracts.models.simulation import PartUse, SimulationResult
from sim_worker.simulator import SimulationSettings, Simulator

from tests.support.benchmark_solver import Solution, bench
from tests.support.measurements import table

SEEDS, REPLICAS = 20, 2
_HEAD = (
    "machines",
    "submissions",
    "parts",
    "by finite elements",
    "no answer",
    "refused",
    "acquitted",
    "verdicts turned",
)


@dataclass
class _Counts:
    """Of all submissions of a sample."""

    submissions: int = 0
    parts: int = 0
    by_solid: int = 0
    without_answer: int = 0
    refused: int = 0
    """Parts that beams, cuts and plates pass."""
    acquitted: int = 0
    turned: int = 0
    """Verdicts on submissions."""

    def add(self, before: SimulationResult, after: SimulationResult) -> None:
        """Count a submission, judged without and with finite elements."""
        self.submissions += 1
        self.parts += len(after.parts)
        self.turned += before.verdict != after.verdict
        sections = {part.label: part for part in before.parts}
        for part in after.parts:
            self.by_solid += part.is_by_solid
            self.without_answer += bool(part.solid_problem)
            if part.is_by_solid and part.label in sections:
                was, now = _is_over(sections[part.label]), _is_over(part)
                self.refused += now and not was
                self.acquitted += was and not now


def _is_over(part: PartUse) -> bool:
    return part.peak_stress_mpa > part.max_stress_mpa


def machines_table(count: int, seed: int) -> str:
    """Return the table of so many machines of the suite, drawn by a seed, and its notes."""
    every = [(name, number) for name in built_in() for number in range(SEEDS)]
    drawn = np.random.default_rng(seed).choice(len(every), count, replace=False)
    chosen = [every[int(index)] for index in np.sort(drawn)]
    return asyncio.run(_measured(chosen))


async def _measured(chosen: list[tuple[str, int]]) -> str:
    counts, notes = _Counts(), list[str]()
    async with bench(REPLICAS) as tried:
        for name, number in chosen:
            _judge(await tried.solve(load(name, number)), counts, notes)
    figures = vars(counts).values()
    row = (str(len(chosen)), *(str(each) for each in figures))
    drawn = ", ".join(f"{name} {number}" for name, number in chosen)
    return "\n".join([table(_HEAD, [row]), "", f"Drawn: {drawn}.", *notes])


def _judge(solution: Solution, counts: _Counts, notes: list[str]) -> None:
    simulator = Simulator(threads=1)
    for scene, after in solution.tried:
        before = simulator.simulate(scene, SimulationSettings(1, solution.seed)).result
        counts.add(before, after)
        if before.verdict != after.verdict:
            notes.append(f"- {solution.benchmark} {solution.seed}: {before.verdict}, then {after.verdict}")
    if not solution.is_solved:
        notes.append(f"- {solution.benchmark} {solution.seed}: not solved by the expert")

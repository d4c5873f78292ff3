"""Parts of the suite's machines that finite elements looked at, how many changed their verdict, and what they cost."""

import asyncio
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time

import numpy as np
from benchmarks.loader import built_in, load
from cad_worker.job_protocol import Judgement
from contracts.models.simulation import PartUse, SimulationResult
from sim_worker.simulator import SimulationSettings, Simulator

from tests.support.benchmark_solver import REPLICAS, Solution, bench
from tests.support.measurements import table

SEEDS, WHILE_SOLVING = 20, 2
"""Of each benchmark, and replicas until the expert's design is accepted."""
_HEAD = ("machines", "submissions", "parts", "by finite elements", "no answer", "refused", "acquitted", "turned")
_COST_HEAD = ("submission", "parts", "looked at", "CPU s without elements", "with", "more", "of that their process")


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


@dataclass(frozen=True)
class _Cost:
    """Of one submission: parts, and CPU in s."""

    name: str
    parts: int
    looked_at: int
    without_s: float
    with_s: float
    process_s: float
    """Of the process of finite elements, a share of `with_s`."""

    @property
    def more_s(self) -> float:
        return self.with_s - self.without_s

    @property
    def figures(self) -> tuple[float, ...]:
        return (self.parts, self.looked_at, self.without_s, self.with_s, self.more_s, self.process_s)


def _is_over(part: PartUse) -> bool:
    return part.peak_stress_mpa > part.max_stress_mpa


def machines_tables(count: int, seed: int) -> str:
    """Return what finite elements find in so many machines of the suite, drawn by a seed, and what it costs."""
    every = [(name, number) for name in built_in() for number in range(SEEDS)]
    drawn = np.random.default_rng(seed).choice(len(every), count, replace=False)
    chosen = [every[int(index)] for index in np.sort(drawn)]
    return asyncio.run(_measured(chosen))


async def _measured(chosen: list[tuple[str, int]]) -> str:
    counts, costs, notes = _Counts(), list[_Cost](), list[str]()
    async with bench(WHILE_SOLVING) as tried:
        for name, number in chosen:
            solution = await tried.solve(load(name, number))
            costs += [_judge(judgement, solution, counts, notes) for judgement in solution.tried]
            if not solution.is_solved:
                notes.append(f"- {name} {number}: not solved by the expert")
    row = (str(len(chosen)), *(str(each) for each in vars(counts).values()))
    drawn = ", ".join(f"{name} {number}" for name, number in chosen)
    found = [table(_HEAD, [row]), "", f"Drawn: {drawn}.", *notes]
    return "\n".join([*found, "", f"What they cost, with {REPLICAS} replicas:", "", _cost_table(costs)])


def _judge(judgement: Judgement, solution: Solution, counts: _Counts, notes: list[str]) -> _Cost:
    """Simulate a design that the judge accepted without finite elements and with them, in simulators of their own."""
    before, without_s, _ = _timed(judgement, solution.seed, {})
    after, own_s, process_s = _timed(judgement, solution.seed, judgement.part_steps)
    counts.add(before, after)
    name = f"{solution.benchmark} {solution.seed}"
    if before.verdict != after.verdict:
        notes.append(f"- {name}: {before.verdict}, then {after.verdict}")
    looked_at = sum(part.is_by_solid or bool(part.solid_problem) for part in after.parts)
    return _Cost(name, len(after.parts), looked_at, without_s, own_s + process_s, process_s)


def _timed(judgement: Judgement, seed: int, solids: Mapping[str, bytes]) -> tuple[SimulationResult, float, float]:
    """Return what physics finds, and the CPU of this process and of those that it started."""
    assert judgement.scene is not None
    own_s, started_s = process_time(), _of_children_s()
    record = Simulator(threads=1).simulate(judgement.scene, SimulationSettings(REPLICAS, seed), solids=solids)
    return record.result, process_time() - own_s, _of_children_s() - started_s


def _of_children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _cost_table(costs: list[_Cost]) -> str:
    middle = [median(column) for column in zip(*(each.figures for each in costs), strict=True)]
    worst = max(costs, key=lambda each: each.more_s)
    rows = [*((each.name, each.figures) for each in costs), ("median", middle), (f"worst: {worst.name}", worst.figures)]
    return table(_COST_HEAD, [_cost_row(name, figures) for name, figures in rows])


def _cost_row(name: str, figures: Sequence[float]) -> tuple[str, ...]:
    parts, looked_at, *times = figures
    return (name, f"{parts:g}", f"{looked_at:g}", *(f"{each:.1f}" for each in times))

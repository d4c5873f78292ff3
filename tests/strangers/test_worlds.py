"""Worlds written from the docs alone, each with a design made by hand or a reason why there is none."""

import pytest
from benchmarks.loader import WITNESS, load

from perf.benchmarks.strangers import IMPOSSIBLE, WORLDS, names_of_worlds
from tests.support.benchmark_solver import bench

NAMES = names_of_worlds()
SOLVED = (
    "beam-cube",
    "bookcase-cube-out",
    "diagonal-lane",
    "drop-cube-basket",
    "flat-marble",
    "lift-aside-big-ball",
    "pit-bridge",
    "push-can-diagonal",
    "table-box",
)
"""One for each way that the expert learned from these worlds; all are in perf/results/strangers.md."""


def test_each_world_has_a_witness_or_a_reason() -> None:
    assert len(NAMES) >= 60
    for name in NAMES:
        loaded = load(str(WORLDS / name), seed=0)
        assert loaded.variant.benchmark == name
        assert (WORLDS / name / WITNESS).exists() != (WORLDS / name / IMPOSSIBLE).exists(), name


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SOLVED)
async def test_world_that_the_expert_learned_from_is_solved(name: str) -> None:
    async with bench(replicas=8) as tried:
        solution = await tried.solve(load(str(WORLDS / name), seed=0))
    assert solution.is_solved, (solution.complaints, solution.refusal)

"""The suite's benchmarks in real kernels, before the real judge and physics; few seeds, `perf.suite` takes many."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from benchmarks.benchmark_file import FileLimits
from benchmarks.loader import load

from tests.support.benchmark_solver import Bench, Solution, bench
from tests.suite.worlds import FAMILIES, REPLICAS, nominal, renamed, witness

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tried() -> AsyncIterator[Bench]:
    """One host for all tests: importing CAD takes seconds."""
    async with bench(REPLICAS) as started:
        yield started


@pytest.mark.parametrize("family", FAMILIES)
async def test_the_witness_solves_the_nominal_world_and_others(family: str, tried: Bench) -> None:
    for world in (nominal(family), load(family, 2)):
        solution = await tried.witness(world, witness(family))
        assert solution.is_solved, (solution.complaints, solution.result)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def solved(tried: Bench) -> dict[str, Solution]:
    """What the expert makes of each family, for whoever compares it."""
    return {family: await tried.solve(load(family, 1)) for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
async def test_the_expert_solves_each_family(family: str, solved: dict[str, Solution]) -> None:
    assert solved[family].is_solved, solved[family]
    assert solved[family].steps == 4, "facts, script, check, submission"


@pytest.mark.parametrize("family", FAMILIES)
async def test_names_do_not_matter(family: str, tried: Bench, solved: dict[str, Solution]) -> None:
    other = await tried.solve(renamed(load(family, 1)))
    assert other.is_solved
    assert solved[family].bill == other.bill


@pytest.mark.parametrize("family", FAMILIES)
async def test_nothing_built_solves_nothing(family: str, tried: Bench) -> None:
    for seed in (0, 1):
        result = await tried.without_machine(load(family, seed), replicas=4)
        assert (result.verdict, result.success_rate) == ("failed", 0.0)


async def test_a_tight_limit_makes_thinner_walls(tried: Bench) -> None:
    loaded = load("gravity-chute", 4)
    tight = replace(loaded, file=loaded.file.model_copy(update={"limits": FileLimits(max_mass_kg=0.4)}))
    solution = await tried.solve(tight)
    assert solution.is_solved, solution
    assert solution.designs > 1
    assert solution.bill is not None
    assert solution.bill.mass_kg <= 0.4


async def test_an_impossible_limit_is_refused_with_what_was_tried(tried: Bench) -> None:
    loaded = load("gravity-chute", 4)
    impossible = replace(loaded, file=loaded.file.model_copy(update={"limits": FileLimits(max_mass_kg=0.01)}))
    solution = await tried.solve(impossible)
    assert not solution.is_solved
    assert "dear" in solution.refusal or "already failed" in solution.refusal

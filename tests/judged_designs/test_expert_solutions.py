"""The built-in benchmarks in real kernels with the real judge and physics; `perf.suite` runs more seeds."""

from dataclasses import replace

import pytest
from benchmarks.benchmark_file import FileLimits
from benchmarks.loader import load
from cad_worker.host import KernelHost

from tests.suite.worlds import FAMILIES, REPLICAS, renamed
from tests.support.benchmark_solver import Bench

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def host(kernel_host: KernelHost) -> Bench:
    return Bench(kernel_host, REPLICAS)


@pytest.mark.sample(5)
@pytest.mark.parametrize("benchmark", FAMILIES)
async def test_expert_solves_each_benchmark(benchmark: str, host: Bench) -> None:
    solution = await host.solve(load(benchmark, 1))
    assert solution.is_solved, solution
    assert solution.steps == 4, "facts, script, check, submission"


async def test_expert_does_not_depend_on_names(host: Bench) -> None:
    loaded = load("gravity-chute", 1)
    solution, other = await host.solve(loaded), await host.solve(renamed(loaded))
    assert other.is_solved
    assert solution.bill == other.bill


async def test_tight_mass_limit_is_met(host: Bench) -> None:
    loaded = load("gravity-chute", 4)
    tight = replace(loaded, file=loaded.file.model_copy(update={"limits": FileLimits(max_mass_kg=0.342)}))
    solution = await host.solve(tight)
    assert solution.is_solved, solution
    assert solution.designs > 1
    assert solution.bill is not None
    assert solution.bill.mass_kg <= 0.342


async def test_impossible_limit_is_refused_with_attempts(host: Bench) -> None:
    loaded = load("gravity-chute", 4)
    impossible = replace(loaded, file=loaded.file.model_copy(update={"limits": FileLimits(max_mass_kg=0.01)}))
    solution = await host.solve(impossible)
    assert not solution.is_solved
    assert solution.refusal.count("over limits") == solution.designs > 1

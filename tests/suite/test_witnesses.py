"""The witness of every built-in benchmark solves one world; `millwright benchmark certify` tries more of them."""

from zlib import crc32

import pytest
from benchmarks.loader import built_in, load
from cad_worker.host import KernelHost

from tests.suite.worlds import witness
from tests.support.benchmark_solver import Bench

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPLICAS = 4
SEEDS = 16


@pytest.mark.parametrize("name", built_in())
async def test_witness_solves_a_world_of_each_benchmark(name: str, kernel_host: KernelHost) -> None:
    seed = crc32(name.encode()) % SEEDS
    solution = await Bench(kernel_host, REPLICAS).witness(load(name, seed), witness(name))
    assert solution.is_solved, (seed, solution.complaints, solution.result)

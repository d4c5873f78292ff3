"""The witness of each family solves one world of one level; `millwright benchmark certify suite` tries all of them."""

from zlib import crc32

import pytest
from benchmarks.loader import FILE, SUITE, built_in, load
from cad_worker.host import KernelHost

from tests.suite.worlds import witness
from tests.support.benchmark_solver import Bench

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPLICAS = 2
SEEDS = 16


FAMILIES = sorted(path.parent.name for path in SUITE.glob(f"*/{FILE}"))


def drawn_level(family: str) -> str:
    """Return one of a family's benchmarks."""
    names = [name for name in built_in() if name == family or name.removeprefix(f"{family}-").isdigit()]
    return names[crc32(family.encode()) % len(names)]


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", [drawn_level(family) for family in FAMILIES])
async def test_witness_solves_a_world_of_each_family(name: str, kernel_host: KernelHost) -> None:
    seed = crc32(name.encode()) % SEEDS
    solution = await Bench(kernel_host, REPLICAS).witness(load(name, seed), witness(name))
    assert solution.is_solved, (seed, solution.complaints, solution.result)

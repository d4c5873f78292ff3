"""A limit on the supply that is set in benchmark.yaml is judged."""

from pathlib import Path
from shutil import copytree

import pytest
from benchmarks.loader import FILE, SUITE, load
from cad_worker.host import KernelHost

from tests.suite.worlds import witness
from tests.support.benchmark_solver import Bench

BENCHMARK = "push-flat"
TOO_LITTLE_W, ENOUGH_W = 0.05, 100.0


def limited(folder: Path, supply_limit_w: float) -> str:
    """Return a copy of the benchmark with a limit on its supply."""
    copytree(SUITE / BENCHMARK, folder)
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(f"supply_limit_w: {supply_limit_w}\n")
    return str(folder)


@pytest.mark.asyncio(loop_scope="session")
async def test_supply_limit_of_the_file_is_judged(kernel_host: KernelHost, tmp_path: Path) -> None:
    bench = Bench(kernel_host, replicas=1)
    enough, too_little = [
        await bench.witness(load(limited(tmp_path / str(limit_w), limit_w), 0), witness(BENCHMARK))
        for limit_w in (ENOUGH_W, TOO_LITTLE_W)
    ]
    assert enough.result is not None
    assert enough.result.verdict == "solved"
    assert f"of {ENOUGH_W:.3g} W" in enough.result.summary_md
    assert too_little.result is not None
    assert (too_little.result.nominal.ending, too_little.result.nominal.culprit) == ("overloaded", "supply")
    assert f"the supply gives {TOO_LITTLE_W:.3g} W" in too_little.result.nominal.cause

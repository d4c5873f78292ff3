"""Benchmarks that need a motor, in real kernels with the real judge and physics."""

import pytest
from benchmarks.loader import load
from cad_worker.host import KernelHost

from tests.suite.worlds import DRIVEN, REPLICAS, renamed
from tests.support.benchmark_solver import Bench

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAX_TORQUE_SHARE = 0.5
"""Of a motor's stall torque."""


@pytest.fixture(scope="module")
def host(kernel_host: KernelHost) -> Bench:
    return Bench(kernel_host, REPLICAS)


@pytest.mark.sample(1)
@pytest.mark.parametrize("benchmark", DRIVEN)
async def test_expert_solution_does_not_overload_its_motor(benchmark: str, host: Bench) -> None:
    solution = await host.solve(renamed(load(benchmark, 5)))
    assert solution.is_solved, solution
    assert solution.steps == 5, "facts, search, script, check, submission"
    assert solution.result is not None
    (motor,) = solution.result.motors
    assert 0 < motor.peak_torque_n_m < MAX_TORQUE_SHARE * motor.stall_torque_n_m
    assert motor.longest_overload_s == 0

"""Benchmarks that need a motor, in real kernels, before the real judge and physics."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from benchmarks.loader import load

from tests.support.benchmark_solver import Bench, bench
from tests.suite.worlds import DRIVEN, REPLICAS, renamed, witness

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOST_TORQUE = 0.5
"""Of a motor's stall torque."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tried() -> AsyncIterator[Bench]:
    """One host for all tests: importing CAD takes seconds."""
    async with bench(REPLICAS) as started:
        yield started


@pytest.mark.parametrize("family", DRIVEN)
async def test_the_witness_solves_a_world(family: str, tried: Bench) -> None:
    solution = await tried.witness(load(family, 2), witness(family))
    assert solution.is_solved, (solution.complaints, solution.result)


@pytest.mark.parametrize("family", DRIVEN)
async def test_the_expert_buys_a_motor_and_does_not_strain_it(family: str, tried: Bench) -> None:
    solution = await tried.solve(renamed(load(family, 5)))
    assert solution.is_solved, solution
    assert solution.steps == 5, "facts, search, script, check, submission"
    assert solution.result is not None
    (motor,) = solution.result.motors
    assert 0 < motor.peak_torque_n_m < MOST_TORQUE * motor.stall_torque_n_m
    assert motor.longest_overload_s == 0


@pytest.mark.parametrize("family", DRIVEN)
async def test_nothing_built_solves_nothing(family: str, tried: Bench) -> None:
    result = await tried.without_machine(load(family, 0), replicas=4)
    assert (result.verdict, result.success_rate) == ("failed", 0.0)

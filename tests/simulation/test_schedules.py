"""Schedules of the whole cluster break no rule."""

from dataclasses import replace
from functools import partial

import pytest

from tests.simulation.campaign import describe
from tests.simulation.doubles.network import FaultRates
from tests.simulation.faults import FaultPlan
from tests.simulation.schedule import run_schedule

SEEDS = 50
"""A sample: `./run simulate` runs thousands."""
QUIET = FaultPlan(FaultRates())


@pytest.mark.sample(2)
@pytest.mark.parametrize("first", range(0, SEEDS, 10))
def test_schedules_break_no_rule(first: int):
    for seed in range(first, first + 10):
        finding = run_schedule(seed)
        assert not finding.problems, describe(finding)


def test_clock_jumps_and_long_partitions_break_no_rule():
    for seed in range(8):
        finding = run_schedule(seed, partial(replace, clock_jumps=4, partitions=2))
        assert not finding.problems, describe(finding)


def test_session_is_not_opened_twice_while_its_first_opening_waits():
    """Its lease expired meanwhile, and the same worker took the session over from itself."""
    finding = run_schedule(760)
    assert not finding.problems, describe(finding)


def _keep_quiet(_: FaultPlan) -> FaultPlan:
    return QUIET


def test_run_without_faults_calls_each_model_once():
    finding = run_schedule(3, _keep_quiet)
    assert not finding.problems, describe(finding)


def test_equal_seeds_give_equal_schedules():
    assert run_schedule(7).fingerprint == run_schedule(7).fingerprint
    assert run_schedule(7).fingerprint != run_schedule(8).fingerprint

"""The simulation of the queues agrees with arithmetic where that is possible."""

from dataclasses import replace

import pytest

from perf.scale.queues import CPU_S, JOBS, RATES, Fleet, simulate

FREE = replace(RATES, publish_per_s=1e9, record_per_s=1e9, queue_s=0.0, queue_s_per_ended=0.0)
"""Servers that take no time."""


def test_rate_approaches_the_bound_of_the_busiest_station_and_does_not_exceed_it() -> None:
    fleet = Fleet(workers=2, replicas=20, model_s=0.0, kept_s=0.0, rates=FREE)
    found = simulate(fleet)
    bound = JOBS * 3600 / CPU_S["sim-worker"]
    assert found.bottleneck == "sim-worker"
    assert 0.85 * bound < found.runs_per_hour < 1.1 * bound
    assert found.utilisation["sim-worker"] == pytest.approx(1.0, abs=0.02)


def test_list_of_ended_runs_bounds_the_planner() -> None:
    listing = replace(FREE, queue_s_per_ended=13.9e-6)
    fleet = Fleet(workers=50, replicas=2, model_s=0.0, kept_s=30 * 86400.0, rates=listing)
    found = simulate(fleet)
    per_run_s = CPU_S["planner"] + 2 * 13.9e-6 * fleet.kept_s * found.runs_per_hour / 3600
    assert found.bottleneck == "planner"
    assert per_run_s * found.runs_per_hour / 3600 == pytest.approx(fleet.replicas, rel=0.25)


def test_equal_seeds_give_equal_results() -> None:
    fleet = Fleet(workers=5, replicas=2, model_s=20.0, kept_s=0.0)
    assert simulate(fleet, 7).runs_per_hour == simulate(fleet, 7).runs_per_hour

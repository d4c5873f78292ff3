"""Each fix that is taken out is missed: schedules find the fault that it was made for."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.simulation.doubles.network import FaultRates
from tests.simulation.faults import FaultPlan
from tests.simulation.fixes import without
from tests.simulation.schedule import run_schedule

SEEDS = 120
"""More than it takes from the first seed of each case, which saves the schedules before it."""
QUIET = FaultPlan(FaultRates())


def _lose_power(_: FaultPlan) -> FaultPlan:
    return replace(QUIET, power_losses=1)


def _separate_replicas(plan: FaultPlan) -> FaultPlan:
    return replace(plan, provider_outages=2, cut_offs=2)


def _poison(_: FaultPlan) -> FaultPlan:
    return replace(QUIET, is_one_poisoned=True)


def _send_a_model_away(_: FaultPlan) -> FaultPlan:
    return replace(QUIET, is_other_model_away=True)


def _disturb_leases(_: FaultPlan) -> FaultPlan:
    return replace(QUIET, crashes=2, rates=FaultRates(lease_errors=0.2))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("fix", "adjust", "first", "symptom"),
    [
        ("newer-checkpoint", _lose_power, 12, "has not ended"),
        ("ended-threads", _separate_replicas, 22, "still in the database"),
        ("suspects-alone", _poison, 0, "abandoned a message"),
        ("models-apart", _send_a_model_away, 0, "the model of another run is away"),
        ("lease-renewals", _disturb_leases, 0, ""),
    ],
)
def test_missing_fix_is_found(fix: str, adjust: Callable[[FaultPlan], FaultPlan], first: int, symptom: str):
    with without(fix):
        findings = (run_schedule(seed, adjust) for seed in range(first, first + SEEDS))
        found = next((each for each in findings if each.problems), None)
    assert found is not None, f"{SEEDS} schedules do not miss {fix}"
    assert symptom in " ".join(found.problems)
    assert not run_schedule(found.seed, adjust).problems

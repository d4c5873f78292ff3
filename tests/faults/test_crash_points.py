"""A publisher may crash before and after publishing an event, and the run ends as it would have.

This is a sample; `./run chaos kills` runs the whole matrix.
"""

import random
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio
from contracts.events.session import CellCompleted, CellRequested, SessionClosed
from contracts.publishers import may_publish
from contracts.registry import EVENTS

from tests.chaos.crashes.crash_points import POINTS, CrashPoint
from tests.chaos.crashes.crash_runs import CrashCluster, crash_cluster, perform, problems
from tests.chaos.crashes.scenarios import REPRESENTED, SCENARIOS, Scenario, ScenarioRun, impossible, missing

SAMPLE_SEED = 3


def _sample(scenario: Scenario, seed: int) -> list[CrashPoint]:
    """Return one crash at each point, each of another service."""
    dice = random.Random(seed)
    sample: list[CrashPoint] = []
    for point in POINTS:
        used = {crash.service for crash in sample}
        sample.append(dice.choice([each for each in scenario.crash_points(point) if each.service not in used]))
    return sample


def test_scenarios_cover_all_events_of_all_publishers() -> None:
    assert missing() == []
    covered = {event for scenario in SCENARIOS for events in scenario.crashes.values() for event in events}
    assert covered | {event for _, event in REPRESENTED} == set(EVENTS)


def test_scenarios_crash_only_permitted_publishers() -> None:
    for scenario in SCENARIOS:
        for service, events in scenario.crashes.items():
            assert set(events) <= may_publish(service), f"{scenario.name}: {service}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_each_publisher_crashes_at_four_points(scenario: Scenario) -> None:
    for service, events in scenario.crashes.items():
        for event in events:
            excluded = {point for point in POINTS if impossible(CrashPoint(service, event, point)) is not None}
            assert not excluded & {"before-publishing", "after-acknowledgement"}
            # A service with checkpoints crashes after them, one without when the message arrives.
            assert len(excluded) == 1 or service == "cli" or event is SessionClosed


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[CrashCluster]:
    """All services, instrumented; they run on from test to test."""
    async with crash_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.mark.timeout(1800)
@pytest.mark.asyncio(loop_scope="module")
async def test_run_with_crashes_ends_like_one_without(cluster: CrashCluster) -> None:
    scenario = SCENARIOS[0]
    undisturbed = await perform(cluster, ScenarioRun(scenario, uuid4(), "undisturbed"))
    assert problems(undisturbed) == []
    crashes = [*_sample(scenario, SAMPLE_SEED), CrashPoint("engineer", CellCompleted, "taken-up")]
    disturbed = await perform(cluster, ScenarioRun(scenario, uuid4(), "disturbed", crashes))
    assert problems(disturbed, undisturbed) == []
    assert len(disturbed.crashes) == len(crashes)
    requested = [event.id for event in disturbed.events if isinstance(event, CellRequested)]
    completed = [event.causation_id for event in disturbed.events if isinstance(event, CellCompleted)]
    assert requested
    assert sorted(map(str, requested)) == sorted(map(str, completed)), "no cell is repeated"

"""Whoever owns an event may die before and after saying it, and the run ends as it would have.

The whole matrix is `./run perf kills`; here is a sample of it.
"""

import random
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio
from contracts.events.conversation import ModelCalled
from contracts.events.session import CellCompleted, CellRequested, SessionClosed
from contracts.publishers import may_publish
from contracts.registry import EVENTS

from perf.fakes.openai_server import FakeOpenAI
from perf.mortality.fates import POINTS, Fate
from perf.mortality.house import House, house
from perf.mortality.killing import faults, play
from perf.mortality.scenarios import SCENARIOS, STOOD_FOR, Commission, Scenario, missing, spared

SAMPLE_SEED = 3


def _sample(scenario: Scenario, seed: int) -> list[Fate]:
    """Return one death at each point, each of another service."""
    dice = random.Random(seed)
    sample: list[Fate] = []
    for point in POINTS:
        dead = {fate.service for fate in sample}
        sample.append(dice.choice([fate for fate in scenario.fates(point) if fate.service not in dead]))
    return sample


def test_somebody_dies_of_every_event_that_anybody_may_say() -> None:
    assert missing() == []
    killed = {event for scenario in SCENARIOS for events in scenario.kills.values() for event in events}
    assert killed | {event for _, event in STOOD_FOR} == set(EVENTS)


def test_scenarios_kill_only_for_what_their_victims_may_say() -> None:
    for scenario in SCENARIOS:
        for service, events in scenario.kills.items():
            assert set(events) <= may_publish(service), f"{scenario.name}: {service}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_owner_dies_at_four_points_or_there_is_a_reason(scenario: Scenario) -> None:
    for service, events in scenario.kills.items():
        for event in events:
            pardoned = {point for point in POINTS if spared(Fate(service, event, point)) is not None}
            assert not pardoned & {"before-publishing", "after-acknowledgement"}
            # Who keeps checkpoints dies after them, who keeps none when the message arrives.
            assert len(pardoned) == 1 or service == "cli" or event is SessionClosed


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[FakeOpenAI]:
    with FakeOpenAI({scenario.name: scenario.script for scenario in SCENARIOS}) as model:
        yield model


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def home(model: FakeOpenAI, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    """All services, mortal; they live on from test to test."""
    async with house(tmp_path_factory.mktemp("house"), model.base_url) as home:
        yield home


@pytest.mark.timeout(900)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_run_in_which_they_die_ends_like_one_in_which_nobody_does(home: House, model: FakeOpenAI) -> None:
    scenario = SCENARIOS[0]
    undisturbed = await play(home, model, Commission(scenario, uuid4(), "undisturbed"))
    assert faults(undisturbed) == []
    fates = _sample(scenario, SAMPLE_SEED)
    disturbed = await play(home, model, Commission(scenario, uuid4(), "disturbed", fates))
    assert faults(disturbed, undisturbed) == []
    assert len(disturbed.kills) == len(fates)


@pytest.mark.timeout(200)
@pytest.mark.asyncio(loop_scope="module")
async def test_k15_an_engineer_killed_between_a_cell_and_its_next_thought_goes_on_and_no_cell_runs_twice(
    home: House, model: FakeOpenAI
) -> None:
    (scenario,) = [each for each in SCENARIOS if each.name == "faultless"]
    fate = Fate("engineer", CellCompleted, "taken-up")
    played = await play(home, model, Commission(scenario, uuid4(), "k15", [fate]))
    assert faults(played) == [], played.story
    assert len(played.kills) == 1
    asked = [event.id for event in played.events if isinstance(event, CellRequested)]
    answered = [event.causation_id for event in played.events if isinstance(event, CellCompleted)]
    assert asked
    assert asked == answered
    assert played.calls == sum(isinstance(event, ModelCalled) for event in played.events)

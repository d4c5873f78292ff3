"""Evolution of a skill over a faulty model: faults are found and fixed by learned text, within the budget."""

from collections import Counter
from typing import Any

import pytest
from cli.evolution.loop import Evolution, EvolutionOptions, EvolutionResult
from contracts.events.run import EngineeringRequested
from contracts.events.skill import LearningRequested, SkillLearned, SkillRejected
from skill_learner.trials.trial_runs import HELD_OUT_FROM
from store.database import Database

from tests.skill_learner.evolution.faulty_world import FaultyWorld


@pytest.fixture
def world(database: Database, request: pytest.FixtureRequest) -> FaultyWorld:
    return FaultyWorld(database, request.node.name, request.node.name)


async def evolve(world: FaultyWorld, **changes: Any) -> EvolutionResult:
    fields: dict[str, Any] = {"benchmarks": ("gravity-chute",), "seeds": (0, 1, 2), "model": "offline", "most_runs": 80}
    options = EvolutionOptions(name=world.name, **(fields | changes))
    return await Evolution(world.bus, world.artifacts, world.skills, options, lambda _: None).run()


async def test_three_faults_of_different_kinds_are_fixed_by_learned_text_within_the_budget(world: FaultyWorld) -> None:
    result = await evolve(world)
    assert result.trial is not None
    assert result.trial.verdict == "adopted", result
    assert result.runs <= 80
    adopted = await world.skills.newest("engineer")
    (text,) = [(await world.artifacts.get(each.artifact)).decode() for each in adopted if each.name == world.name]
    assert all(fault.fix in text for fault in world.faults)
    best = result.candidates[-1]
    assert sum(score.failures for score in best.scores) == 0
    assert sum(score.failures for score in result.candidates[0].scores) == 3


async def test_each_candidate_changes_one_of_the_front_and_no_other_skill_and_has_its_reason(
    world: FaultyWorld,
) -> None:
    result = await evolve(world)
    versions = await world.skills.versions(world.name)
    found = [(each.version, each.parent) for each in result.candidates[1:]]
    assert found == [(each.version, each.base_version) for each in versions]
    learned = [event for event in world.bus.events if isinstance(event, SkillLearned)]
    assert all(each.claims and each.diff for each in learned)
    assert {event.name for event in learned} == {world.name}


async def test_run_of_the_validation_is_neither_read_by_the_proposer_nor_when_asked_for(world: FaultyWorld) -> None:
    result = await evolve(world)
    read = {event.run_id for event in world.bus.events if isinstance(event, LearningRequested)}
    seeds = {each.run_id: each.assignment.variant.seed for each in world.started}
    assert {seeds[run_id] for run_id in read} <= {0, 1, 2}
    assert result.trial is not None
    held_out = [each for each in world.started if each.trial and each.trial.trial_id == result.trial.run_id]
    assert min(each.assignment.variant.seed for each in held_out) >= HELD_OUT_FROM
    fields = held_out[0].model_dump(include={"run_id", "kind"})
    request = LearningRequested(
        id=world.next_id(), role="skill-learner", producer="cli", failures=1, skill=world.name, **fields
    )
    outcome = await world.learn(request)
    assert isinstance(outcome, SkillRejected)
    assert outcome.reason == "in_trial"


async def test_evolution_that_is_repeated_runs_nothing_twice_and_ends_the_same(world: FaultyWorld) -> None:
    first = await evolve(world)
    started = len(world.started)
    assert await evolve(world) == first
    assert len(world.started) == started
    runs = Counter(event.run_id for event in world.bus.events if isinstance(event, EngineeringRequested))
    assert set(runs.values()) == {1}


async def test_budget_of_runs_that_leaves_no_trial_ends_without_one(world: FaultyWorld) -> None:
    result = await evolve(world, most_runs=12)
    assert (result.trial, result.runs) == (None, 3)
    assert "budget" in result.reason or "no candidate" in result.reason

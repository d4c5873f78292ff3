"""Trials of a skill with a learnable policy: gains are adopted, placebos are not, harm is rejected or taken back."""

import random
from collections import Counter

import pytest
from contracts.envelope import deciding
from contracts.events.run import EngineeringRequested
from contracts.events.skill import (
    SkillChanged,
    SkillChangeRequested,
    SkillsRequested,
    SkillUpdated,
    TrialOptions,
    TrialRequested,
)
from contracts.registry import ENDINGS
from skill_learner.user_changes import UserChanges
from store.database import Database

from tests.agent.role_harness import engineering_requested
from tests.skill_learner.trials.trial_world import LearnablePolicy, TrialWorld

RIGHT_UM = random.Random("a seed that neither learner nor prompts know").randrange(40, 90)
HELPS = f"## When to use\n\nAlways.\n\n- play_um = {RIGHT_UM}\n"
PLACEBO = "## When to use\n\nAlways.\n\n- build with care\n"
HARM = f"## When to use\n\nAlways.\n\n- play_um = {RIGHT_UM * 20}\n"
POLICY = LearnablePolicy(right_um=RIGHT_UM, own_um=7)


@pytest.fixture
def world(database: Database, request: pytest.FixtureRequest) -> TrialWorld:
    return TrialWorld(database, POLICY, request.node.name)


async def _status(world: TrialWorld, version: int) -> str:
    found = await world.skills.version(world.name, version)
    assert found is not None
    return found.status


async def test_parameter_that_only_a_skill_has_is_adopted_with_an_interval_above_zero(world: TrialWorld) -> None:
    outcome = await world.run_trial(await world.version(HELPS))
    assert outcome.verdict == "adopted", outcome
    assert max(outcome.figures.solved.low, outcome.figures.avoided.low) > 0.0
    assert outcome.figures.pairs < 24, "the trial stops early"
    assert await _status(world, 1) == "adopted"


async def test_adoption_raises_the_solve_rate_alone_by_an_interval_above_zero(world: TrialWorld) -> None:
    outcome = await world.run_trial(await world.version(HELPS), target="", most_pairs=60)
    assert outcome.verdict == "adopted", outcome
    assert outcome.figures.solved.low > 0.0
    assert outcome.figures.solved.confidence == pytest.approx(0.95)


async def test_target_failures_per_run_fall_to_none_on_unseen_seeds(world: TrialWorld) -> None:
    """Before and after, as `millwright skills trial` shows it."""
    figures = (await world.run_trial(await world.version(HELPS))).figures
    assert figures.current.target_failures_per_run == 1.0
    assert figures.proposed.target_failures_per_run == 0.0


async def test_placebo_is_not_adopted_and_its_interval_covers_zero_in_9_of_10(world: TrialWorld) -> None:
    verdicts: Counter[str] = Counter()
    covered = 0
    for number in range(10):
        outcome = await world.run_trial(await world.version(f"{PLACEBO}- take {number} breaths\n"), most_pairs=8)
        verdicts[outcome.verdict] += 1
        covered += outcome.figures.solved.low <= 0.0 <= outcome.figures.solved.high
    assert verdicts["adopted"] == 0, verdicts
    assert covered >= 9, f"{covered} of 10"


async def test_harmful_version_is_rejected_and_not_offered(world: TrialWorld) -> None:
    current = await world.version(HELPS, "adopted")
    outcome = await world.run_trial(await world.version(HARM), base=current.version)
    assert outcome.verdict == "rejected", outcome
    assert outcome.figures.solved.high < 0.0
    assert [each.version for each in await world.skills.newest("engineer") if each.name == world.name] == [1]


async def test_harmful_version_that_is_forced_in_is_rolled_back_by_itself(world: TrialWorld) -> None:
    await world.version(HELPS, "adopted")
    harmful = await world.version(HARM)
    guard = TrialOptions(benchmarks=("gravity-chute",), model="offline", target=POLICY.error)
    request = SkillChangeRequested(
        id=world.next_id(),
        run_id=world.next_id(),
        kind="operations",
        role="skill-learner",
        producer="cli",
        action="adopt",
        name=world.name,
        for_role="engineer",
        version=harmful.version,
        guard=guard,
    )
    changed = await UserChanges(world.bus, world.artifacts, world.skills).answer(request)
    assert isinstance(changed, SkillChanged)
    assert await _status(world, harmful.version) == "adopted"
    (trial,) = [event for event in world.bus.events if isinstance(event, TrialRequested)]
    assert (trial.version, trial.base_version) == (2, 1)
    outcome = await world.conduct(trial)
    assert outcome.verdict == "rolled_back", outcome
    assert await _status(world, harmful.version) == "reverted"
    assert [each.version for each in await world.skills.newest("engineer") if each.name == world.name] == [1]


@pytest.mark.parametrize(
    ("text", "verdict", "status"), [(PLACEBO, "rolled_back", "reverted"), (HELPS, "adopted", "adopted")]
)
async def test_adopted_version_is_retired_if_its_model_does_not_need_it(
    world: TrialWorld, text: str, verdict: str, status: str
) -> None:
    version = await world.version(text, "adopted")
    outcome = await world.run_trial(version, retires=True, most_pairs=60)
    assert outcome.verdict == verdict, outcome
    assert await _status(world, version.version) == status


async def test_pairs_have_equal_held_out_seeds_and_differ_in_the_version_alone(world: TrialWorld) -> None:
    await world.run_trial(await world.version(HELPS))
    runs = [event for event in world.bus.events if isinstance(event, EngineeringRequested)]
    by_seed = Counter(run.assignment.variant.seed for run in runs)
    assert min(by_seed) >= 1_000_000
    assert set(by_seed.values()) == {2}
    skills = {
        arm: {run.skills for run in runs if run.trial and run.trial.arm == arm} for arm in ("current", "proposed")
    }
    assert [len(each) for each in skills.values()] == [1, 1]
    (current,), (proposed,) = skills.values()
    assert current is not None
    assert proposed is not None
    assert {(each.name, each.version) for each in set(proposed) - set(current)} == {(world.name, 1)}


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(2))
async def test_learner_that_dies_at_random_events_does_nothing_twice(world: TrialWorld, seed: int) -> None:
    """A process that dies has published any part of what it decided; the next one handles the message again."""
    world.crashes = random.Random(seed)
    outcome = await world.run_trial(await world.version(HELPS))
    assert outcome.verdict == "adopted"
    runs = Counter(event.run_id for event in world.bus.events if isinstance(event, EngineeringRequested))
    ends = Counter(event.run_id for event in world.bus.events if isinstance(event, ENDINGS))
    assert set(runs.values()) == {1}
    assert set(ends.values()) == {1}
    (trial,) = await world.trials.of_skill(world.name)
    assert trial.outcome == outcome
    assert len(await world.trials.runs(outcome.run_id)) >= 2 * outcome.figures.pairs
    assert len(await world.skills.versions(world.name)) == 1


async def test_running_engineer_is_notified_of_an_adopted_version(world: TrialWorld) -> None:
    await world.version(PLACEBO, "adopted")
    in_work = await _offer(world)
    outcome = await world.run_trial(await world.version(HELPS), base=1)
    assert outcome.verdict == "adopted"
    (update,) = [event for event in world.bus.events if isinstance(event, SkillUpdated)]
    assert (update.run_id, update.for_role) == (in_work.run_id, "engineer")
    assert [(each.name, each.version) for each in update.skills] == [(world.name, 2)]


async def _offer(world: TrialWorld) -> EngineeringRequested:
    request = engineering_requested()
    await world.bus.publish(request)
    await world.offers.answer(SkillsRequested(**deciding(request, "engineer", 1)))
    return request

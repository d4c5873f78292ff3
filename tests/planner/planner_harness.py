"""A planner with a scripted model, as far as its first prompt."""

from artifacts.testing import FakeArtifacts
from contracts.envelope import Event, answering
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.skills import OfferedSkill
from planner.policy import Planner

from tests.agent.role_harness import RoleHarness, Script
from tests.contracts import example_values as values


def planner_harness(script: Script, problem: str | None = None, artifacts: FakeArtifacts | None = None) -> RoleHarness:
    """Return a planner whose model check answers `problem`."""
    return RoleHarness(Planner(lambda _, /, *, priced=False: problem, artifacts or FakeArtifacts()), script)


async def plan_in(harness: RoleHarness, world: Event, *skills: OfferedSkill) -> list[Event]:
    """Have the requested world built and checked, offer skills, and return the planner's first decisions."""
    assert isinstance(world, EnvironmentRequested)
    built = EnvironmentBuilt(**answering(world, "cad-worker"), environment=values.ENVIRONMENT, build_s=0.5)
    (requested,) = await harness.consume(values.checked(built))
    assert isinstance(requested, SkillsRequested)
    return await harness.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=skills))

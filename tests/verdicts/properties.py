"""What holds for every run, whatever models reply: only what physics has proven succeeds, is approved or learned."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.envelope import Event, Role, answering, deciding, outcome_id
from contracts.events.design import DesignApproved, DesignSimulated
from contracts.events.run import RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, SessionRequested
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.models.assessment import Assessment, Rerun
from contracts.models.observation import CellError, Observation
from contracts.models.simulation import SimulationResult
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from tests.agent.role_harness import engineering_requested
from tests.contracts import example_values as values
from tests.contracts.example_values import assessment_of
from tests.verdicts.random_runs import PROVEN, ROLES, RandomRun
from tests.verdicts.random_workers import JUDGED_SEED

FOCUSES: dict[str, frozenset[Role]] = {**{role: frozenset({role}) for role in ROLES}, "all roles": frozenset(ROLES)}
"""Whose replies are random; those of the others flatter."""


@dataclass
class Tally:
    """What happened in all runs together: it shows that the properties were not checked on nothing."""

    runs: int = 0
    replies: Counter[Role] = field(default_factory=Counter[Role])
    refused: Counter[Role] = field(default_factory=Counter[Role])
    ends: Counter[str] = field(default_factory=Counter[str])
    learned: int = 0
    unproven: int = 0
    """Designs that physics did not prove."""

    def add(self, run: RandomRun) -> None:
        """Count a run."""
        self.runs += 1
        self.replies += run.replies
        self.refused += run.refused
        end = run.end
        self.ends["succeeded" if isinstance(end, RunSucceeded) else end.reason if end else "open"] += 1
        self.learned += sum(isinstance(event, SkillLearned) for event in run.bus.events)
        simulated = [event for event in run.bus.events if isinstance(event, DesignSimulated)]
        self.unproven += len(simulated) - len(run.reviewed)


def random_runs(roles: frozenset[Role], replies: int, seed: int) -> Tally:
    """Check runs until at least this many random replies of each of these roles were used; equal for equal seeds.

    With other roles, the skill-learner's are not counted: it replies only to the few runs that succeed.
    """
    tally, counted = Tally(), roles - {"skill-learner"} or roles
    while min(tally.replies[role] for role in counted) < replies:
        before = tally.replies.total()
        _check_runs(roles, tally, count=max(replies // 2, 25), seed=seed + tally.runs)
        assert tally.replies.total() > before, f"the runs never asked for a reply of {', '.join(sorted(roles))}"
    return tally


def _check_runs(roles: frozenset[Role], tally: Tally, count: int, seed: int) -> None:
    @seeded(seed)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
    @given(st.data())
    def check(data: DataObject) -> None:
        run = RandomRun(data, roles)
        asyncio.run(run.start())
        check_run(run)
        tally.add(run)

    check()


def check_run(run: RandomRun) -> None:
    """Check that approval, success and skill rest on what physics and the host have measured."""
    reviews = {outcome_id(design.id): number for number, design in enumerate(run.reviewed)}
    for event in run.bus.events:
        match event:
            case DesignApproved():
                assert event.id in reviews, "a design was approved that physics has not proven"
                _check_measured(event, run.workers.reruns[reviews[event.id]])
            case SessionRequested(reviewed=reviewed) if reviewed is not None:
                assert _verdict(reviewed.result) == PROVEN, "a design was reviewed that physics has not proven"
            case RunSucceeded():
                (approved,) = (each for each in run.bus.events if isinstance(each, DesignApproved))
                assert (event.result, event.assessment) == (approved.result, approved.assessment)
                assert _verdict(event.result) == PROVEN
            case SkillLearned():
                assert isinstance(run.end, RunSucceeded)
            case _:
                pass


def _check_measured(approved: DesignApproved, reruns: Sequence[Rerun]) -> None:
    """Count the replicas that the host ran once more, each seed with its longest rerun."""
    assert _verdict(approved.result) == PROVEN
    longest: dict[int, Sequence[str]] = {}
    for rerun in sorted(reruns, key=lambda each: len(each.endings)):
        longest[rerun.seed] = rerun.endings
    longest.pop(JUDGED_SEED, None)
    endings = [ending for each in longest.values() for ending in each]
    assert len(longest) >= 5
    assert len(endings) >= 29
    assert 10 * endings.count("reached_goal") >= 9 * len(endings)
    assert approved.assessment is not None
    assert (approved.assessment.replicas, approved.assessment.seeds) == (len(endings), tuple(sorted(longest)))


def _verdict(result: SimulationResult) -> tuple[str, str]:
    return result.verdict, result.stability


FAILED = Observation(status="error", error=CellError(type="ValueError", message="no"))
approvals = st.none() | st.builds(assessment_of, st.integers(1, 8), st.integers(1, 12), st.integers(0, 8))


async def end_of_approval(run: RandomRun, result: SimulationResult, assessment: Assessment | None) -> Event | None:
    """Return how a run ends whose design was approved by anyone, on anything."""
    request = engineering_requested()
    await run.publish(request)
    approved = DesignApproved(
        **deciding(request, "engineer", 700),
        review_md="fine",
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=result,
        assessment=assessment,
    )
    await run.publish(approved)
    await run.work()
    return run.end


async def lesson_of_end(run: RandomRun, result: SimulationResult) -> Event:
    """Return what is learned from a success with this result, as it may be in an old log, after a failed cell."""
    request = engineering_requested()
    await run.bus.publish(request)
    for step, observation in enumerate((FAILED, Observation(status="ok")), start=1):
        cell = CellRequested(**deciding(request, "engineer", step), purpose="build", code="x = 1")
        await run.bus.publish(cell)
        await run.bus.publish(CellCompleted(**answering(cell, "cad-worker"), observation=observation))
    success = RunSucceeded(**answering(request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=result)
    await run.publish(success)
    await run.work()
    (lesson,) = (event for event in run.bus.events if isinstance(event, SkillLearned | SkillRejected))
    return lesson


def is_enough(result: SimulationResult, assessment: Assessment | None) -> bool:
    """Return whether an approval is enough for a success."""
    if _verdict(result) != PROVEN or assessment is None:
        return False
    enough = assessment.replicas >= 29 and len(assessment.seeds) >= 5
    return enough and 10 * assessment.reached >= 9 * assessment.replicas

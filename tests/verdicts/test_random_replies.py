"""Whatever models reply, a run succeeds only where physics has proven the design.

`./run verdicts` checks 1,000 replies of each role.
"""

import asyncio

import pytest
from contracts.events.run import RunFailed, RunSucceeded
from contracts.events.skill import SkillRejected
from contracts.models.assessment import Assessment
from contracts.models.simulation import SimulationResult
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from tests.verdicts.properties import FOCUSES, approvals, end_of_approval, is_enough, lesson_of_end, random_runs
from tests.verdicts.random_runs import PROVEN, RandomRun
from tests.verdicts.random_workers import results

REPLIES = 30
SEED = 5


@pytest.mark.parametrize("focus", FOCUSES)
def test_only_proven_designs_succeed_whatever_a_role_replies(focus: str) -> None:
    roles = FOCUSES[focus]
    tally = random_runs(roles, REPLIES, SEED)
    assert tally.unproven > 0
    if len(roles) == 1:
        assert tally.replies.total() >= REPLIES
        assert tally.ends["succeeded"] > 0


@settings(max_examples=REPLIES, deadline=None)
@given(results(), approvals, st.data())
def test_planner_succeeds_only_if_an_approval_has_proof(
    result: SimulationResult, assessment: Assessment | None, data: DataObject
) -> None:
    end = asyncio.run(end_of_approval(RandomRun(data, frozenset()), result, assessment))
    assert isinstance(end, RunSucceeded if is_enough(result, assessment) else RunFailed), end


@settings(max_examples=REPLIES, deadline=None)
@given(results(), st.data())
def test_skill_is_learned_only_from_proof_whatever_ended_the_run(result: SimulationResult, data: DataObject) -> None:
    lesson = asyncio.run(lesson_of_end(RandomRun(data, frozenset({"skill-learner"})), result))
    is_proven = (result.verdict, result.stability) == PROVEN
    if not is_proven:
        assert isinstance(lesson, SkillRejected)
        assert lesson.reason == "not_proven"
    elif isinstance(lesson, SkillRejected):  # its words were refused too often
        assert lesson.reason in {"malformed", "nothing_proposed"}

"""The critic answers every request with exactly one word and its reasons."""

from typing import Any

import pytest
from agent.models import RoleModel
from agent.offline.model import OfflineExpert
from chassis.testing import FakeBus
from contracts.abandoned import WorkAbandoned
from contracts.benchmark import Limits
from contracts.conversation import ModelCalled
from contracts.design import DesignApproved, DesignRejected, DesignSimulated
from contracts.engineering import EngineeringRequested
from contracts.envelope import Event, outcome_id
from contracts.planning import PlanApproved, PlanProposed, PlanRejected
from contracts.simulation import SimulationResult
from critic.conduct import Critic
from critic.handlers import review

from tests.agent.role_play import RolePlay, engineering_requested, seen_by, threads_of
from tests.contracts import example_values as values

YES, NO = "VERDICT: APPROVE\n\n- clear slope", "VERDICT: REJECT\n\n- corner at x=120 is flat"
STABLE = values.RESULT


def _proposed(run: EngineeringRequested, **changes: Any) -> PlanProposed:
    fields: dict[str, Any] = {
        "assignment": run.assignment,
        "budget": run.budget,
        "model": "scripted",
        "environment": values.ENVIRONMENT,
        "plan_md": "# Plan\n\nA slope of 8 degrees round the wall.\n",
        "todo_md": "# TODO\n\n- [ ] T1: Route\n- [ ] T2: Simulate\n- [ ] T3: Submit\n",
        **changes,
    }
    return PlanProposed.deciding(run, "planner", 1, 1, **fields)


def _simulated(
    run: EngineeringRequested, result: SimulationResult = STABLE, limits: Limits = values.LIMITS
) -> DesignSimulated:
    return DesignSimulated.deciding(
        run,
        "engineer",
        50,
        assignment=run.assignment.model_copy(update={"limits": limits}),
        model="scripted",
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=result,
    )


def _critic(*script: str) -> RolePlay:
    return RolePlay(Critic(), script)


async def test_an_approved_plan_carries_all_the_engineer_needs() -> None:
    play, run = _critic(YES), engineering_requested()
    asked = _proposed(run)
    approved = await review(asked, play.threads)
    assert isinstance(approved, PlanApproved)
    assert approved.id == outcome_id(asked.id)
    assert approved.review_md == "- clear slope"
    assert approved.environment == asked.environment
    assert (approved.plan_md, approved.todo_md, approved.budget) == (asked.plan_md, asked.todo_md, asked.budget)


async def test_a_rejected_plan_says_why() -> None:
    rejected = await review(_proposed(engineering_requested()), _critic(NO).threads)
    assert isinstance(rejected, PlanRejected)
    assert rejected.review_md == "- corner at x=120 is flat"


async def test_the_critic_remembers_the_plan_when_it_sees_the_design() -> None:
    play, run = _critic(YES, NO), engineering_requested()
    await review(_proposed(run), play.threads)
    rejected = await review(_simulated(run), play.threads)
    assert isinstance(rejected, DesignRejected)
    shown = seen_by(play.chat)
    assert [kind for kind, _ in shown] == ["system", "human", "ai", "human"]
    assert "8 degrees" in shown[1][1]
    assert shown[3][1].startswith("# Design")


async def test_an_approved_design_is_delivered_as_judged() -> None:
    run = engineering_requested()
    approved = await review(_simulated(run), _critic(YES).threads)
    assert isinstance(approved, DesignApproved)
    assert (approved.delivery, approved.bill, approved.result) == (values.DELIVERY, values.BILL, STABLE)


@pytest.mark.parametrize(
    "bad", ["I approve.", "VERDICT: MAYBE\n\nx", "VERDICT: APPROVE", "**VERDICT: APPROVE**\n\nx", "\n"]
)
async def test_a_verdict_that_cannot_be_read_is_asked_for_again(bad: str) -> None:
    play = _critic(bad, YES)
    outcome = await review(_proposed(engineering_requested()), play.threads)
    assert isinstance(outcome, PlanApproved)
    assert play.chat.calls == 2


async def test_silence_is_never_approval() -> None:
    asked = _simulated(engineering_requested())
    outcome = await review(asked, _critic("?", "?", "?").threads)
    assert isinstance(outcome, WorkAbandoned)
    assert (outcome.reason, outcome.id) == ("model_failed", outcome_id(asked.id))
    assert type(outcome) in asked.outcomes


async def test_a_review_done_again_is_the_same_review_and_no_second_call() -> None:
    play, asked = _critic(NO), _proposed(engineering_requested())
    assert await review(asked, play.threads) == await review(asked, play.threads)
    assert len([event for event in play.bus.events if isinstance(event, ModelCalled)]) == 1


async def _offline(*asked: PlanProposed | DesignSimulated) -> Event:
    """Return the offline critic's word on the last of these."""
    threads = threads_of(Critic(), RoleModel(lambda _: OfflineExpert()), FakeBus())
    outcomes = [await review(each, threads) for each in asked]
    return outcomes[-1]


async def test_the_offline_critic_approves_what_is_solved_stable_and_within_limits() -> None:
    run = engineering_requested()
    assert isinstance(await _offline(_proposed(run)), PlanApproved)
    assert isinstance(await _offline(_proposed(run), _simulated(run)), DesignApproved)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"verdict": "failed"}, "verdict failed"),
        ({"stability": "flaky", "success_rate": 0.8}, "80 % succeeded"),
        ({"stability": "untested"}, "untested"),
        ({"nominal": STABLE.nominal.model_copy(update={"max_speed_m_s": 9.0})}, "gravity can give at most"),
    ],
)
async def test_the_offline_critic_rejects_what_physics_does_not_bear_out(changes: dict[str, Any], reason: str) -> None:
    run = engineering_requested()
    outcome = await _offline(_proposed(run), _simulated(run, STABLE.model_copy(update=changes)))
    assert isinstance(outcome, DesignRejected)
    assert reason in outcome.review_md


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (Limits(max_unit_price_usd=2), "unit price"),
        (Limits(max_mass_kg=0.05), "mass"),
    ],
)
async def test_the_offline_critic_rejects_what_is_over_a_limit(limits: Limits, what: str) -> None:
    run = engineering_requested()
    outcome = await _offline(_proposed(run), _simulated(run, limits=limits))
    assert isinstance(outcome, DesignRejected)
    assert f"The {what} is" in outcome.review_md


@pytest.mark.parametrize(
    "changes",
    [
        {"todo_md": "# TODO\n\n- [ ] T1: Route\n"},
        {"todo_md": "# TODO\n\n- [ ] T1: Route\n- [ ] T2: Build\n- [ ] T3: Submit\n"},
        {"plan_md": "# Plan\n\nA channel.\n"},
    ],
)
async def test_the_offline_critic_rejects_plans_that_leave_out_what_matters(changes: dict[str, str]) -> None:
    assert isinstance(await _offline(_proposed(engineering_requested(), **changes)), PlanRejected)

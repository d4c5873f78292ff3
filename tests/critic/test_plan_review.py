"""Tests of the critic's reviews of plans and refusals."""

from typing import Any

import pytest
from agent.loop.rejections import MAX_OF_ONE_CAUSE
from contracts.envelope import outcome_id
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.plan import PlanApproved, PlanRejected, RefusalDenied, RefusalUpheld

from tests.critic.critic_harness import CriticHarness

YES, NO = "VERDICT: APPROVE\n\n- clear slope", "VERDICT: REJECT\n\n- corner at x=120 is flat"
UPHOLD, DENY = "VERDICT: UPHOLD\n\n- [cell 1] shows it", "VERDICT: DENY\n\n- one try shows nothing"
FAILED = "ok: **FAILED**: the payload did not reach the goal zone"


async def test_approved_plan_carries_everything_the_engineer_needs() -> None:
    harness = CriticHarness(YES)
    question = harness.propose_plan()
    approved = await harness.consume(question)
    assert isinstance(approved, PlanApproved)
    assert approved.id == outcome_id(question.id)
    assert approved.review_md == "- clear slope"
    for field in ("environment", "plan_md", "todo_md", "budget", "assignment", "model", "executor", "continues"):
        assert getattr(approved, field) == getattr(question, field)


async def test_rejected_plan_has_reasons() -> None:
    harness = CriticHarness(NO)
    rejected = await harness.consume(harness.propose_plan())
    assert isinstance(rejected, PlanRejected)
    assert rejected.review_md == "- corner at x=120 is flat"


@pytest.mark.parametrize(
    "bad",
    [
        "I approve.",
        "VERDICT: MAYBE\n\nx",
        "VERDICT: UPHOLD\n\nx",
        "VERDICT: APPROVE",
        "**VERDICT: APPROVE**",
        "VERDICT: APPROVE if the corner is round\n\nx",
        "VERDICT: APPROVE\n\nVERDICT: REJECT\n\nx",
        "\n",
    ],
)
async def test_malformed_verdict_is_rejected(bad: str) -> None:
    harness = CriticHarness(bad, YES)
    rejected = await harness.consume(harness.propose_plan())
    assert isinstance(rejected, ReplyRejected)
    assert isinstance(await harness.consume(rejected), PlanApproved)
    assert harness.role.chat.calls == 2


async def test_missing_verdict_is_not_an_approval() -> None:
    harness = CriticHarness(*["?"] * MAX_OF_ONE_CAUSE)
    outcome = question = harness.propose_plan()
    for _ in range(MAX_OF_ONE_CAUSE):
        outcome = await harness.consume(outcome)
    assert isinstance(outcome, WorkAbandoned)
    assert (outcome.reason, outcome.id) == ("model_failed", outcome_id(question.id))


@pytest.mark.parametrize(("reply", "kind"), [(UPHOLD, RefusalUpheld), (DENY, RefusalDenied)])
async def test_refusal_is_judged_by_its_evidence(reply: str, kind: type[RefusalUpheld | RefusalDenied]) -> None:
    harness = CriticHarness(YES, reply)
    await harness.consume(harness.propose_plan())
    question = harness.refuse_plan(FAILED)
    outcome = await harness.consume(question)
    assert isinstance(outcome, kind)
    assert (outcome.id, outcome.review_md) == (outcome_id(question.id), reply.partition("\n\n")[2])
    assert not isinstance(outcome, RefusalUpheld) or outcome.proof_md == question.proof_md
    shown = harness.role.chat.conversations[-1][-1].text
    assert shown.startswith("# Refusal")
    assert f"### cell 1\n\n~~~~text\n{FAILED}\n~~~~" in shown
    assert "The wall is too high: [cell 1]." in shown


async def test_plan_verdict_on_a_refusal_is_rejected() -> None:
    harness = CriticHarness(YES, DENY)
    rejected = await harness.consume(harness.refuse_plan(FAILED))
    assert isinstance(rejected, ReplyRejected)
    assert "`VERDICT: UPHOLD` or `VERDICT: DENY`" in rejected.problem
    assert isinstance(await harness.consume(rejected), RefusalDenied)


@pytest.mark.parametrize(
    ("results", "kind"),
    [
        ((FAILED, "error: ValueError: no"), RefusalUpheld),
        ((FAILED,), RefusalDenied),
        ((FAILED, "ok: **SOLVED**: it did"), RefusalDenied),
        (("ok: facts",), RefusalDenied),
        (("error: AssertionError: 172 USD at most 57",), RefusalUpheld),
        (("error: AssertionError: impossible",), RefusalDenied),
    ],
)
async def test_offline_critic_upholds_two_cited_failures(results: tuple[str, ...], kind: type[Any]) -> None:
    harness = CriticHarness(is_offline=True)
    await harness.consume(harness.propose_plan())
    assert isinstance(await harness.consume(harness.refuse_plan(*results)), kind)


@pytest.mark.parametrize(
    "changes",
    [
        {"todo_md": "# TODO\n\n- [ ] T1: Route\n"},
        {"todo_md": "# TODO\n\n- [ ] T1: Route\n- [ ] T2: Build\n- [ ] T3: Submit\n"},
        {"plan_md": "# Plan\n\nA channel.\n"},
    ],
)
async def test_offline_critic_rejects_incomplete_plans(changes: dict[str, str]) -> None:
    harness = CriticHarness(is_offline=True)
    assert isinstance(await harness.consume(harness.propose_plan(**changes)), PlanRejected)


async def test_offline_critic_approves_a_complete_plan() -> None:
    harness = CriticHarness(is_offline=True)
    assert isinstance(await harness.consume(harness.propose_plan()), PlanApproved)

"""The critic answers every plan and every refusal with exactly one word and its reasons."""

from typing import Any

import pytest
from contracts.envelope import outcome_id
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.plan import PlanApproved, PlanRejected, RefusalDenied, RefusalUpheld

from tests.critic.critic_harness import Walk

YES, NO = "VERDICT: APPROVE\n\n- clear slope", "VERDICT: REJECT\n\n- corner at x=120 is flat"
UPHOLD, DENY = "VERDICT: UPHOLD\n\n- [cell 1] shows it", "VERDICT: DENY\n\n- one try shows nothing"
FAILED = "ok: **FAILED**: the payload did not reach the goal zone"


async def test_approved_plan_carries_everything_the_engineer_needs() -> None:
    walk = Walk(YES)
    asked = walk.proposed()
    approved = await walk.hear(asked)
    assert isinstance(approved, PlanApproved)
    assert approved.id == outcome_id(asked.id)
    assert approved.review_md == "- clear slope"
    for field in ("environment", "plan_md", "todo_md", "budget", "assignment", "model", "executor", "continues"):
        assert getattr(approved, field) == getattr(asked, field)


async def test_rejected_plan_has_reasons() -> None:
    walk = Walk(NO)
    rejected = await walk.hear(walk.proposed())
    assert isinstance(rejected, PlanRejected)
    assert rejected.review_md == "- corner at x=120 is flat"


@pytest.mark.parametrize(
    "bad",
    [
        "I approve.",
        "VERDICT: MAYBE\n\nx",
        "VERDICT: UPHOLD\n\nx",
        "VERDICT: APPROVE",
        "**VERDICT: APPROVE**\n\nx",
        "\n",
    ],
)
async def test_malformed_verdict_is_rejected(bad: str) -> None:
    walk = Walk(bad, YES)
    rejected = await walk.hear(walk.proposed())
    assert isinstance(rejected, ReplyRejected)
    assert isinstance(await walk.hear(rejected), PlanApproved)
    assert walk.play.chat.calls == 2


async def test_missing_verdict_is_not_an_approval() -> None:
    walk = Walk("?", "?", "?")
    asked = walk.proposed()
    outcome = await walk.hear(await walk.hear(await walk.hear(asked)))
    assert isinstance(outcome, WorkAbandoned)
    assert (outcome.reason, outcome.id) == ("model_failed", outcome_id(asked.id))


async def test_repeated_review_is_the_same_without_a_second_call() -> None:
    walk = Walk(NO)
    asked = walk.proposed()
    assert await walk.hear(asked) == await walk.hear(asked)
    assert len([event for event in walk.play.bus.events if isinstance(event, ModelCalled)]) == 1


@pytest.mark.parametrize(("reply", "kind"), [(UPHOLD, RefusalUpheld), (DENY, RefusalDenied)])
async def test_refusal_is_judged_by_its_evidence(reply: str, kind: type[RefusalUpheld | RefusalDenied]) -> None:
    walk = Walk(YES, reply)
    await walk.hear(walk.proposed())
    asked = walk.refused(FAILED)
    outcome = await walk.hear(asked)
    assert isinstance(outcome, kind)
    assert (outcome.id, outcome.review_md) == (outcome_id(asked.id), reply.partition("\n\n")[2])
    shown = walk.play.chat.conversations[-1][-1].text
    assert shown.startswith("# Refusal")
    assert f"### cell 1\n\n{FAILED}" in shown
    assert "The wall is too high: [cell 1]." in shown


async def test_plan_verdict_on_a_refusal_is_rejected() -> None:
    walk = Walk(YES, DENY)
    rejected = await walk.hear(walk.refused(FAILED))
    assert isinstance(rejected, ReplyRejected)
    assert "`VERDICT: UPHOLD` or `VERDICT: DENY`" in rejected.problem
    assert isinstance(await walk.hear(rejected), RefusalDenied)


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ((FAILED, "error: ValueError: no"), RefusalUpheld),
        ((FAILED,), RefusalDenied),
        ((FAILED, "ok: **SOLVED**: it did"), RefusalDenied),
        (("ok: facts",), RefusalDenied),
    ],
)
async def test_offline_critic_upholds_two_cited_failures(told: tuple[str, ...], kind: type[Any]) -> None:
    walk = Walk(is_offline=True)
    await walk.hear(walk.proposed())
    assert isinstance(await walk.hear(walk.refused(*told)), kind)


@pytest.mark.parametrize(
    "changes",
    [
        {"todo_md": "# TODO\n\n- [ ] T1: Route\n"},
        {"todo_md": "# TODO\n\n- [ ] T1: Route\n- [ ] T2: Build\n- [ ] T3: Submit\n"},
        {"plan_md": "# Plan\n\nA channel.\n"},
    ],
)
async def test_offline_critic_rejects_incomplete_plans(changes: dict[str, str]) -> None:
    walk = Walk(is_offline=True)
    assert isinstance(await walk.hear(walk.proposed(**changes)), PlanRejected)


async def test_offline_critic_approves_a_complete_plan() -> None:
    walk = Walk(is_offline=True)
    assert isinstance(await walk.hear(walk.proposed()), PlanApproved)

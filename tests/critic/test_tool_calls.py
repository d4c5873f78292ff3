"""Tests of the critic's tools: they give the same verdicts as Markdown, bound by the same measurements."""

import pytest
from contracts.envelope import Event
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignApproved, DesignRejected
from contracts.events.plan import PlanApproved, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.session import CellRequested
from contracts.models.assessment import AssessmentRecord
from critic.notes import MAX_CELLS
from critic.tool_calls import tools_for
from langchain_core.messages import AIMessage, ToolMessage

from tests.agent.role_harness import call
from tests.contracts import example_values as values
from tests.contracts.example_values import assessment_of
from tests.critic.critic_harness import SHARES, STABILITY, CriticHarness

CELL = call(("run_cell", {"code": "stability = assess()", "purpose": "rerun"}))
APPROVE = call(("approve", {"reasons": "- it holds", "evidence": ["`stability`", "shares", "shares"]}))
APPROVE_PLAN = call(("approve", {"reasons": "- fine"}))


async def in_kernel(*script: AIMessage) -> tuple[CriticHarness, Event]:
    """Return a harness whose critic has approved the plan, and its first decision on a design."""
    harness = CriticHarness(APPROVE_PLAN, *script)
    await harness.consume(harness.propose_plan())
    return harness, await harness.open_session(harness.simulate_design())


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("approve", PlanApproved), ("reject", PlanRejected), ("uphold", RefusalUpheld), ("deny", RefusalDenied)],
)
async def test_verdict_call_decides_the_question(name: str, outcome: type[Event]) -> None:
    harness = CriticHarness(call((name, {"reasons": "- measured"})))
    is_plan = outcome in {PlanApproved, PlanRejected}
    decided = await harness.consume(harness.propose_plan() if is_plan else harness.refuse_plan("ok: 1"))
    assert isinstance(decided, outcome)
    assert getattr(decided, "review_md", "") == "- measured"


async def test_only_tools_that_fit_the_question_are_accepted() -> None:
    harness = CriticHarness(call(("uphold", {"reasons": "- fine"})), APPROVE_PLAN)
    rejected = await harness.consume(harness.propose_plan())
    assert isinstance(rejected, ReplyRejected)
    assert "`approve(reasons, evidence)`, `reject(reasons, evidence)`" in rejected.problem
    names = [
        [each.model_config.get("title") for each in tools_for(question)]
        for question in (harness.propose_plan(), harness.refuse_plan(), harness.simulate_design())
    ]
    assert names == [["approve", "reject"], ["uphold", "deny"], ["run_cell", "approve", "reject"]]


async def test_approval_by_call_names_its_evidence_and_every_call_is_answered() -> None:
    harness, cell = await in_kernel(CELL, APPROVE)
    assert isinstance(cell, CellRequested)
    assert (cell.code, cell.purpose) == ("stability = assess()\n", "rerun")
    outcome = await harness.complete_cell(cell, STABILITY, SHARES)
    assert isinstance(outcome, DesignApproved)
    assert [each.name for each in outcome.evidence] == ["stability", "shares"]
    assert outcome.assessment == values.ASSESSMENT
    kinds = [message.type for message in harness.role.chat.conversations[-1]]
    assert kinds == ["system", "human", "ai", "tool", "human", "ai", "tool"]


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (call(("approve", {"reasons": "- fine"})), "None of the named variables is the assessment"),
        (
            call(("approve", {"reasons": "- fine", "evidence": ["x"]})),
            "No cell of this review has bound the evidence `x`",
        ),
        (call(("approve", {"evidence": ["stability"]})), "reasons: Field required"),
        (call(("approve", {"reasons": " ", "evidence": []})), "`reasons` is empty"),
        (call(("run_cell", {"code": "x = 1"}), ("reject", {"reasons": "- no"})), "in a reply of its own"),
        (call(*[("run_cell", {"code": "x = 1"})] * MAX_CELLS), f"of the {MAX_CELLS} cells of this review 3 are left"),
    ],
)
async def test_unfounded_call_is_rejected(reply: AIMessage, problem: str) -> None:
    harness, cell = await in_kernel(CELL, reply, APPROVE)
    rejected = await harness.complete_cell(cell, STABILITY, SHARES)
    assert isinstance(rejected, ReplyRejected)
    assert problem in rejected.problem
    assert isinstance(await harness.consume(rejected), DesignApproved)


async def test_approval_by_call_against_the_reruns_becomes_a_rejection() -> None:
    harness, cell = await in_kernel(CELL, APPROVE)
    counted = AssessmentRecord(assessment=assessment_of(6, 6, missed=6), fingerprint=STABILITY.fingerprint)
    assert isinstance(await harness.complete_cell(cell, STABILITY, SHARES, counted=counted), DesignRejected)


async def test_cells_of_one_reply_run_in_order_up_to_a_failure() -> None:
    three = call(*[("run_cell", {"code": f"x = {n}"}) for n in range(3)])
    harness, first = await in_kernel(three, call(("reject", {"reasons": "- no"})))
    second = await harness.complete_cell(first)
    assert isinstance(second, CellRequested)
    assert second.code == "x = 1\n"
    error = {"type": "ValueError", "message": "no", "traceback": ""}
    assert isinstance(await harness.complete_cell(second, status="error", error=error), DesignRejected)
    answers = [each for each in harness.role.chat.conversations[-1][-3:] if isinstance(each, ToolMessage)]
    assert [each.tool_call_id for each in answers] == ["c0", "c1", "c2"]
    assert answers[2].text == "Not run, because call 2 failed."

"""A design is judged in a kernel of critic's own, in few cells, by variables that can be found again."""

from typing import Any

import pytest
from agent.model.role_model import Vision
from artifacts.testing import FakeArtifacts
from contracts.envelope import answering, outcome_id
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignApproved, DesignRejected
from contracts.events.session import CellCompleted, CellRequested, SessionFailed, SessionRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.benchmark import Limits
from contracts.models.design import Evidence
from contracts.models.observation import Recovery, ShownImage
from critic.notes import MAX_CELLS
from documents.shipped_skills import skills_of
from langchain_core.messages import HumanMessage

from tests.contracts import example_values as values
from tests.critic.critic_harness import APPROVES, CELL, REJECTS, SHARES, STABILITY, STABLE, CriticHarness

PLAN = "VERDICT: APPROVE\n\n- fine"


async def _in_kernel(*script: str) -> tuple[CriticHarness, CellRequested, Any]:
    """Return a harness whose critic runs its first cell, the cell, and what it owes an answer."""
    harness = CriticHarness(PLAN, CELL, *script)
    await harness.consume(harness.propose_plan())
    design = harness.simulate_design()
    cell = await harness.open_session(design)
    assert isinstance(cell, CellRequested)
    return harness, cell, design


async def test_design_review_requests_skills_then_a_kernel() -> None:
    harness = CriticHarness(PLAN)
    plan, design = harness.propose_plan(), harness.simulate_design()
    await harness.consume(plan)
    requested = await harness.consume(design)
    assert isinstance(requested, SkillsRequested)
    session = await harness.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=(values.SKILL,)))
    assert isinstance(session, SessionRequested)
    assert session.reviewed is not None
    assert session.reviewed.delivery == design.delivery
    assert (session.reviewed.bill, session.reviewed.result) == (design.bill, design.result)
    assert (session.plan_md, session.environment, session.skills) == (plan.plan_md, plan.environment, (values.SKILL,))
    assert (session.role, session.assignment) == ("critic", design.assignment)
    assert harness.role.chat.calls == 1, "the model is not called before the kernel is open"


async def test_approved_design_is_delivered_with_evidence() -> None:
    harness, cell, design = await _in_kernel(APPROVES)
    outcome = await harness.complete_cell(cell, STABILITY, SHARES)
    assert isinstance(outcome, DesignApproved)
    assert (outcome.id, outcome.role) == (outcome_id(design.id), "engineer")
    assert (outcome.delivery, outcome.bill, outcome.result) == (design.delivery, design.bill, design.result)
    assert outcome.review_md == "- it holds"
    assert outcome.assessment == values.ASSESSMENT
    (completed,) = [event.id for event in harness.role.bus.events if isinstance(event, CellCompleted)]
    assert outcome.evidence == (
        Evidence(cell_id=completed, name="stability", summary="stable: 30 of 30", fingerprint="ab12"),
        Evidence(cell_id=completed, name="shares", summary="3 items", fingerprint="cd34"),
    )
    shown = [message.text for message in harness.role.chat.conversations[-1]]
    assert "8 degrees" in shown[1], "it remembers the plan"
    assert [text.partition("\n")[0] for text in shown[3::2]] == ["# Design to review", "# Observation"]
    assert all(f"- `{each.name}`: {each.description}" in shown[3] for each in skills_of("critic").values())


async def test_rejection_needs_no_evidence() -> None:
    harness, cell, _ = await _in_kernel(REJECTS)
    outcome = await harness.complete_cell(cell)
    assert isinstance(outcome, DesignRejected)
    assert (outcome.review_md, outcome.evidence) == ("- 8 of 30 leave at x=120", ())


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (APPROVES.replace("shares", "share"), "No cell of this review has bound the evidence `share`"),
        (APPROVES.replace("shares", "opaque"), "has no fingerprint"),
        (APPROVES.partition("- `stability`")[0] + "- none", "None of the named variables is the assessment"),
        (APPROVES.replace("- `stability`: 30 of 30\n", ""), "None of the named variables is the assessment"),
        (APPROVES.replace("- shares", "it shares"), "this line is neither"),
        (APPROVES.partition("## Evidence")[0], "None of the named variables is the assessment"),
        ("VERDICT: APPROVE\n\n- it holds", "None of the named variables is the assessment"),
        ("VERDICT: UPHOLD\n\n- it holds", "`VERDICT: APPROVE` or `VERDICT: REJECT`"),
        ("**VERDICT: APPROVE**", "Reasons must follow the verdict"),
        ("Let me see.", "no code to run"),
    ],
)
async def test_malformed_verdict_is_rejected(reply: str, problem: str) -> None:
    harness, cell, _ = await _in_kernel(reply, APPROVES)
    opaque = STABILITY.model_copy(update={"name": "opaque", "fingerprint": ""})
    rejected = await harness.complete_cell(cell, STABILITY, SHARES, opaque)
    assert isinstance(rejected, ReplyRejected)
    assert problem in rejected.problem
    assert isinstance(await harness.consume(rejected), DesignApproved)


async def test_lost_variable_is_not_evidence() -> None:
    harness, cell, _ = await _in_kernel(CELL, APPROVES)
    again = await harness.complete_cell(cell, STABILITY, SHARES)
    recovery = Recovery(why="gone", replayed_cells=0, elapsed_s=0.1, different=("stability",))
    rejected = await harness.complete_cell(again, SHARES.model_copy(update={"change": "lost"}), recovery=recovery)
    assert isinstance(rejected, ReplyRejected)
    assert "there are: none" in rejected.problem


async def test_cells_are_limited_and_the_last_is_announced() -> None:
    harness, cell, _ = await _in_kernel(*[CELL] * MAX_CELLS, APPROVES)
    for _ in range(MAX_CELLS - 1):
        cell = await harness.complete_cell(cell, STABILITY, SHARES)
    texts = [message.text for message in harness.role.chat.conversations[-1]]
    assert "One cell is left" in texts[-1]
    rejected = await harness.complete_cell(cell)
    assert isinstance(rejected, ReplyRejected)
    assert "used up" in rejected.problem
    assert "No cell is left" in harness.role.chat.conversations[-1][-1].text
    assert isinstance(await harness.consume(rejected), DesignApproved)


async def test_second_design_starts_without_earlier_evidence() -> None:
    harness, cell, _ = await _in_kernel(REJECTS, CELL, APPROVES)
    await harness.complete_cell(cell, STABILITY, SHARES)
    cell = await harness.open_session(harness.simulate_design())
    rejected = await harness.complete_cell(cell)
    assert isinstance(rejected, ReplyRejected)
    assert len([event for event in harness.role.bus.events if isinstance(event, SessionRequested)]) == 2


async def test_failed_kernel_abandons_the_review() -> None:
    harness = CriticHarness(PLAN)
    await harness.consume(harness.propose_plan())
    design = harness.simulate_design()
    requested = await harness.consume(design)
    session = await harness.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=()))
    failed = SessionFailed(**answering(session, "cad-worker"), reason="kernel_failed", detail="no memory")
    outcome = await harness.consume(failed)
    assert isinstance(outcome, WorkAbandoned)
    assert (outcome.reason, outcome.id) == ("session_failed", outcome_id(design.id))
    assert "no memory" in outcome.detail


async def test_vision_model_gets_the_cells_pictures() -> None:
    artifacts = FakeArtifacts()
    picture = await artifacts.put(b"png", "image/png")
    harness = CriticHarness(PLAN, CELL, REJECTS, vision=Vision(artifacts, takes_images=True))
    await harness.consume(harness.propose_plan())
    cell = await harness.open_session(harness.simulate_design())
    shown = ShownImage(label="key frames", artifact=picture, width_px=4, height_px=3)
    await harness.complete_cell(cell, images=(shown,))
    seen = harness.role.chat.conversations[-1][-1]
    assert isinstance(seen, HumanMessage)
    assert isinstance(seen.content, list)
    assert any(isinstance(block, dict) and block.get("type") == "image" for block in seen.content)


async def test_offline_critic_approves_a_design_that_holds() -> None:
    harness = CriticHarness(is_offline=True)
    outcome = await harness.offline(harness.simulate_design())
    assert isinstance(outcome, DesignApproved), outcome
    assert {each.name for each in outcome.evidence} == {"stability", "strained", "shares", "spare"}


async def test_offline_critic_accepts_a_speed_of_a_fall_from_where_a_motor_may_lift() -> None:
    harness = CriticHarness(is_offline=True)
    variant = harness.run.assignment.variant
    start_m = (variant.payload.start_mm[2] - variant.bounds.min_mm[2]) / 1000
    top_m = (variant.bounds.max_mm[2] - variant.bounds.min_mm[2]) / 1000
    speed_m_s = 1.2 * (2 * 9.81 * (start_m + top_m) / 2) ** 0.5
    nominal = STABLE.nominal.model_copy(update={"max_speed_m_s": speed_m_s})
    outcome = await harness.offline(harness.simulate_design(STABLE.model_copy(update={"nominal": nominal})))
    assert isinstance(outcome, DesignApproved), outcome


@pytest.mark.parametrize(
    ("changes", "results", "reason"),
    [
        ({"nominal": STABLE.nominal.model_copy(update={"max_speed_m_s": 9.0})}, {}, "no fall in this world"),
        ({}, {"stability": "flaky", "summary": "flaky: 40 of 62"}, "flaky: 40 of 62"),
        ({}, {"stability": "undecided"}, "does not hold"),
        ({}, {"strained": ["`servo` bears 80% of its stall torque"]}, "Overloaded: `servo`"),
        ({}, {"over": ["mass"]}, "The mass is over its limit"),
    ],
)
async def test_offline_critic_rejects_failed_physics(
    changes: dict[str, Any], results: dict[str, object], reason: str
) -> None:
    harness = CriticHarness(is_offline=True)
    outcome = await harness.offline(harness.simulate_design(STABLE.model_copy(update=changes)), **results)
    assert isinstance(outcome, DesignRejected)
    assert reason in outcome.review_md


@pytest.mark.parametrize(
    ("limits", "what"), [(Limits(max_unit_price_usd=2), "unit price"), (Limits(max_mass_kg=0.05), "mass")]
)
async def test_offline_critic_rejects_an_exceeded_limit(limits: Limits, what: str) -> None:
    harness = CriticHarness(is_offline=True)
    outcome = await harness.offline(harness.simulate_design(limits=limits))
    assert isinstance(outcome, DesignRejected)
    assert f"The {what} is" in outcome.review_md


async def test_offline_critic_needs_a_rerun_to_approve() -> None:
    harness = CriticHarness(is_offline=True)
    await harness.consume(harness.propose_plan())
    cell = await harness.open_session(harness.simulate_design())
    again = await harness.complete_cell(cell, status="error")
    outcome = await harness.complete_cell(again, output="<<<REVIEW {cut REVIEW>>>")
    assert isinstance(outcome, DesignRejected)
    assert "could not be run again" in outcome.review_md

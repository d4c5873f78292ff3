"""A design is judged in a kernel of critic's own, in few cells, by variables that can be found again."""

from typing import Any

import pytest
from agent.model.role_model import Vision
from artifacts.testing import FakeArtifacts
from contracts.envelope import outcome_id
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignApproved, DesignRejected
from contracts.events.session import CellCompleted, CellRequested, SessionFailed, SessionRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.benchmark import Limits
from contracts.models.design import Evidence
from contracts.models.observation import Recovery, ShownImage
from critic.notes import MAX_CELLS
from langchain_core.messages import HumanMessage

from tests.contracts import example_values as values
from tests.critic.critic_harness import APPROVES, CELL, REJECTS, SHARES, STABILITY, STABLE, Walk

PLAN = "VERDICT: APPROVE\n\n- fine"


async def _in_kernel(*script: str) -> tuple[Walk, CellRequested, Any]:
    """Return a walk whose critic runs its first cell, the cell, and what it owes an answer."""
    walk = Walk(PLAN, CELL, *script)
    await walk.hear(walk.proposed())
    design = walk.simulated()
    cell = await walk.opens(design)
    assert isinstance(cell, CellRequested)
    return walk, cell, design


async def test_design_review_requests_skills_then_a_kernel() -> None:
    walk = Walk(PLAN)
    plan, design = walk.proposed(), walk.simulated()
    await walk.hear(plan)
    wanted = await walk.hear(design)
    assert isinstance(wanted, SkillsRequested)
    session = await walk.hear(SkillsOffered.answering(wanted, "skill-learner", skills=(values.SKILL,)))
    assert isinstance(session, SessionRequested)
    assert session.reviewed is not None
    assert session.reviewed.delivery == design.delivery
    assert (session.reviewed.bill, session.reviewed.result) == (design.bill, design.result)
    assert (session.plan_md, session.environment, session.skills) == (plan.plan_md, plan.environment, (values.SKILL,))
    assert (session.role, session.assignment) == ("critic", design.assignment)
    assert walk.play.chat.calls == 1, "no model is asked before the kernel is there"


async def test_approved_design_is_delivered_with_evidence() -> None:
    walk, cell, design = await _in_kernel(APPROVES)
    word = await walk.completes(cell, STABILITY, SHARES)
    assert isinstance(word, DesignApproved)
    assert (word.id, word.role) == (outcome_id(design.id), "engineer")
    assert (word.delivery, word.bill, word.result) == (design.delivery, design.bill, design.result)
    assert word.review_md == "- it holds"
    (completed,) = [event.id for event in walk.play.bus.events if isinstance(event, CellCompleted)]
    assert word.evidence == (
        Evidence(cell_id=completed, name="stability", summary="stable: 30 of 30", fingerprint="ab12"),
        Evidence(cell_id=completed, name="shares", summary="3 items", fingerprint="cd34"),
    )
    shown = [message.text for message in walk.play.chat.conversations[-1]]
    assert "8 degrees" in shown[1], "it remembers the plan"
    assert [text.partition("\n")[0] for text in shown[3::2]] == ["# Design to review", "# Observation"]


async def test_rejection_needs_no_evidence() -> None:
    walk, cell, _ = await _in_kernel(REJECTS)
    word = await walk.completes(cell)
    assert isinstance(word, DesignRejected)
    assert (word.review_md, word.evidence) == ("- 8 of 30 leave at x=120", ())


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (APPROVES.replace("shares", "share"), "No cell of this review has bound the evidence `share`"),
        (APPROVES.replace("shares", "opaque"), "has no fingerprint"),
        (APPROVES.partition("- `stability`")[0] + "- none", "An approval needs evidence"),
        (APPROVES.replace("- shares", "and shares"), "this line is neither"),
        (APPROVES.partition("## Evidence")[0], "must have exactly the sections `## Reasons`, `## Evidence`"),
        ("VERDICT: APPROVE\n\n- it holds", "must have exactly the sections"),
        ("VERDICT: UPHOLD\n\n- it holds", "`VERDICT: APPROVE` or `VERDICT: REJECT`"),
        ("**VERDICT: APPROVE**", "The first line must be"),
        ("Let me see.", "`## Purpose`, `## Reasoning`, `## Next goal`, `## Code`"),
    ],
)
async def test_malformed_verdict_is_rejected(reply: str, problem: str) -> None:
    walk, cell, _ = await _in_kernel(reply, APPROVES)
    opaque = STABILITY.model_copy(update={"name": "opaque", "fingerprint": ""})
    rejected = await walk.completes(cell, STABILITY, SHARES, opaque)
    assert isinstance(rejected, ReplyRejected)
    assert problem in rejected.problem
    assert isinstance(await walk.hear(rejected), DesignApproved)


async def test_lost_variable_is_not_evidence() -> None:
    walk, cell, _ = await _in_kernel(CELL, APPROVES)
    again = await walk.completes(cell, STABILITY, SHARES)
    recovery = Recovery(why="gone", replayed_cells=0, elapsed_s=0.1, different=("stability",))
    rejected = await walk.completes(again, SHARES.model_copy(update={"change": "lost"}), recovery=recovery)
    assert isinstance(rejected, ReplyRejected)
    assert "there are: none" in rejected.problem


async def test_cells_are_limited_and_the_last_is_announced() -> None:
    walk, cell, _ = await _in_kernel(*[CELL] * MAX_CELLS, APPROVES)
    for _ in range(MAX_CELLS - 1):
        cell = await walk.completes(cell, STABILITY, SHARES)
    told = [message.text for message in walk.play.chat.conversations[-1]]
    assert "One cell is left" in told[-1]
    rejected = await walk.completes(cell)
    assert isinstance(rejected, ReplyRejected)
    assert "used up" in rejected.problem
    assert "No cell is left" in walk.play.chat.conversations[-1][-1].text
    assert isinstance(await walk.hear(rejected), DesignApproved)


async def test_second_design_starts_without_earlier_evidence() -> None:
    walk, cell, _ = await _in_kernel(REJECTS, CELL, APPROVES)
    await walk.completes(cell, STABILITY, SHARES)
    cell = await walk.opens(walk.simulated())
    rejected = await walk.completes(cell)
    assert isinstance(rejected, ReplyRejected)
    assert len([event for event in walk.play.bus.events if isinstance(event, SessionRequested)]) == 2


async def test_failed_kernel_abandons_the_review() -> None:
    walk = Walk(PLAN)
    await walk.hear(walk.proposed())
    design = walk.simulated()
    wanted = await walk.hear(design)
    session = await walk.hear(SkillsOffered.answering(wanted, "skill-learner", skills=()))
    failed = SessionFailed.answering(session, "cad-worker", reason="kernel_failed", detail="no memory")
    word = await walk.hear(failed)
    assert isinstance(word, WorkAbandoned)
    assert (word.reason, word.id) == ("session_failed", outcome_id(design.id))
    assert "no memory" in word.detail


async def test_repeated_steps_are_the_same() -> None:
    walk, cell, design = await _in_kernel(APPROVES)
    await walk.completes(cell, STABILITY, SHARES)
    events = list(walk.play.bus.events)
    for event in events:
        if event.producer in ("planner", "skill-learner", "cad-worker") or event == design:
            await walk.play.threads.advance(event)
    assert walk.play.bus.events == events
    assert len([event for event in events if isinstance(event, ModelCalled)]) == walk.play.chat.calls == 3


async def test_vision_model_gets_the_cells_pictures() -> None:
    artifacts = FakeArtifacts()
    picture = await artifacts.put(b"png", "image/png")
    walk = Walk(PLAN, CELL, REJECTS, vision=Vision(artifacts, takes_images=True))
    await walk.hear(walk.proposed())
    cell = await walk.opens(walk.simulated())
    shown = ShownImage(label="key frames", artifact=picture, width_px=4, height_px=3)
    await walk.completes(cell, images=(shown,))
    seen = walk.play.chat.conversations[-1][-1]
    assert isinstance(seen, HumanMessage)
    assert isinstance(seen.content, list)
    assert any(isinstance(block, dict) and block.get("type") == "image" for block in seen.content)


async def test_offline_critic_approves_a_design_that_holds() -> None:
    walk = Walk(is_offline=True)
    word = await walk.offline(walk.simulated())
    assert isinstance(word, DesignApproved), word
    assert {each.name for each in word.evidence} == {"stability", "strained", "shares", "spare"}


@pytest.mark.parametrize(
    ("changes", "told", "reason"),
    [
        ({"verdict": "failed"}, {}, "verdict failed"),
        ({"stability": "flaky", "success_rate": 0.8}, {}, "80 % succeeded"),
        ({"stability": "untested"}, {}, "untested"),
        ({"nominal": STABLE.nominal.model_copy(update={"max_speed_m_s": 9.0})}, {}, "gravity can give at most"),
        ({}, {"stability": "flaky", "summary": "flaky: 40 of 62"}, "flaky: 40 of 62"),
        ({}, {"stability": "undecided"}, "does not hold"),
        ({}, {"strained": ["`servo` bears 80% of its stall torque"]}, "Overloaded: `servo`"),
        ({}, {"over": ["mass"]}, "The mass is over its limit"),
    ],
)
async def test_offline_critic_rejects_failed_physics(
    changes: dict[str, Any], told: dict[str, object], reason: str
) -> None:
    walk = Walk(is_offline=True)
    word = await walk.offline(walk.simulated(STABLE.model_copy(update=changes)), **told)
    assert isinstance(word, DesignRejected)
    assert reason in word.review_md


@pytest.mark.parametrize(
    ("limits", "what"), [(Limits(max_unit_price_usd=2), "unit price"), (Limits(max_mass_kg=0.05), "mass")]
)
async def test_offline_critic_rejects_an_exceeded_limit(limits: Limits, what: str) -> None:
    walk = Walk(is_offline=True)
    word = await walk.offline(walk.simulated(limits=limits))
    assert isinstance(word, DesignRejected)
    assert f"The {what} is" in word.review_md


async def test_offline_critic_needs_a_rerun_to_approve() -> None:
    walk = Walk(is_offline=True)
    await walk.hear(walk.proposed())
    cell = await walk.opens(walk.simulated())
    again = await walk.completes(cell, status="error")
    word = await walk.completes(again, output="<<<REVIEW {cut REVIEW>>>")
    assert isinstance(word, DesignRejected)
    assert "could not be run again" in word.review_md

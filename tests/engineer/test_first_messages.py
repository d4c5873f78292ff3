"""Tests of the first prompt: skills by name, and the files and journal of earlier attempts."""

from uuid import uuid4

from contracts.events.session import SessionRequested
from contracts.events.skill import OfferedSkill, SkillsOffered, SkillsRequested
from contracts.models.continuation import Continuation

from tests.agent.role_harness import last_prompt
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, plan_approved, script_reply

SKILL = OfferedSkill(name="tall-walls", description="When a ball\njumps: walls.", version=2, skill_md=values.SCENE)


async def test_offered_skills_are_listed_by_name_and_description() -> None:
    harness = EngineerHarness(cell_reply("x = 1"))
    await harness.start_with_plan(plan_approved(), SKILL)
    (session,) = [event for event in harness.bus.events if isinstance(event, SessionRequested)]
    assert session.skills == (SKILL,)
    _, (_, task) = last_prompt(harness.chat)
    assert f"- `tall-walls` (learned, v{SKILL.version}): When a ball jumps: walls." in task
    assert "A learned skill is hearsay" in task
    assert "skills/NAME/SKILL.md" in task


async def test_single_pass_lists_no_skills() -> None:
    harness = EngineerHarness(script_reply("assembly = None"), executor="single_pass")
    await harness.start_with_plan(plan_approved(executor="single_pass"), SKILL)
    assert "# Skills" not in last_prompt(harness.chat)[1][1]


async def test_continuation_starts_with_files_journal_and_user_text() -> None:
    continues = Continuation(
        attempts=(uuid4(), uuid4()),
        says="Make it cheaper.\n# Role: planner",
        workspace=values.SUBMISSION.files,
        journal_md="## Entry 1\n\nthe leg was too thin",
    )
    harness = EngineerHarness(cell_reply("x = 1"))
    (requested,) = await harness.consume(plan_approved(continues=continues))
    assert isinstance(requested, SkillsRequested)
    (session,) = await harness.consume(SkillsOffered.answering(requested, "skill-learner", skills=()))
    assert isinstance(session, SessionRequested)
    assert session.files == values.SUBMISSION.files
    await harness.open_session(session)
    task = last_prompt(harness.chat)[1][1]
    assert "> Make it cheaper.\n> # Role: planner" in task
    assert "attempts so far: 2" in task
    assert "the leg was too thin" in task

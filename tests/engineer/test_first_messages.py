"""From an approved plan to the first words: skills by name, and what earlier attempts left."""

from uuid import uuid4

from contracts.events.session import SessionRequested
from contracts.events.skill import OfferedSkill, SkillsOffered, SkillsRequested
from contracts.models.continuation import Continuation

from tests.agent.role_harness import seen_by
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import Walk, cell, plan_approved, script

SKILL = OfferedSkill(name="tall-walls", description="When a ball\njumps: walls.", version=2, skill_md=values.SCENE)


async def test_offered_skills_are_listed_by_name_and_description() -> None:
    walk = Walk(cell("x = 1"))
    await walk.open(plan_approved(), SKILL)
    (session,) = [event for event in walk.bus.events if isinstance(event, SessionRequested)]
    assert session.skills == (SKILL,)
    _, (_, task) = seen_by(walk.chat)
    assert "- `tall-walls`: When a ball jumps: walls." in task
    assert "skills/NAME/SKILL.md" in task


async def test_single_pass_lists_no_skills() -> None:
    walk = Walk(script("assembly = None"), executor="single_pass")
    await walk.open(plan_approved(executor="single_pass"), SKILL)
    assert "# Skills" not in seen_by(walk.chat)[1][1]


async def test_continuation_starts_with_files_journal_and_user_text() -> None:
    continues = Continuation(
        attempts=(uuid4(), uuid4()),
        says="Make it cheaper.\n# Role: planner",
        workspace=values.SUBMISSION.files,
        journal_md="## Entry 1\n\nthe leg was too thin",
    )
    walk = Walk(cell("x = 1"))
    (wanted,) = await walk.hear(plan_approved(continues=continues))
    assert isinstance(wanted, SkillsRequested)
    (session,) = await walk.hear(SkillsOffered.answering(wanted, "skill-learner", skills=()))
    assert isinstance(session, SessionRequested)
    assert session.files == values.SUBMISSION.files
    await walk.opened(session)
    task = seen_by(walk.chat)[1][1]
    assert "> Make it cheaper.\n> # Role: planner" in task
    assert "attempts so far: 2" in task
    assert "the leg was too thin" in task

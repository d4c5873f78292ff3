"""Tests of the first prompt: skills by name, and the files and journal of earlier attempts."""

from uuid import uuid4

from contracts.envelope import answering
from contracts.events.session import SessionRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.continuation import Continuation
from contracts.skills import OfferedSkill
from parts_catalog.parts import part
from parts_catalog.quantity_prices import unit_price_usd

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


async def test_bought_parts_of_the_plan_come_with_price_mass_and_ratings() -> None:
    row = next(line for line in values.PLAN.splitlines() if line.startswith("| leg"))
    bought = f"{row}\n| servo | 1 | catalog | mg996r | ? | ? |\n| screw | 4 | catalog | iso4762-m4x16 | 2.2 | 0.1 |"
    plan = plan_approved(plan_md=values.PLAN.replace(row, bought))
    harness = EngineerHarness(cell_reply("x = 1"))
    await harness.start_with_plan(plan)
    task = last_prompt(harness.chat)[1][1]
    section = task.partition("# Bought parts of the plan")[2].partition("\n# ")[0]
    servo, screw = (line for line in section.splitlines() if line.startswith(("| mg996r", "| iso4762")))
    servo_price_usd = unit_price_usd(part("mg996r"), plan.assignment.quantity)
    assert f"| {servo_price_usd:.3f}".rstrip("0") in servo
    assert "| 55 |" in servo
    for rating in ("stall_torque_n_m 1.079", "no_load_speed_rad_s", "range_deg 180", "shaft at (0, 0, 0)"):
        assert rating in servo
    screws_usd = unit_price_usd(part("iso4762-m4x16"), 4 * plan.assignment.quantity)
    assert f"| {screws_usd:.3f}".rstrip("0") in screw, "the discount is that of all screws together"


async def test_plan_that_buys_nothing_has_no_such_section() -> None:
    harness = EngineerHarness(cell_reply("x = 1"))
    await harness.start_with_plan(plan_approved())
    assert "Bought parts" not in last_prompt(harness.chat)[1][1]


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
    (session,) = await harness.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=()))
    assert isinstance(session, SessionRequested)
    assert session.files == values.SUBMISSION.files
    await harness.open_session(session)
    task = last_prompt(harness.chat)[1][1]
    assert "> Make it cheaper.\n> # Role: planner" in task
    assert "attempts so far: 2" in task
    assert "the leg was too thin" in task

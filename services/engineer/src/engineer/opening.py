"""From an approved plan to the first words: skills, then a session, then system prompt and task."""

from agent.loop.prompts import Prompts
from agent.loop.role import Reaction, StepEvents
from agent.model.messages import user_message
from agent.rendering.assignment import assignment_markdown
from agent.rendering.materials import materials_markdown
from contracts.events.plan import PlanApproved
from contracts.events.session import SessionOpened, SessionRequested
from contracts.events.skill import OfferedSkill, SkillsOffered, SkillsRequested
from contracts.models.continuation import Continuation
from contracts.models.conversation import Message
from documents.shipped_skills import SHIPPED_SKILLS

from engineer.executors.executor import Acting
from engineer.notes import EngineerNotes


def begin(plan: PlanApproved, notes: EngineerNotes, pen: StepEvents) -> Reaction[EngineerNotes]:
    """Ask what was learned; with a second plan the session goes on, which gets the plan's files anew."""
    if notes.finished:
        return Reaction(notes)
    is_new = notes.plan is None
    notes = notes.model_copy(update={"plan": plan})
    asked = pen.next(SkillsRequested) if is_new else _session(plan, notes.skills, pen)
    return Reaction(notes, decided=(asked,))


def take_skills(
    offered: SkillsOffered, notes: EngineerNotes, plan: PlanApproved, pen: StepEvents
) -> Reaction[EngineerNotes]:
    """Ask for the session."""
    notes = notes.model_copy(update={"skills": offered.skills})
    return Reaction(notes, decided=(_session(plan, offered.skills, pen),))


def _session(plan: PlanApproved, skills: tuple[OfferedSkill, ...], pen: StepEvents) -> SessionRequested:
    return pen.next(
        SessionRequested,
        assignment=plan.assignment,
        environment=plan.environment,
        plan_md=plan.plan_md,
        todo_md=plan.todo_md,
        skills=skills,
        files=None if plan.continues is None else plan.continues.workspace,
    )


def first_words(
    prompts: Prompts, acting: Acting, plan: PlanApproved, notes: EngineerNotes, opened: SessionOpened
) -> tuple[Message, Message]:
    """Return system prompt and task."""
    system = prompts.render(acting.prompt, materials=materials_markdown(), max_steps=plan.budget.max_steps)
    task = prompts.render(
        "task",
        assignment=assignment_markdown(plan.assignment, plan.environment),
        plan=plan.plan_md.strip(),
        todo=plan.todo_md.strip(),
        review=plan.review_md.strip(),
        skills=_listed(notes.skills) if acting.tools else "",
        earlier="" if plan.continues is None else _earlier(prompts, plan.continues),
        files=", ".join(f"`{path}`" for path in opened.files),
    )
    return Message(author="system", text=system), user_message(task)


def words_of_new_plan(prompts: Prompts, plan: PlanApproved) -> str:
    """Return what is told when planner has planned again."""
    return prompts.render(
        "replanned", plan=plan.plan_md.strip(), todo=plan.todo_md.strip(), review=plan.review_md.strip()
    )


def _earlier(prompts: Prompts, continues: Continuation) -> str:
    says = "\n".join(f"> {line}" for line in continues.says.strip().splitlines())
    journal = continues.journal_md.strip() or "Nothing was written down."
    return prompts.render("continuing", attempts=len(continues.attempts), says=says, journal=journal)


def _listed(skills: tuple[OfferedSkill, ...]) -> str:
    """List the skills that every kernel has, and those on offer."""
    known = (*SHIPPED_SKILLS.values(), *skills)
    return "\n".join(f"- `{skill.name}`: {' '.join(skill.description.split())}" for skill in known)

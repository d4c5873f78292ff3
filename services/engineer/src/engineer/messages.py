"""Messages to the engineer's model: system prompt and task, observations, and notices."""

from agent.kernel_session.messages import answer_cell, citable_numbers, with_notice
from agent.loop.role import Prompts
from agent.loop.tool_calls import MAX_CALLS
from agent.model.messages import user_message
from agent.rendering.assignment import assignment_markdown
from agent.rendering.bought_parts import bought_parts_markdown
from agent.rendering.planned_parts import buys_motor, methods_of
from agent.rendering.tables import file_names
from contracts.events.plan import PlanApproved
from contracts.events.session import CellCompleted, SessionOpened
from contracts.models.benchmark import Environment
from contracts.models.continuation import Continuation
from contracts.models.conversation import Message
from documents.observation import observation_markdown
from documents.shipped_skills import skill_lines

from engineer.actions import Executor
from engineer.notes import EngineerNotes
from engineer.reference import PAGES, system_values

_KNOWN_FILES = frozenset(
    {
        "environment.glb",
        "environment.step",
        "journal.md",
        "plan.md",
        "script.py",
        "todo.md",
        "utils/__init__.py",
    }
)
"""Those of each workspace, which the system prompt names."""
_ANNOUNCED_REPLIES = 5
"""The number of replies left is announced from here on."""


def first_messages(
    prompts: Prompts, executor: Executor, plan: PlanApproved, notes: EngineerNotes, opened: SessionOpened
) -> tuple[Message, Message]:
    """Return system prompt and task."""
    task = prompts.render(
        "task",
        assignment=assignment_markdown(plan.assignment, plan.environment),
        plan=plan.plan_md.strip(),
        todo=plan.todo_md.strip(),
        review=plan.review_md.strip(),
        bought=bought_parts_markdown(plan.plan_md, plan.assignment.quantity),
        skills=skill_lines("engineer", notes.skills) if executor.tools else "",
        has_learned=bool(notes.skills),
        earlier="" if plan.continues is None else _earlier_attempts(prompts, plan.continues),
        files=file_names(each for each in opened.files if each not in _KNOWN_FILES),
    )
    return system_message(prompts, executor, plan), user_message(task)


def system_message(prompts: Prompts, executor: Executor, plan: PlanApproved) -> Message:
    """Return the system prompt.

    Where pages can be viewed, it has motors only if the plan buys one, and materials of its methods, and there is a
    shorter one without what skills contain.
    """
    has_pages = bool(executor.tools)
    drives = buys_motor(plan.plan_md) or not has_pages
    acts = {"acts_in_cells": executor.writes_cells, "has_pages": has_pages, "drives": drives}
    methods = methods_of(plan.plan_md) if has_pages else ()
    world = {**system_values(plan.assignment.variant, methods), "moves": _moves(plan.environment)}
    values = {**world, **acts, "max_steps": plan.budget.max_steps, "max_calls": MAX_CALLS}
    shorter = prompts.render(executor.prompt, **values, is_short=True) if executor.tools else ""
    return Message(author="system", text=prompts.render(executor.prompt, **values, is_short=False), gist=shorter)


def _moves(environment: Environment) -> bool:
    return bool(environment.mechanism.joints) or any(solid.is_loose for solid in environment.solids)


def new_plan_text(prompts: Prompts, plan: PlanApproved) -> str:
    """Return the message about a second plan."""
    return prompts.render(
        "replanned",
        plan=plan.plan_md.strip(),
        todo=plan.todo_md.strip(),
        review=plan.review_md.strip(),
        bought=bought_parts_markdown(plan.plan_md, plan.assignment.quantity),
        pages=PAGES if buys_motor(plan.plan_md) else "",
    )


def observe_cell(prompts: Prompts, event: CellCompleted, notes: EngineerNotes) -> tuple[EngineerNotes, Message]:
    """Return the observation of the newest cell, and the notes after it."""
    shown = observation_markdown(event.observation)
    text = prompts.render("observation", number=citable_numbers(notes), observation=shown)
    return answer_cell(event, text, notes)


def with_budget_notice(
    prompts: Prompts, executor: Executor, messages: tuple[Message, ...], left: int
) -> tuple[Message, ...]:
    """Return the messages; if few replies are left, the newest one ends with a notice."""
    is_last = left == 1 or executor.has_one_reply
    if not is_last and left > _ANNOUNCED_REPLIES:
        return messages
    name = "last_reply" if is_last else "few_replies"
    notice = prompts.render(name, left=left, system_prompt=executor.prompt)
    return with_notice(messages, notice)


def _earlier_attempts(prompts: Prompts, continues: Continuation) -> str:
    journal = continues.journal_md.strip() or "Nothing was written down."
    attempts, cells = len(continues.attempts), continues.cells_md.strip()
    return prompts.render("continuing", attempts=attempts, says=continues.says, journal=journal, cells=cells)

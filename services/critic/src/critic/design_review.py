"""A design under review: skills, a kernel of its own, cells and what they told."""

from collections.abc import Sequence

from agent.context.observation_summary import image_of_step, stopped_at, summary_of_observation
from agent.loop.prompts import Prompts
from agent.loop.role import StepEvents
from agent.model.messages import user_message
from agent.rendering.verdicts import bill_markdown, limits_markdown, simulation_markdown
from contracts.events.design import DesignSimulated
from contracts.events.session import CellCompleted, ReviewedDesign, SessionOpened, SessionRequested
from contracts.events.skill import OfferedSkill
from contracts.models.conversation import Message
from documents.observation import observation_markdown

from critic.notes import MOST_CELLS, CriticNotes


class PlanUnknownError(Exception):
    """A design is to be reviewed whose plan critic has never seen: the log of the run has a gap."""


def kernel_for(design: DesignSimulated, notes: CriticNotes, pen: StepEvents) -> SessionRequested:
    """Return the request for a kernel that holds the design; raise `PlanUnknownError`."""
    plan = notes.known_plan
    if plan is None:
        raise PlanUnknownError(f"run {design.run_id} has a design, and critic has seen no plan of it")
    return pen.next(
        SessionRequested,
        assignment=design.assignment,
        environment=plan.environment,
        plan_md=plan.plan_md,
        todo_md=plan.todo_md,
        skills=notes.skills,
        reviewed=ReviewedDesign(delivery=design.delivery, bill=design.bill, result=design.result),
    )


def words_of_design(prompts: Prompts, asked: DesignSimulated, opened: SessionOpened, notes: CriticNotes) -> Message:
    """Return what critic is told of a design once its kernel is there."""
    text = prompts.render(
        "design",
        simulation=simulation_markdown(asked.result),
        limits=limits_markdown(asked.bill, asked.assignment.limits),
        bill=bill_markdown(asked.bill),
        files=", ".join(f"`{path}`" for path in opened.files),
        skills=_listed(notes.skills),
        most_cells=MOST_CELLS,
    )
    return user_message(text)


def words_of_cell(prompts: Prompts, event: CellCompleted, notes: CriticNotes) -> Message:
    """Return what critic is told of a cell, with the pictures that it has shown."""
    seen = event.observation
    text = prompts.render("observation", observation=observation_markdown(seen), cells_left=notes.cells_left)
    gist = summary_of_observation(seen, notes.cell.purpose if notes.cell else "")
    images = tuple(map(image_of_step, seen.images))
    return Message(author="user", text=text, gist=gist, stopped_at_line=stopped_at(seen), images=images)


def _listed(skills: Sequence[OfferedSkill]) -> str:
    return "\n".join(f"- `{skill.name}`: {' '.join(skill.description.split())}" for skill in skills)

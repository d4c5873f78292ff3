"""Messages to the critic's model: what is to be reviewed, and observations of its cells."""

from math import ceil

from agent.journal.entries import fenced
from agent.loop.role import Prompts
from agent.model.messages import user_message
from agent.rendering.assignment import assignment_markdown
from agent.rendering.signatures import signatures_markdown
from agent.rendering.tables import file_names, number, percent
from agent.rendering.verdicts import bill_markdown, limits_markdown, simulation_markdown
from contracts.criteria import NEAR_STALL_LIMIT_S, NEAR_STALL_SHARE
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.session import CellCompleted, SessionOpened
from contracts.models.assessment import ENOUGH_REPLICAS, ENOUGH_SEEDS, STABLE_FROM
from contracts.models.conversation import Message
from contracts.models.design import Delivery
from documents.observation import observation_markdown
from documents.shipped_skills import skill_lines
from kernel.api.reviews import reviewer_utils

from critic.notes import MAX_CELLS, CriticNotes


def system_message(prompts: Prompts) -> Message:
    """Return the system prompt, which is the same for every question."""
    replicas_per_seed = ceil(ENOUGH_REPLICAS / ENOUGH_SEEDS)
    text = prompts.render("system", enough_seeds=ENOUGH_SEEDS, replicas_per_seed=replicas_per_seed)
    return Message(author="system", text=text)


def plan_message(prompts: Prompts, question: PlanProposed) -> Message:
    """Return the plan to review."""
    text = prompts.render(
        "plan",
        assignment=assignment_markdown(question.assignment, question.environment),
        plan=question.plan_md.strip(),
        todo=question.todo_md.strip(),
    )
    return user_message(text)


def refusal_message(prompts: Prompts, question: PlanRefused) -> Message:
    """Return the refusal to review, with what its proof cites."""
    evidence = [f"### {each.kind} {each.number}\n\n{fenced(each.told)}" for each in question.evidence]
    text = prompts.render(
        "refusal",
        assignment=assignment_markdown(question.assignment, question.environment),
        plan=question.plan_md.strip(),
        proof=question.proof_md.strip(),
        evidence="\n\n".join(evidence),
    )
    return user_message(text)


def design_message(
    prompts: Prompts, question: DesignSimulated, opened: SessionOpened, notes: CriticNotes, todo: str = ""
) -> Message:
    """Return the design to review with its TODO list, once the kernel that holds it is open."""
    text = prompts.render(
        "design",
        simulation=simulation_markdown(question.result),
        limits=limits_markdown(question.bill, question.assignment.limits),
        bill=bill_markdown(question.bill),
        files=file_names(opened.files),
        skills=skill_lines("critic", notes.skills),
        has_learned=bool(notes.skills),
        max_cells=MAX_CELLS,
        documents=_documents_text(question.delivery),
        todo=todo,
        has_pictures="yes" if notes.media is not None else "",
        signatures=signatures_markdown(reviewer_utils),
        enough_seeds=ENOUGH_SEEDS,
        enough_replicas=ENOUGH_REPLICAS,
        stable_from=percent(STABLE_FROM),
        near_stall_share=percent(NEAR_STALL_SHARE),
        near_stall_limit_s=number(NEAR_STALL_LIMIT_S),
    )
    return user_message(text)


def _documents_text(delivery: Delivery) -> str:
    """Return what the engineer's TODO list and journal come to; their texts are in the kernel."""
    if delivery.documents is None:
        return "The delivery names no TODO list and journal."
    return f'{delivery.documents.summary}. The journal: `print(submitted["journal.md"])`.'


def observation_text(prompts: Prompts, event: CellCompleted, notes: CriticNotes) -> str:
    """Return the observation of a cell."""
    return prompts.render(
        "observation", observation=observation_markdown(event.observation), cells_left=notes.cells_left
    )

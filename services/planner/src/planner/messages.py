"""Messages to the planner's model: system prompt and task, and results of catalog searches."""

from agent.loop.role import Prompts
from agent.model.messages import user_message
from agent.rendering.assignment import assignment_markdown
from agent.rendering.prices import materials_markdown
from agent.rendering.tables import number, percent
from contracts.criteria import NEAR_STALL_LIMIT_S, NEAR_STALL_SHARE
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed
from contracts.events.conversation import ToolAnswered
from contracts.events.design import DesignValidated
from contracts.events.run import EngineeringRequested
from contracts.models.assessment import STABLE_FROM
from contracts.models.benchmark import Environment
from contracts.models.continuation import Continuation
from contracts.models.conversation import Message
from contracts.skills import OfferedSkill
from contracts.text import shortened
from documents.markdown import one_line, table
from documents.shipped_skills import skill_lines
from parts_catalog.methods.registry import METHODS

from planner.estimates import COLUMNS, MAX_ESTIMATES
from planner.replies import MAX_SEARCHES

JOURNAL_CHARS = (2_000, 14_000)
"""Of the journal of earlier attempts: its first and last characters."""


LookedUp = CatalogSearched | CatalogSearchFailed | ToolAnswered


def first_messages(
    prompts: Prompts, request: EngineeringRequested, environment: Environment, skills: tuple[OfferedSkill, ...]
) -> tuple[Message, ...]:
    """Return system prompt and task, which quotes the user if the run continues another."""
    methods = [f"`{method}`" for method in METHODS]
    system = prompts.render(
        "system",
        materials=materials_markdown(),
        max_searches=MAX_SEARCHES,
        max_estimates=MAX_ESTIMATES,
        estimate_columns=" | ".join(COLUMNS),
        methods=", ".join(methods[:-1]) + f" or {methods[-1]}",
        replicas=DesignValidated.model_fields["replicas"].default,
        stable_from=percent(STABLE_FROM),
        near_stall_share=percent(NEAR_STALL_SHARE),
        near_stall_limit_s=number(NEAR_STALL_LIMIT_S),
    )
    parts = [assignment_markdown(request.assignment, environment)]
    if request.continues is not None:
        parts.append(_earlier_attempts(prompts, request.continues))
    task = prompts.render("task", assignment="\n\n".join(parts), skills=skill_lines("planner", skills))
    return Message(author="system", text=system), user_message(task)


def lookup_markdown(event: LookedUp, searches: int) -> str:
    """Return the result of a lookup; `searches` of the catalog were made so far."""
    return event.answer_md if isinstance(event, ToolAnswered) else search_markdown(event, searches)


def search_markdown(event: CatalogSearched | CatalogSearchFailed, searches: int) -> str:
    """Return the result of a search, and how many more are allowed after `searches`."""
    left = f"{MAX_SEARCHES - searches} searches are left."
    if isinstance(event, CatalogSearchFailed):
        return f"The search failed ({event.reason}): {one_line(event.detail)}\n\n{left}"
    note = f"> {one_line(event.note)}" if event.note else ""
    if not event.found:
        return "\n\n".join(part for part in ("Nothing fits.", note, left) if part)
    rows = [
        (find.id, f"{find.name}; {find.what}", number(find.unit_price_usd), find.reason, find.confidence)
        for find in event.found
    ]
    found = table(("id", "what", "USD", "why", "figures are"), rows)
    return "\n\n".join(part for part in (found, note, left) if part)


def _earlier_attempts(prompts: Prompts, continues: Continuation) -> str:
    """Quote the user and the journal, so that none of their headings and tables count as the assignment's."""
    journal = shortened(continues.journal_md.strip(), *JOURNAL_CHARS)
    attempts, says = len(continues.attempts), continues.says
    return prompts.render("continued", attempts=attempts, says=says, journal=journal, plan=continues.plan_md)

"""What planner's model is told at the beginning of a run."""

from agent.loop.prompts import Prompts
from agent.model.messages import user_message
from agent.rendering.assignment import assignment_markdown
from agent.rendering.materials import materials_markdown
from contracts.events.run import EngineeringRequested
from contracts.models.benchmark import Environment
from contracts.models.continuation import Continuation
from contracts.models.conversation import Message
from contracts.text import shortened

from planner.catalog_search import MAX_SEARCHES

JOURNAL_CHARS = (2_000, 14_000)
"""Of earlier attempts: the first and the last characters that are told."""


def told_at_first(prompts: Prompts, request: EngineeringRequested, environment: Environment) -> tuple[Message, ...]:
    """Return the role, the assignment and, if the run continues another, what the user says to that."""
    form, materials = prompts.render("form"), materials_markdown()
    system = prompts.render("system", form=form, materials=materials, max_searches=MAX_SEARCHES)
    parts = [assignment_markdown(request.assignment, environment)]
    if request.continues is not None:
        parts.append(_continued(prompts, request.continues))
    task = prompts.render("task", assignment="\n\n".join(parts))
    return Message(author="system", text=system), user_message(task)


def _continued(prompts: Prompts, continues: Continuation) -> str:
    """Write the user's words and the journal as quotations: no heading or table of theirs is the assignment's."""
    journal = shortened(continues.journal_md.strip(), *JOURNAL_CHARS)
    says = _quoted(continues.says)
    return prompts.render("continued", attempts=len(continues.attempts), says=says, journal=_quoted(journal))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.strip().splitlines()) or "> (nothing)"

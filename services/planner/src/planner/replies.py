"""Reads plans with their TODO lists that the planner's model writes in Markdown.

What is clear in a plan is accepted in any form; every problem is reported at once with its line in the reply.
"""

from agent.loop.replies import MalformedReplyError, require_text_only
from contracts.model import Model
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message
from documents import plan as plans
from documents import todo as todos
from documents.drafts.lines import document_text, in_draft
from documents.drafts.markdown import read_heading
from documents.drafts.plan import PlanDraft, draft_of
from documents.parser import MAX_LISTED, DocumentError, Problem, quoted
from pydantic import BaseModel, ConfigDict, Field

MAX_SEARCHES = 5
"""Per run: a plan names the parts to buy, it does not compare the whole catalog."""
_TOOL = "search_catalog"
_TODO = "## TODO"
_NO_OTHER_PLAN = "## No other plan"
OVER_LIMIT = "the estimate is over the limit"


class PlannedWork(Model):
    """plan.md and todo.md for the engineer."""

    plan_md: str
    todo_md: str


class CatalogSearch(BaseModel):
    """Find bought parts by words: one kind of thing, with figures and units."""

    model_config = ConfigDict(title=_TOOL, extra="forbid", strict=True)

    words: str = Field(
        min_length=1, max_length=500, description="Such as `a 12 V gear motor with at least 1 N m, cheap`."
    )


def read_end(reply: Message) -> str | None:
    """Return why there is no other plan, in one line, if the reply is that section; None for anything else.

    Raise `MalformedReplyError` if the section is empty.
    """
    first, _, rest = require_text_only(reply).strip().partition("\n")
    heading = read_heading(first, {"no other plan": _NO_OTHER_PLAN})
    if heading is None:
        return None
    why = " ".join(f"{heading.rest} {rest}".split())
    if not why:
        raise MalformedReplyError(f"Write below `{_NO_OTHER_PLAN}` in one sentence why no other idea can work.")
    return why


def read_plan(reply: Message, limits: Limits) -> PlannedWork:
    """Return plan and TODO list; raise `MalformedReplyError` if they are not clear, or over the limits.

    Figures over a limit are accepted only from a plan that names this as a risk: an estimate must not be bent to fit.
    """
    text = require_text_only(reply)
    draft, end = draft_of(text), text.count("\n") + 1
    plan, plan_problems = _read_plan(draft, limits, end)
    todo, todo_problems = _read_todo(draft, end)
    problems = [*plan_problems, *todo_problems]
    if plan is None or todo is None or problems:
        shown_problems = [f"- {problem}" for problem in problems[:MAX_LISTED]]
        cause = "form" if plan is None or todo is None else "content"
        raise MalformedReplyError("The plan cannot be used:\n" + "\n".join(shown_problems) + "\n", cause)
    return PlannedWork(plan_md=plan.markdown(), todo_md=todo.markdown())


def _read_plan(draft: PlanDraft, limits: Limits, end: int) -> tuple[plans.Plan | None, list[Problem]]:
    try:
        plan = plans.parse_plan(document_text(plans.TITLE, draft.plan))
    except DocumentError as error:
        return None, in_draft(error, draft.plan, end)
    heading = next(line.number for line in draft.plan if line.text == "## Parts")
    if any(each.risk.startswith(OVER_LIMIT) for each in plan.risks):
        return plan, []  # an honest estimate, which the design may still beat
    return plan, [_over_limit(each, heading) for each in plans.check_budget(plan, limits)]


def _over_limit(problem: Problem, line: int) -> Problem:
    fix = f"{problem.fix}; if no cheaper plan exists, add the risk `- {OVER_LIMIT}: …` and say how it may still fit"
    return problem.model_copy(update={"line": line, "fix": fix})


def _read_todo(draft: PlanDraft, end: int) -> tuple[todos.Todo | None, list[Problem]]:
    """Return the list and its problems."""
    if draft.todo is None:
        fix = f"end the reply with the section `{_TODO}`"
        return None, [Problem(line=end, reason=f"`{_TODO}` is missing", fix=fix)]
    try:
        todo = todos.parse_todo(document_text(todos.TITLE, draft.todo))
    except DocumentError as error:
        return None, in_draft(error, draft.todo, draft.todo_line)
    begun = [item for item in todo.items if item.state != "open"]
    fix = "write `- [ ]`: nothing is done before the engineer begins"
    return todo, [Problem(line=draft.todo_line, reason=f"{quoted(each.line)} is not open", fix=fix) for each in begun]

"""Reads plans with their TODO lists that the planner's model writes in Markdown.

A plan is read strictly, and every problem is reported at once with its line in the reply.
"""

from agent.loop.replies import MalformedReplyError, require_text_only
from contracts.model import Model
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message
from documents import plan as plans
from documents import todo as todos
from documents.parser import MAX_LISTED, DocumentError, Problem, quoted
from pydantic import BaseModel, ConfigDict, Field

MAX_SEARCHES = 5
"""Per run: a plan names the parts to buy, it does not compare the whole catalog."""
_TOOL = "search_catalog"
_TODO = "## TODO"
_NO_OTHER_PLAN = "## No other plan"
OVER_LIMIT = "the estimate is over the limit"
_TITLE_LINES = 2
"""A document has a title and an empty line before the lines of the reply."""


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
    text = require_text_only(reply).strip()
    if not text.startswith(_NO_OTHER_PLAN):
        return None
    why = " ".join(text.removeprefix(_NO_OTHER_PLAN).split())
    if not why:
        raise MalformedReplyError(f"Write below `{_NO_OTHER_PLAN}` in one sentence why no other idea can work.")
    return why


def read_plan(reply: Message, limits: Limits) -> PlannedWork:
    """Return plan and TODO list; raise `MalformedReplyError` if they break their form or the limits.

    Figures over a limit are accepted only from a plan that names this as a risk: an estimate must not be bent to fit.
    Text before the first section is ignored.
    """
    lines = require_text_only(reply).replace("\r\n", "\n").split("\n")
    first = next((index for index, line in enumerate(lines) if line.startswith("## ")), len(lines))
    lines[:first] = [""] * first
    end = next((index for index, line in enumerate(lines) if line.rstrip() == _TODO), len(lines))
    plan, plan_problems = _read_plan(lines[:end], limits)
    todo, todo_problems = _read_todo(lines, end)
    problems = [*plan_problems, *todo_problems]
    if plan is None or todo is None or problems:
        shown_problems = [f"- {problem}" for problem in problems[:MAX_LISTED]]
        raise MalformedReplyError("The plan cannot be used:\n" + "\n".join(shown_problems) + "\n")
    return PlannedWork(plan_md=plan.markdown(), todo_md=todo.markdown())


def _read_plan(lines: list[str], limits: Limits) -> tuple[plans.Plan | None, list[Problem]]:
    try:
        plan = plans.parse_plan("\n".join([plans.TITLE, "", *lines]))
    except DocumentError as error:
        return None, _in_reply(error)
    heading = next(number for number, line in enumerate(lines, start=1) if line.rstrip() == "## Parts")
    if any(each.risk.startswith(OVER_LIMIT) for each in plan.risks):
        return plan, []  # an honest estimate, which the design may still beat
    return plan, [_over_limit(each, heading) for each in plans.check_budget(plan, limits)]


def _over_limit(problem: Problem, line: int) -> Problem:
    fix = f"{problem.fix}; if no cheaper plan exists, add the risk `- {OVER_LIMIT}: …` and say how it may still fit"
    return problem.model_copy(update={"line": line, "fix": fix})


def _read_todo(lines: list[str], heading: int) -> tuple[todos.Todo | None, list[Problem]]:
    """Return the list below its heading, whose index is `heading`, and its problems."""
    if heading == len(lines):
        fix = f"end the reply with the section `{_TODO}`"
        return None, [Problem(line=len(lines), reason=f"`{_TODO}` is missing", fix=fix)]
    above = [""] * (heading + 1)
    try:
        todo = todos.parse_todo("\n".join([todos.TITLE, "", *above, *lines[heading + 1 :]]))
    except DocumentError as error:
        return None, _in_reply(error)
    begun = [item for item in todo.items if item.state != "open"]
    fix = "write `- [ ]`: nothing is done before the engineer begins"
    return todo, [Problem(line=heading + 1, reason=f"{quoted(each.line)} is not open", fix=fix) for each in begun]


def _in_reply(error: DocumentError) -> list[Problem]:
    """Return the problems with their lines in the reply instead of the document."""
    return [each.model_copy(update={"line": max(each.line - _TITLE_LINES, 1)}) for each in error.problems]

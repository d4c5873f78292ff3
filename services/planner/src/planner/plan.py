"""A plan as the model writes it, read strictly: every problem is told at once, with its line in the reply."""

from agent.loop.replies import MalformedReplyError, require_text_only
from contracts.model import Model
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message
from documents import plan as plans
from documents import todo as todos
from documents.problems import MAX_LISTED, DocumentError, Problem, quoted

_TODO = "## TODO"
_TITLE_LINES = 2
"""A document has a title and an empty line before what stands in the reply."""


class PlannedWork(Model):
    """What the engineer shall do: plan.md and todo.md."""

    plan_md: str
    todo_md: str


def read_reply(reply: Message, limits: Limits) -> PlannedWork:
    """Return plan and TODO list; raise `MalformedReplyError` if the reply keeps not to the form, or not to the limits.

    What stands before the first section is ignored.
    """
    lines = require_text_only(reply).replace("\r\n", "\n").split("\n")
    first = next((place for place, line in enumerate(lines) if line.startswith("## ")), len(lines))
    lines[:first] = [""] * first
    end = next((place for place, line in enumerate(lines) if line.rstrip() == _TODO), len(lines))
    plan, problems = _read_plan(lines[:end], limits)
    todo, wrong = _read_todo(lines, end)
    problems = [*problems, *wrong]
    if plan is None or todo is None or problems:
        told = [f"- {problem}" for problem in problems[:MAX_LISTED]]
        raise MalformedReplyError("The plan cannot be used as it stands:\n" + "\n".join(told) + "\n")
    return PlannedWork(plan_md=plan.markdown(), todo_md=todo.markdown())


def _read_plan(lines: list[str], limits: Limits) -> tuple[plans.Plan | None, list[Problem]]:
    """Return the plan, and what is wrong with it."""
    try:
        plan = plans.parse_plan("\n".join([plans.TITLE, "", *lines]))
    except DocumentError as error:
        return None, _in_reply(error)
    heading = next(number for number, line in enumerate(lines, start=1) if line.rstrip() == "## Parts")
    return plan, [each.model_copy(update={"line": heading}) for each in plans.check_budget(plan, limits)]


def _read_todo(lines: list[str], heading: int) -> tuple[todos.Todo | None, list[Problem]]:
    """Return the list beneath its heading, and what is wrong with it."""
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
    """Return the problems with their lines in the reply."""
    return [each.model_copy(update={"line": max(each.line - _TITLE_LINES, 1)}) for each in error.problems]

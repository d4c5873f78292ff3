"""A plan as the model writes it, read strictly."""

import re

from agent.replies import MalformedReplyError, require_text_only, sections
from contracts.conversation import Message
from contracts.model import Model

_ITEM = re.compile(r"- \[ \] T(?P<number>\d+): \S.*")


class Plan(Model):
    """What the engineer shall do, in words and as a list."""

    plan_md: str
    todo_md: str


def read_plan(reply: Message) -> Plan:
    """Return plan and TODO list; raise `MalformedReplyError` if the reply does not keep to the template."""
    found = sections(require_text_only(reply), ("Plan", "TODO"))
    for expected, line in enumerate(found["TODO"].splitlines(), start=1):
        item = _ITEM.fullmatch(line.rstrip())
        if item is None or int(item["number"]) != expected:
            raise MalformedReplyError(
                f"`## TODO` must hold only lines like `- [ ] T{expected}: what to do`, numbered from T1; "
                f"line {expected} is `{line[:80]}`."
            )
    return Plan(plan_md=f"# Plan\n\n{found['Plan']}\n", todo_md=f"# TODO\n\n{found['TODO']}\n")

"""A cell as a model writes it, read strictly: what it is for, why, what comes next, and the code."""

from contracts.model import Model
from contracts.models.conversation import Message

from agent.loop.replies import python_fence, require_text_only, sections

SECTIONS = ("Purpose", "Reasoning", "Next goal", "Code")


class CellAction(Model):
    """Run code in the kernel."""

    purpose: str
    reasoning: str
    next_goal: str
    code: str


def read_cell(reply: Message) -> CellAction:
    """Return the cell that a reply runs; raise `MalformedReplyError` if it is none, or not only one."""
    found = sections(require_text_only(reply), SECTIONS)
    return CellAction(
        purpose=found["Purpose"],
        reasoning=found["Reasoning"],
        next_goal=found["Next goal"],
        code=python_fence(found["Code"]),
    )

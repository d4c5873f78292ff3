"""Notes of the spatial-agent on a question."""

from agent.loop.replies import CellAction
from agent.loop.tool_calls import CallNotes
from contracts.events.question import QuestionAsked
from contracts.models.questions.answers import ValidAnswer
from contracts.models.questions.question import PrimitiveUse
from pydantic import NonNegativeInt


class SpatialNotes(CallNotes):
    """The spatial-agent's notes on a question."""

    asked: QuestionAsked | None = None
    plan_md: str = ""
    is_open: bool = False
    """Whether the kernel is ready, so that replies are actions."""
    steps: NonNegativeInt = 0
    """Model calls after the plan."""
    rejected_replies: NonNegativeInt = 0
    """Replies that could not be used, which cost nothing of the step limit."""
    cells: NonNegativeInt = 0
    """Requested up to now."""
    cell: CellAction | None = None
    """The cell that is running or ran last."""
    valid_answer: ValidAnswer | None = None
    """The last one that was accepted, from a cell that failed afterwards."""
    primitives: tuple[PrimitiveUse, ...] = ()
    ended: bool = False

    @property
    def steps_left(self) -> int:
        """How many more replies the limit allows."""
        assert self.asked is not None
        return max(0, self.asked.limits.max_steps - self.steps + self.rejected_replies)

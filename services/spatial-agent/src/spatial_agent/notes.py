"""Notes of the spatial-agent on a question."""

from agent.kernel_session.notes import CellNotes
from contracts.events.question import QuestionAsked
from contracts.models.questions.answers import ValidAnswer
from contracts.models.questions.question import PrimitiveUse
from pydantic import NonNegativeInt


class SpatialNotes(CellNotes):
    """The spatial-agent's notes on a question."""

    asked: QuestionAsked | None = None
    is_classic: bool = False
    """Whether perception works without models, since the images have no known scene and no server is there."""
    plan_md: str = ""
    is_open: bool = False
    """Whether the kernel is ready, so that replies are actions."""
    steps: NonNegativeInt = 0
    """Model calls after the plan."""
    rejected_replies: NonNegativeInt = 0
    """Replies that could not be used, which cost nothing of the step limit."""
    cells: NonNegativeInt = 0
    """Requested up to now."""
    valid_answer: ValidAnswer | None = None
    """The last one that was accepted, from a cell that failed afterwards."""
    primitives: tuple[PrimitiveUse, ...] = ()
    ended: bool = False

    @property
    def opening(self) -> QuestionAsked:
        """The question, once the run is open."""
        assert self.asked is not None
        return self.asked

    @property
    def steps_left(self) -> int:
        """How many more replies the limit allows."""
        return max(0, self.opening.limits.max_steps - self.steps + self.rejected_replies)

"""Notes of the engineer: what its policy keeps of a run besides the conversation."""

from agent.kernel_session.notes import SessionNotes
from contracts.events.plan import PlanApproved
from contracts.skills import OfferedSkill
from pydantic import NonNegativeInt


class EngineerNotes(SessionNotes):
    """The engineer's notes on a run."""

    plan: PlanApproved | None = None
    """The newest one."""
    skills: tuple[OfferedSkill, ...] = ()
    model_calls: NonNegativeInt = 0
    rejected_replies: NonNegativeInt = 0
    """Replies that could not be used, which cost nothing of the step budget."""
    rejections: NonNegativeInt = 0
    """Of designs and of refusals."""
    proof: str = ""
    """Of the newest refusal, in one line."""
    finished: bool = False

    @property
    def begins_journal(self) -> bool:
        """Whether journal.md was empty at first: no earlier attempt began it."""
        return self.plan is not None and self.plan.continues is None

    @property
    def replies_left(self) -> int:
        """How many more replies the step budget allows."""
        assert self.plan is not None
        return max(0, self.plan.budget.max_steps - self.model_calls + self.rejected_replies)

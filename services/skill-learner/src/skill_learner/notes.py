"""Notes of the skill-learner on one run, and the outcome when nothing is learned from it."""

from agent.loop.tool_calls import CallNotes
from contracts.envelope import answering
from contracts.events.run import RunSucceeded
from contracts.events.skill import LearningRequested, SkillRejected, SkillRejectionReason
from pydantic import NonNegativeInt


class LearnerNotes(CallNotes):
    """What it was asked, and what it has read."""

    request: RunSucceeded | LearningRequested | None = None
    model: str = ""
    calls_made: NonNegativeInt = 0
    read_tokens: NonNegativeInt = 0
    """Tokens of the first messages and of all answers of tools."""

    @property
    def skill(self) -> str:
        """The skill to change; empty: any."""
        return self.request.skill if isinstance(self.request, LearningRequested) else ""


def rejected(request: RunSucceeded | LearningRequested, reason: SkillRejectionReason, detail: str) -> SkillRejected:
    """Return the outcome of a run from which nothing is learned."""
    return SkillRejected(**answering(request, "skill-learner"), reason=reason, detail=detail)

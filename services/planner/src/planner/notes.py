"""Notes of the planner on a run."""

from agent.loop.tool_calls import CallNotes
from contracts.events.design import DesignApproved
from contracts.events.run import EngineeringRequested
from contracts.models.benchmark import Environment
from contracts.skills import OfferedSkill
from pydantic import NonNegativeInt

from planner.replies import PlannedWork


class PlannerNotes(CallNotes):
    """The planner's notes on a run."""

    request: EngineeringRequested | None = None
    environment: Environment | None = None
    skills: tuple[OfferedSkill, ...] = ()
    proposed: PlannedWork | None = None
    """The newest plan, as plan.md and todo.md of the workspace."""
    rejections: NonNegativeInt = 0
    """Plans that the critic rejected, or that the engineer proved impossible."""
    proof: str = ""
    """Of the newest refusal that was upheld, in one line."""
    searches: NonNegativeInt = 0
    estimates: NonNegativeInt = 0
    views: NonNegativeInt = 0
    """Of files."""
    approved: DesignApproved | None = None
    """The design that is being filmed."""
    ended: bool = False

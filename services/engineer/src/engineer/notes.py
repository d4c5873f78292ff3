"""Notes of the engineer: what its policy keeps of a run besides the conversation."""

from typing import Literal
from uuid import UUID

from agent.loop.replies import CellAction
from agent.loop.tool_calls import CallNotes
from contracts.events.plan import PlanApproved
from contracts.model import Model
from contracts.skills import OfferedSkill
from pydantic import NonNegativeInt, PositiveInt


class SeenCell(Model):
    """A completed cell, as a proof can cite it or its simulations."""

    event_id: UUID
    result: str
    """Shortened."""
    simulations: NonNegativeInt = 0


class Experiment(Model):
    """The journal entry to write with the next reply, which adds reflection and next step if the agent wrote none."""

    intent: str
    result: str
    reflection: str = ""
    next_step: str = ""
    about: Literal["trial", "simulation", "verdict", "chapter"] = "trial"
    film_md: str = ""
    key_frames: tuple[str, ...] = ()
    own_entries: tuple[PositiveInt, ...] = ()
    """Numbers of the agent's own entries in journal.md that it joins."""


class EngineerNotes(CallNotes):
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
    cells: tuple[SeenCell, ...] = ()
    """All completed cells of the run, in order."""
    cell: CellAction | None = None
    """The cell that is running or ran last."""
    experiment: Experiment | None = None
    """What goes into the journal with the next reply."""
    journal_entries: NonNegativeInt | None = None
    """The number of the newest entry in journal.md, once it is known."""
    open_simulations: tuple[PositiveInt, ...] = ()
    """Numbers of the simulations from which no journal entry concludes yet."""
    unwritten_entries: tuple[UUID, ...] = ()
    """`JournalEntryAdded` events that the session has not added to journal.md yet."""

    @property
    def simulations(self) -> int:
        """Simulations of the run so far."""
        return sum(cell.simulations for cell in self.cells)

    @property
    def replies_left(self) -> int:
        """How many more replies the step budget allows."""
        assert self.plan is not None
        return max(0, self.plan.budget.max_steps - self.model_calls + self.rejected_replies)

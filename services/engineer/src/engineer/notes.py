"""What engineer keeps of a run besides its conversation."""

from uuid import UUID

from agent.loop.cell_reply import CellAction
from contracts.events.plan import PlanApproved
from contracts.events.skill import OfferedSkill
from contracts.model import Model
from contracts.models.conversation import ToolCall
from pydantic import NonNegativeInt

from engineer.journal import Trial


class SeenCell(Model):
    """A completed cell, as far as a proof may point at it or at its simulations."""

    event_id: UUID
    told: str
    """What came of it, shortened."""
    simulations: NonNegativeInt = 0


class EngineerNotes(Model):
    """What engineer keeps of a run."""

    plan: PlanApproved | None = None
    """The newest one."""
    skills: tuple[OfferedSkill, ...] = ()
    model_calls: NonNegativeInt = 0
    rejections: NonNegativeInt = 0
    """Of designs, and of refusals."""
    finished: bool = False
    cells: tuple[SeenCell, ...] = ()
    """All of the run, in their order."""
    cell: CellAction | None = None
    """The cell that is running or ran last."""
    open_call: ToolCall | None = None
    """The tool call that waits for its answer."""
    trial: Trial | None = None
    """What goes into the journal with the next reply."""
    journal_entries: NonNegativeInt | None = None
    """The number of the newest entry in journal.md, once it is known."""

    @property
    def simulations(self) -> int:
        """How many there were in the run."""
        return sum(cell.simulations for cell in self.cells)

"""Notes of a role on its kernel session: the cells that it has seen, and what the journal does not have yet."""

from typing import Literal
from uuid import UUID

from contracts.model import Model
from pydantic import NonNegativeInt, PositiveInt

from agent.loop.replies import CellAction
from agent.loop.tool_calls import CallNotes


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


class CellNotes(CallNotes):
    """Notes of a role that runs cells."""

    cell: CellAction | None = None
    """The cell that is running or ran last."""


class SessionNotes(CellNotes):
    """Notes of a role that works on a design or a draft in a kernel session."""

    cells: tuple[SeenCell, ...] = ()
    """All completed cells of the run, in order."""
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
    def begins_journal(self) -> bool:
        """Whether journal.md was empty at first; an earlier attempt may have begun it."""
        return True

"""Notes of the engineer: what its policy keeps of a run besides the conversation."""

from typing import Literal, Self
from uuid import UUID

from agent.loop.replies import CellAction
from contracts.events.plan import PlanApproved
from contracts.events.skill import OfferedSkill
from contracts.model import Model
from contracts.models.conversation import Message, Picture, ToolCall
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


class EngineerNotes(Model):
    """The engineer's notes on a run."""

    plan: PlanApproved | None = None
    """The newest one."""
    skills: tuple[OfferedSkill, ...] = ()
    model_calls: NonNegativeInt = 0
    rejections: NonNegativeInt = 0
    """Of designs and of refusals."""
    proof: str = ""
    """Of the newest refusal, in one line."""
    finished: bool = False
    cells: tuple[SeenCell, ...] = ()
    """All completed cells of the run, in order."""
    cell: CellAction | None = None
    """The cell that is running or ran last."""
    open_call: ToolCall | None = None
    """The tool call that runs, or waits for its verdict."""
    waiting_calls: tuple[ToolCall, ...] = ()
    """The calls of the same reply that run after it, in order."""
    calls: NonNegativeInt = 0
    """How many calls that reply has."""
    pictures: tuple[Picture, ...] = ()
    """What its calls have shown; a message with them follows the answers."""
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
        return max(0, self.plan.budget.max_steps - self.model_calls)

    def answer(self, text: str, short_form: str = "") -> tuple[Self, Message]:
        """Return a message to the model, which closes the open tool call if there is one, and the notes after it."""
        if self.open_call is None:
            return self, Message(author="user", text=text, gist=short_form)
        message = Message(author="tool", text=text, gist=short_form, tool_call_id=self.open_call.call_id)
        return self.model_copy(update={"open_call": None}), message

    def skip_waiting_calls(self, why: str) -> tuple[Self, tuple[Message, ...]]:
        """Return an answer to each call that will not run, and the notes after them."""
        text = f"Not run, because {why}."
        skipped = [
            Message(author="tool", text=text, gist=text, tool_call_id=call.call_id) for call in self.waiting_calls
        ]
        return self.model_copy(update={"waiting_calls": ()}), tuple(skipped)

    def take_pictures(self) -> tuple[Self, tuple[Message, ...]]:
        """Return the message with the pictures that tool calls have shown, if any, and the notes after it."""
        if not self.pictures:
            return self, ()
        text = f"The pictures that the {'call has' if self.calls <= 1 else 'calls have'} shown:"
        message = Message(author="user", text=text, gist="pictures", images=self.pictures)
        return self.model_copy(update={"pictures": ()}), (message,)

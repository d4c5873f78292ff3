"""The loop of a role that acts in a kernel: the calls of a reply run one after the other, then the model is asked."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from contracts.envelope import Event
from contracts.events.session import CellCompleted
from contracts.models.conversation import Message, ToolCall

from agent.kernel_session.notes import CellNotes
from agent.loop.role import Decision, Reaction, StepEvents

N = TypeVar("N", bound=CellNotes)
A = TypeVar("A")
"""What its replies can be."""


class KernelRole(ABC, Generic[N, A]):
    """A role whose replies are actions in its kernel."""

    @abstractmethod
    def ask(self, notes: N, events: StepEvents, *messages: Message) -> Reaction[N]:
        """Call the model, or end the work at a limit."""

    @abstractmethod
    def read_call(self, call: ToolCall, notes: N) -> A:
        """Return the action of a call beside others; raise `MalformedReplyError`."""

    @abstractmethod
    def request(self, notes: N, action: A, events: StepEvents) -> tuple[N, Event]:
        """Return the request that carries out an action, and the notes after it."""

    def act(self, reply: Message, action: A, notes: N, events: StepEvents) -> Decision[N]:
        """Carry out a reply's first action."""
        notes, request = self.request(notes.begin_calls(reply), action, events)
        return Decision(notes, (request,))

    def after_cell(self, event: CellCompleted, notes: N, events: StepEvents, answer: Message) -> Reaction[N]:
        """Go on after a cell; one that failed ends the reply's calls."""
        if event.observation.status != "ok":
            return self.end_calls(notes, events, answer, "failed")
        return self.next_call(notes, events, answer)

    def next_call(self, notes: N, events: StepEvents, answer: Message) -> Reaction[N]:
        """Request the reply's next action, without asking the model; after the last one ask it."""
        if not notes.waiting_calls:
            return self.end_calls(notes, events, answer)
        action = self.read_call(notes.waiting_calls[0], notes)
        notes, entries = self.before_next_call(notes.begin_next_call(), action, events)
        notes, request = self.request(notes, action, events)
        return Reaction(notes, (answer,), decided=(*entries, request))

    def before_next_call(
        self,
        notes: N,
        action: A,  # noqa: ARG002 - for roles with a journal
        events: StepEvents,  # noqa: ARG002
    ) -> tuple[N, tuple[Event, ...]]:
        """Return what is noted before a call beside others, and the notes after it."""
        return notes, ()

    def end_calls(self, notes: N, events: StepEvents, answer: Message, outcome: str = "") -> Reaction[N]:
        """Ask the model; the reply's calls that did not run, since this one ended in `outcome`, are answered so."""
        notes, others = notes.end_calls(outcome)
        return self.ask(notes, events, answer, *others)

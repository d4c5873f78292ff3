"""The loop of a role that acts in a kernel: the calls of a reply run one after the other, then the model is asked."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, FileRefused, FileViewed, FileWritten
from contracts.models.conversation import Message, ToolCall

from agent.kernel_session.actions import Action, CallAction, request_for
from agent.kernel_session.experiments import add_journal_entry, close_experiment, with_file
from agent.kernel_session.messages import file_result
from agent.kernel_session.notes import CellNotes, SessionNotes
from agent.loop.role import Decision, Reaction, StepEvents

N = TypeVar("N", bound=CellNotes)
S = TypeVar("S", bound=SessionNotes)


class KernelRole(ABC, Generic[N]):
    """A role whose replies are actions in its kernel."""

    @abstractmethod
    def ask(self, notes: N, events: StepEvents, *messages: Message) -> Reaction[N]:
        """Call the model, or end the work at a limit."""

    @abstractmethod
    def read_call(self, call: ToolCall, notes: N) -> Action:
        """Return the action of a call beside others; raise `MalformedReplyError`."""

    @abstractmethod
    def request(self, notes: N, action: Action, events: StepEvents) -> tuple[N, Event]:
        """Return the request that carries out an action, and the notes after it."""

    def act(self, reply: Message, action: Action, notes: N, events: StepEvents) -> Decision[N]:
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
        action: Action,  # noqa: ARG002 - for roles with a journal
        events: StepEvents,  # noqa: ARG002
    ) -> tuple[N, tuple[JournalEntryAdded, ...]]:
        """Return what is noted before a call beside others, and the notes after it."""
        return notes, ()

    def end_calls(self, notes: N, events: StepEvents, answer: Message, outcome: str = "") -> Reaction[N]:
        """Ask the model; the reply's calls that did not run, since this one ended in `outcome`, are answered so."""
        notes, others = notes.end_calls(outcome)
        return self.ask(notes, events, answer, *others)


class WorkspaceRole(KernelRole[S]):
    """A role that also edits the files of its workspace, and notes its experiments in a journal."""

    def request(self, notes: S, action: Action, events: StepEvents) -> tuple[S, Event]:
        """Return the request that carries out an action, and the notes after it."""
        request, update = request_for(action, notes.unwritten_entries, events)
        return notes.model_copy(update={**update, "unwritten_entries": ()}), request

    def act(self, reply: Message, action: Action, notes: S, events: StepEvents) -> Decision[S]:
        """Write what the last experiment taught into the journal, and carry out a reply's first action."""
        notes, entries = add_journal_entry(notes, action, events)
        decision = super().act(reply, action, notes, events)
        return Decision(decision.notes, (*entries, *decision.decided))

    def before_next_call(self, notes: S, action: Action, events: StepEvents) -> tuple[S, tuple[JournalEntryAdded, ...]]:
        """Close the experiment: a cell may hold the next one. It is noted as it is, and a later reply concludes."""
        if not isinstance(action, CallAction):
            return notes, ()
        return close_experiment(notes, events, next_step=action.cell.purpose)

    def answer_file_call(
        self, event: FileWritten | FileViewed | FileRefused, notes: S, events: StepEvents
    ) -> Reaction[S]:
        """Answer the open call of a file tool, and go on; a refused one ends the reply's calls."""
        if notes.open_call is None:
            return Reaction(notes)
        notes, message = with_file(notes, event).answer(file_result(event, notes.open_call.name))
        if isinstance(event, FileRefused):
            return self.end_calls(notes, events, message, "failed")
        return self.next_call(notes, events, message)

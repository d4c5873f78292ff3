"""A role that works in the workspace of its kernel: it also edits files, and notes its experiments in a journal."""

from typing import TypeVar

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import FileRefused, FileViewed, FileWritten
from contracts.models.conversation import Message

from agent.kernel_session.actions import Action, CallAction, request_for
from agent.kernel_session.experiments import add_journal_entry, close_experiment, with_file
from agent.kernel_session.kernel_role import KernelRole
from agent.kernel_session.messages import file_result
from agent.kernel_session.notes import SessionNotes
from agent.loop.role import Decision, Reaction, StepEvents

N = TypeVar("N", bound=SessionNotes)


class WorkspaceRole(KernelRole[N, Action]):
    """A role whose replies are cells, and edits of the files in its workspace."""

    def request(self, notes: N, action: Action, events: StepEvents) -> tuple[N, Event]:
        """Return the request that carries out an action, and the notes after it."""
        request, update = request_for(action, notes.unwritten_entries, events)
        return notes.model_copy(update={**update, "unwritten_entries": ()}), request

    def act(self, reply: Message, action: Action, notes: N, events: StepEvents) -> Decision[N]:
        """Write what the last experiment taught into the journal, and carry out a reply's first action."""
        notes, entries = add_journal_entry(notes, action, events)
        decision = super().act(reply, action, notes, events)
        return Decision(decision.notes, (*entries, *decision.decided))

    def before_next_call(self, notes: N, action: Action, events: StepEvents) -> tuple[N, tuple[JournalEntryAdded, ...]]:
        """Close the experiment: a cell may hold the next one. It is noted as it is, and a later reply concludes."""
        if not isinstance(action, CallAction):
            return notes, ()
        return close_experiment(notes, events, next_step=action.cell.purpose)

    def answer_file_call(
        self, event: FileWritten | FileViewed | FileRefused, notes: N, events: StepEvents
    ) -> Reaction[N]:
        """Answer the open call of a file tool, and go on; a refused one ends the reply's calls."""
        if notes.open_call is None:
            return Reaction(notes)
        notes, message = with_file(notes, event).answer(file_result(event, notes.open_call.name))
        if isinstance(event, FileRefused):
            return self.end_calls(notes, events, message, "failed")
        return self.next_call(notes, events, message)

"""From what was tried to the journal: a trial is kept until the next reply says what it taught."""

from agent.loop.cell_reply import CellAction
from agent.loop.role import StepEvents
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, FileRefused, FileViewed, FileWritten

from engineer.action import Action, CallAction, FileAction, ScriptAction
from engineer.files import deed
from engineer.journal import Trial, last_number, own_words, trial_of
from engineer.notes import EngineerNotes

JOURNAL = "journal.md"
_VERDICT_CHARS = 400


def with_trial(notes: EngineerNotes, event: CellCompleted) -> EngineerNotes:
    """Return the notes with what a cell has tried, or what the agent has written down in it."""
    trial = trial_of(event, notes.cell, notes.journal_entries or 0)
    written = last_number(event.journal_md or "") or notes.journal_entries
    return notes.model_copy(update={"trial": trial or notes.trial, "journal_entries": written})


def with_file(notes: EngineerNotes, event: FileWritten | FileViewed | FileRefused) -> EngineerNotes:
    """Return the notes with what the agent has written into journal.md as a file.

    Of a journal that an earlier attempt began nothing is known until then: its newest entry alone counts as new.
    """
    if not isinstance(event, FileWritten) or event.path != JOURNAL or event.text is None:
        return notes
    last = last_number(event.text)
    seen = last - 1 if notes.journal_entries is None else notes.journal_entries
    trial = own_words(event.text, after=seen)
    return notes.model_copy(update={"trial": trial or notes.trial, "journal_entries": last})


def with_verdict(notes: EngineerNotes, result: str) -> EngineerNotes:
    """Return the notes with what came of a submission."""
    intent = notes.cell.purpose if notes.cell else "submit the design"
    trial = Trial(intent=intent, result=result[:_VERDICT_CHARS], about="verdict")
    return notes.model_copy(update={"trial": trial})


def gist_of_trial(notes: EngineerNotes) -> str:
    """Return the trial in one line."""
    assert notes.trial is not None
    return " ".join(f"{notes.trial.intent}: {notes.trial.result}".split())


def entries(notes: EngineerNotes, action: Action, pen: StepEvents) -> tuple[JournalEntryAdded, ...]:
    """Return what goes into the journal now that a reply was given to the last trial."""
    trial = notes.trial
    if trial is None:
        return ()
    reflection, next_step = _said(action)
    own = {"reflection": trial.reflection or reflection, "next_step": trial.next_step or next_step}
    return (pen.journal_entry(**trial.model_dump(exclude=set(own)), **own),)


def _said(action: Action) -> tuple[str, str]:
    """Return what a reply concludes, and what it does next."""
    match action:
        case CellAction():
            return action.reasoning, action.purpose
        case CallAction(cell=cell):
            return cell.reasoning, cell.purpose
        case FileAction():
            return action.thought, deed(action.wanted)
        case ScriptAction():
            return action.reasoning, "write script.py"

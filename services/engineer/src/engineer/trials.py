"""From what was tried to the journal: a trial is kept until the next reply says what it taught."""

from agent.cells import CellAction
from agent.conduct import Pen
from contracts.conversation import JournalEntryAdded
from contracts.session import CellCompleted

from engineer.action import Action, CallAction, FileAction, ScriptAction
from engineer.files import deed
from engineer.journal import Trial, result_of, tries_a_design
from engineer.notes import EngineerNotes

_VERDICT_CHARS = 400


def with_trial(notes: EngineerNotes, event: CellCompleted) -> EngineerNotes:
    """Return the notes with what a cell has tried, if it tried a design."""
    if notes.cell is None or not tries_a_design(notes.cell.code):
        return notes
    trial = Trial(intent=notes.cell.purpose, result=result_of(event.observation))
    return notes.model_copy(update={"trial": trial})


def with_verdict(notes: EngineerNotes, result: str) -> EngineerNotes:
    """Return the notes with what came of a submission."""
    intent = notes.cell.purpose if notes.cell else "submit the design"
    return notes.model_copy(update={"trial": Trial(intent=intent, result=result[:_VERDICT_CHARS])})


def gist_of_trial(notes: EngineerNotes) -> str:
    """Return the trial in one line."""
    assert notes.trial is not None
    return " ".join(f"{notes.trial.intent}: {notes.trial.result}".split())


def entries(notes: EngineerNotes, action: Action, pen: Pen) -> tuple[JournalEntryAdded, ...]:
    """Return what goes into the journal now that a reply was given to the last trial."""
    trial = notes.trial
    if trial is None:
        return ()
    reflection, next_step = _said(action)
    entry = pen.write(
        JournalEntryAdded, intent=trial.intent, result=trial.result, reflection=reflection, next_step=next_step
    )
    return (entry,)


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

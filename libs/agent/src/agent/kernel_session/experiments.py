"""Experiments in a kernel session: completed cells as evidence, and what of them goes into the journal.

A priced, previewed or submitted design, a verdict, or an entry in the agent's own words becomes a journal entry with
the next reply, which says what the experiment taught. A file call without a text says nothing: the reply after it
counts. With its next request the session adds the entry to journal.md, the one journal of the run.
"""

import re
from collections.abc import Sequence
from typing import TypeVar

from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, FileRefused, FileViewed, FileWritten
from contracts.models.observation import Observation
from documents.journal import JournalEntry, read_addition
from documents.parser import DocumentError

from agent.kernel_session.actions import (
    Action,
    CallAction,
    EditFile,
    FileAction,
    FileTool,
    ScriptAction,
    ViewFile,
    WriteFile,
)
from agent.kernel_session.notes import Experiment, SeenCell, SessionNotes
from agent.loop.replies import CellAction
from agent.loop.role import StepEvents

N = TypeVar("N", bound=SessionNotes)
JOURNAL = "journal.md"
_TRIES = re.compile(r"\b(?:simulate|validate_and_price|submit|submit_for_review)\(")
_RESULT_CHARS = 400
_FILM_CHARS = 4_000
_FIELD_CHARS = 2_000


def with_cell(notes: N, event: CellCompleted) -> N:
    """Return the notes with a completed cell, and with its experiment if it was one."""
    result = result_of(event.observation)
    cell = SeenCell(event_id=event.id, result=result, simulations=event.simulations)
    entries = journal_entries(event.journal_md or "")
    experiment = _experiment_of(event, notes.cell, own_entry(entries))
    last = entries[-1].number if entries else notes.journal_entries
    simulated = range(notes.simulations + 1, notes.simulations + event.simulations + 1)
    update = {
        "cells": (*notes.cells, cell),
        "experiment": experiment or notes.experiment,
        "journal_entries": last,
        "open_simulations": (*notes.open_simulations, *simulated),
    }
    return notes.model_copy(update=update)


def with_file(notes: N, event: FileWritten | FileViewed | FileRefused) -> N:
    """Return the notes with what the agent wrote into journal.md by a file tool.

    New are entries without a coverage. If an earlier attempt began the journal, its length is unknown until now: only
    the newest entry counts as new.
    """
    if not isinstance(event, FileWritten) or event.path != JOURNAL or event.text is None:
        return notes
    entries = journal_entries(event.text)
    last = entries[-1].number if entries else 0
    known = newest_entry(notes)
    own = own_entry(entries, after=last - 1 if known is None else known)
    if own is not None and notes.experiment is not None and notes.experiment.about == "simulation":
        seen = notes.experiment
        film = {"about": seen.about, "film_md": seen.film_md, "key_frames": seen.key_frames}
        own = own.model_copy(update=film)
    return notes.model_copy(update={"experiment": own or notes.experiment, "journal_entries": last})


def with_verdict(notes: N, result: str) -> N:
    """Return the notes with the result of a submission, beside the agent's own words on it if there are any."""
    intent = notes.cell.purpose if notes.cell else "submit the design"
    experiment = Experiment(intent=intent, result=result[:_RESULT_CHARS], about="verdict")
    own = notes.experiment
    if own is not None and own.own_entries:
        experiment = own.model_copy(update={"result": f"{own.result}; {experiment.result}", "about": "verdict"})
    return notes.model_copy(update={"experiment": experiment})


def newest_entry(notes: SessionNotes) -> int | None:
    """Return the number of the newest entry in journal.md; None if an earlier attempt began it and it was not seen."""
    return 0 if notes.journal_entries is None and notes.begins_journal else notes.journal_entries


def summarize_experiment(notes: SessionNotes) -> str:
    """Return the open experiment in one line."""
    assert notes.experiment is not None
    return " ".join(f"{notes.experiment.intent}: {notes.experiment.result}".split())


def add_journal_entry(notes: N, action: Action, events: StepEvents) -> tuple[N, tuple[JournalEntryAdded, ...]]:
    """Return the journal entry for the open experiment, if there is one, and the notes after it.

    `action` is the reply to the experiment. A file call without a text leaves the experiment to the next reply.
    """
    reflection, next_step = _conclusion(action)
    has_own_words = notes.experiment is not None and bool(notes.experiment.own_entries)
    if isinstance(action, FileAction) and not reflection.strip() and not has_own_words:
        return notes, ()
    return close_experiment(notes, events, reflection, next_step)


def close_experiment(
    notes: N, events: StepEvents, reflection: str = "", next_step: str = ""
) -> tuple[N, tuple[JournalEntryAdded, ...]]:
    """Return the journal entry for the open experiment, if there is one, and the notes after it.

    The agent's own words come before these. With a reflection it concludes all simulations that are open.
    """
    experiment = notes.experiment
    if experiment is None:
        return notes, ()
    reflection = experiment.reflection or reflection
    concluded = notes.open_simulations if reflection.strip() else ()
    entry = JournalEntryAdded(
        **events.next_entry(),
        intent=experiment.intent,
        result=experiment.result,
        reflection=reflection,
        next_step=experiment.next_step or next_step,
        about=experiment.about,
        film_md=experiment.film_md,
        key_frames=experiment.key_frames,
        simulations=concluded,
        own_entries=experiment.own_entries,
    )
    newest = newest_entry(notes)
    update = {
        "experiment": None,
        "open_simulations": () if concluded else notes.open_simulations,
        "unwritten_entries": (*notes.unwritten_entries, entry.id),
        "journal_entries": newest if newest is None or experiment.own_entries else newest + 1,
    }
    return notes.model_copy(update=update), (entry,)


def tries_a_design(code: str) -> bool:
    """Return whether a cell prices, previews or submits a design."""
    return _TRIES.search(code) is not None


def result_of(observation: Observation) -> str:
    """Return the result of a cell, shortened."""
    if observation.error is not None:
        return f"{observation.status}: {observation.error.type}: {observation.error.message}"[:_RESULT_CHARS]
    return f"{observation.status}: {observation.output.strip()}"[:_RESULT_CHARS]


def journal_entries(text: str) -> tuple[JournalEntry, ...]:
    """Return the entries in journal.md or in an addition to it; none if it does not keep its form."""
    try:
        return read_addition(text)
    except DocumentError:  # only in a workspace from before the form was enforced
        return ()


def own_entry(entries: Sequence[JournalEntry], after: int = 0) -> Experiment | None:
    """Return the agent's own entries beyond the number `after`, joined into one; None if there are none."""
    new = [each for each in entries if each.number > after and each.covers is None]
    if not new:
        return None
    names = ("intent", "result", "reflection", "next_step")
    joined = {name: "; ".join(getattr(each, name) for each in new)[:_FIELD_CHARS] for name in names}
    numbers = [each.number for each in new]
    return Experiment.model_validate({"about": "chapter", "own_entries": numbers, **joined})


def _experiment_of(event: CellCompleted, cell: CellAction | None, own: Experiment | None) -> Experiment | None:
    """Return the experiment of a cell, in the agent's own words if it wrote any; None if the cell tried nothing."""
    is_simulation = event.simulations > 0
    purpose, code = (cell.purpose, cell.code) if cell else ("", "")
    if own is None and not is_simulation and not tries_a_design(code):
        return None
    experiment = own or Experiment(intent=purpose, result=result_of(event.observation))
    if not is_simulation:
        return experiment
    frames = tuple(image.id for image in event.observation.images if image.id)
    update = {"about": "simulation", "film_md": event.simulated_md[:_FILM_CHARS], "key_frames": frames}
    return experiment.model_copy(update=update)


def _conclusion(action: Action) -> tuple[str, str]:
    """Return what a reply concludes, and what it does next."""
    match action:
        case CellAction():
            return action.reasoning, action.purpose
        case CallAction(cell=cell):
            return cell.reasoning, cell.purpose
        case FileAction():
            return action.thought, _purpose(action.arguments)
        case ScriptAction():
            return action.reasoning, "write script.py"


def _purpose(arguments: FileTool) -> str:
    match arguments:
        case ViewFile():
            return f"view {arguments.path}"
        case EditFile():
            return f"edit {arguments.path}"
        case WriteFile():
            return f"write {arguments.path}"

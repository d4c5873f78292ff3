"""What comes back from the workspace, as the model reads it."""

from agent.context.observation_summary import image_of_step, stopped_at, summary_of_observation
from agent.loop.prompts import Prompts
from contracts.events.session import CellCompleted
from contracts.models.conversation import Message
from documents.observation import observation_markdown

from engineer.journal import result_of
from engineer.notes import EngineerNotes, SeenCell


def with_cell(notes: EngineerNotes, event: CellCompleted) -> EngineerNotes:
    """Return the notes with one more cell that a proof can cite."""
    told = result_of(event.observation)
    cell = SeenCell(event_id=event.id, told=told, simulations=event.simulations)
    return notes.model_copy(update={"cells": (*notes.cells, cell)})


def answered(notes: EngineerNotes, text: str, gist: str = "") -> tuple[EngineerNotes, Message]:
    """Return what is told as the answer to the tool call that waits for one, if one does."""
    call = notes.open_call
    if call is None:
        return notes, Message(author="user", text=text, gist=gist)
    answer = Message(author="tool", text=text, gist=gist, tool_call_id=call.call_id)
    return notes.model_copy(update={"open_call": None}), answer


def observed(prompts: Prompts, event: CellCompleted, notes: EngineerNotes) -> tuple[EngineerNotes, tuple[Message, ...]]:
    """Return the observation of the newest cell; pictures that a tool call led to follow its answer."""
    seen = event.observation
    text = prompts.render("observation", number=_numbers(notes), observation=observation_markdown(seen))
    notes, message = answered(notes, text, summary_of_observation(seen, notes.cell.purpose if notes.cell else ""))
    message = message.model_copy(update={"stopped_at_line": stopped_at(seen)})
    images = tuple(map(image_of_step, seen.images))
    if message.author == "user" or not images:
        return notes, (message.model_copy(update={"images": images}),)
    pictures = Message(author="user", text="The pictures that the call has shown:", gist="pictures", images=images)
    return notes, (message, pictures)


def _numbers(notes: EngineerNotes) -> str:
    """Say by which numbers the newest cell and its simulations can be cited."""
    cell, last = f"cell {len(notes.cells)}", notes.simulations
    new = notes.cells[-1].simulations
    if not new:
        return cell
    return f"{cell}, simulation {last}" if new == 1 else f"{cell}, simulations {last - new + 1} to {last}"

"""Stand-ins for steps that do not fit into a prompt: journal entries about them, and the model's own summary."""

from collections.abc import Iterable

from contracts.events.conversation import ModelCalled
from contracts.model import Model
from contracts.models.conversation import Message
from pydantic import NonNegativeInt, PositiveInt

from agent.context.summary_form import checked_summary


class JournalLine(Model):
    """A journal entry in one line."""

    number: PositiveInt
    last_step: NonNegativeInt
    """The entry covers the steps after the previous entry's last step, up to this one."""
    text: str


class Summary(Model):
    """The model's summary of the oldest steps."""

    steps: NonNegativeInt = 0
    """Covers steps 1 to this one; 0: no steps."""
    text: str = ""


class StandIns(Model):
    """All stand-ins at one moment of a conversation."""

    journal_lines: tuple[JournalLine, ...] = ()
    summary: Summary = Summary()


def summary_of_call(called: ModelCalled) -> Summary | None:
    """Return the summary that a call of purpose `memory` produced; None if the model refused or replied nothing."""
    if called.ending == "refused" or not called.reply.text.strip():
        return None
    text = checked_summary(called.new_messages[0].text, called.reply.text)
    return Summary(steps=called.condensed.recollected_steps, text=text) if text else None


def count_steps(messages: Iterable[Message]) -> int:
    """Return the number of steps in a conversation: each begins with a reply of the model."""
    return sum(message.author == "assistant" for message in messages)


def journal_lines_within(stand_ins: StandIns, first: int, last: int) -> list[tuple[range, str]]:
    """Return the journal lines about steps `first` to `last` and no others, each with the steps that it covers."""
    found: list[tuple[range, str]] = []
    begin = 1
    for entry in stand_ins.journal_lines:
        if begin > entry.last_step:
            continue  # about a reply that could not be used, which is not a step
        if first <= begin and entry.last_step <= last:
            line = f"- steps {begin} to {entry.last_step}, by entry {entry.number} of the journal: {entry.text}"
            found.append((range(begin, entry.last_step + 1), line))
        begin = entry.last_step + 1
    return found


def forgotten_line(first: int, last: int) -> str:
    """Return the line for steps of which a prompt shows nothing else."""
    return f"- steps {first} to {last}: too long ago to be told"

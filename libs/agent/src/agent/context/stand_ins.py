"""What stands for steps that a prompt has no room for: what was written down of them, and what was summed up."""

from collections.abc import Iterable

from contracts.events.conversation import ModelCalled
from contracts.model import Model
from contracts.models.conversation import Message
from pydantic import NonNegativeInt, PositiveInt

MOST_CHARS = 6_000
"""Of what was summed up; the rest of it is not told again."""
LEAST_BUDGET_TOKENS = 8_000
"""In a smaller window there is no room for what is summed up beside what must stand."""


class Noted(Model):
    """An entry of the journal, in one line."""

    number: PositiveInt
    to_step: NonNegativeInt
    """The last step that it is about; it begins after the one before."""
    words: str


class Summary(Model):
    """What a model has summed up of the oldest steps."""

    steps: NonNegativeInt = 0
    """From the first one on; 0: nothing."""
    text: str = ""


class Memories(Model):
    """All of it, at one moment."""

    noted: tuple[Noted, ...] = ()
    summary: Summary = Summary()


def summary_in(called: ModelCalled) -> Summary | None:
    """Return what a call of the purpose `memory` has summed up; None: nothing that can stand for anything."""
    text = called.reply.text.strip()
    if called.ending == "refused" or not text:
        return None
    return Summary(steps=called.condensed.recollected_steps, text=text)


def replies_in(messages: Iterable[Message]) -> int:
    """Return how many steps these messages begin."""
    return sum(message.author == "assistant" for message in messages)


def entries_within(memories: Memories, first: int, last: int) -> list[tuple[range, str]]:
    """Return the entries about some of these steps and no others: which steps, and what stands for them."""
    found: list[tuple[range, str]] = []
    begin = 1
    for noted in memories.noted:
        if begin > noted.to_step:
            continue  # about a reply that could not be read
        if first <= begin and noted.to_step <= last:
            line = f"- steps {begin} to {noted.to_step}, by entry {noted.number} of the journal: {noted.words}"
            found.append((range(begin, noted.to_step + 1), line))
        begin = noted.to_step + 1
    return found


def gone(first: int, last: int) -> str:
    """Return the line of steps of which nothing more is told."""
    return f"- steps {first} to {last}: too long ago to be told"

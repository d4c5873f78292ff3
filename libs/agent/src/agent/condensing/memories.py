"""What stands for steps that a prompt has no room for: what was written down of them, and what was summed up."""

from collections.abc import Iterable, Sequence

from contracts.conversation import Message
from contracts.model import Model
from pydantic import NonNegativeInt, PositiveInt

MOST_CHARS = 6_000
"""Of what was summed up; the rest of it is not told again."""


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


def replies_in(messages: Iterable[Message]) -> int:
    """Return how many steps these messages begin."""
    return sum(message.author == "assistant" for message in messages)


def told_steps(memories: Memories, first: int, last: int) -> list[str]:
    """Return a line for each entry about some of these steps alone, and for each gap between; all are counted."""
    lines: list[str] = []
    begin = first
    for from_step, noted in _spans(memories.noted):
        if from_step < begin or not begin <= noted.to_step <= last:
            continue
        if begin < from_step:
            lines.append(gone(begin, from_step - 1))
        lines.append(f"- steps {from_step} to {noted.to_step}, by entry {noted.number} of the journal: {noted.words}")
        begin = noted.to_step + 1
    return [*lines, gone(begin, last)] if begin <= last else lines


def gone(first: int, last: int) -> str:
    """Return the line of steps of which nothing more is told."""
    return f"- steps {first} to {last}: too long ago to be told"


def _spans(noted: Sequence[Noted]) -> Iterable[tuple[int, Noted]]:
    begin = 1
    for each in noted:
        if begin <= each.to_step:
            yield begin, each
            begin = each.to_step + 1

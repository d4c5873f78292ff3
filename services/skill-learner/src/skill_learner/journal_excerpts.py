"""What the engineer's journal tells a learner: first what was written down, then the words behind what went wrong.

A run's whole record would drown whoever reads it. An entry takes a line; only where something failed and was resolved
the conversation itself is opened, at the reply that answered the failure.
"""

from collections.abc import Sequence

from agent.journal.entries import entry_line
from agent.journal.escaping import fenced
from agent.journal.reader import RoleJournal
from agent.journal.timeline import TimelineMessage

MOST_ENTRIES = 30
"""Told in a line each: the first and the last of more."""
PASSAGE_CHARS = 900


def written_down(journal: RoleJournal) -> str:
    """Return the entries in a line each, bounded."""
    lines = [
        f"- entry {entry.number} ({entry.about}), tokens {entry.from_token} to {entry.to_token}: {entry_line(entry)}"
        for entry in journal.entries
    ]
    half = MOST_ENTRIES // 2
    if len(lines) > MOST_ENTRIES:
        lines = [*lines[:half], f"- … {len(lines) - 2 * half} more …", *lines[-half:]]
    return "\n".join(lines) or "Nothing was written down."


def passage(journal: RoleJournal, step: int) -> str:
    """Return what the engineer replied at a step, with its place in the journal; nothing if the record lacks it."""
    found = [each for each in journal.timeline.messages if each.step == step and each.message.author == "assistant"]
    if not found or not found[0].message.text.strip():
        return ""
    reply = found[0]
    text = reply.message.text.strip()
    more = " …" if len(text) > PASSAGE_CHARS else ""
    place = f"tokens {reply.from_token} to {reply.to_token}, {_chapter(journal, reply)}"
    return f"What was said then ({place}):\n\n{fenced(text[:PASSAGE_CHARS] + more)}"


def _chapter(journal: RoleJournal, said: TimelineMessage) -> str:
    numbers: Sequence[int] = [
        entry.number for entry in journal.entries if entry.from_token <= said.from_token < entry.to_token
    ]
    return f"entry {numbers[0]} of the journal" if numbers else "of which nothing was written down"

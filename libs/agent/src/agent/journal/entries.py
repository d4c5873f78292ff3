"""What an entry itself says."""

from collections.abc import Iterable

from contracts.events.conversation import JournalEntryAdded

from agent.journal.escaping import fenced, one_line

_FIELD_CHARS = 800
_FILM_CHARS = 2_000
_TOLD_CHARS = 160
_ID_CHARS = 40


def entry_markdown(entry: JournalEntryAdded) -> str:
    """Return an entry as Markdown, under a heading of the third level: bounded, and escaped."""
    lines = [
        f"### Entry {entry.number} ({entry.about}), tokens {entry.from_token} to {entry.to_token}",
        "",
        f"- Intent: {one_line(entry.intent, _FIELD_CHARS)}",
        f"- Result: {one_line(entry.result, _FIELD_CHARS)}",
        f"- Reflection: {one_line(entry.reflection, _FIELD_CHARS)}",
        f"- Next step: {one_line(entry.next_step, _FIELD_CHARS)}",
    ]
    if entry.key_frames:
        lines.append(f"- Pictures: {', '.join(f'`{one_line(each, _ID_CHARS)}`' for each in entry.key_frames)}")
    if entry.film_md:
        lines += ["", "The simulation:", "", fenced(entry.film_md[:_FILM_CHARS], "markdown")]
    return "\n".join(lines)


def journal_markdown(entries: Iterable[JournalEntryAdded]) -> str:
    """Return all entries, the oldest first: what a later attempt reads of this one."""
    return "\n\n".join(map(entry_markdown, entries))


def entry_line(entry: JournalEntryAdded) -> str:
    """Return an entry in one line, for a prompt that has no room for what it is about."""
    told = (entry.intent, entry.result, entry.reflection)
    intent, result, reflection = (one_line(text, _TOLD_CHARS) for text in told)
    return f"{intent} → {result}" + (f" Learned: {reflection}" if reflection else "")

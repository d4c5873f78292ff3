"""The one journal of a run: what the system notes is added to journal.md, and own entries of the agent get a coverage.

The same entries in the same order lead to the same file: a replayed session has the journal of the lost one.
"""

from contracts.events.conversation import JournalEntryAdded

from documents.journal import Journal, JournalEntry, read_journal
from documents.journal_coverage import Coverage
from documents.markdown import one_line

NO_REFLECTION = "none was written"
_FIELD_CHARS = ((96 * 1024, 400), (160 * 1024, 60))
"""Longest field of a new entry, in a journal of up to so many characters."""
_LEAST_CHARS = 12
"""Longest field in a longer journal: 700 entries at least fit into a workspace's largest file of 256 KiB."""


def with_entry(journal_md: str, added: JournalEntryAdded) -> str:
    """Return journal.md with what a role noted: a new entry, or the coverage of the agent's own ones.

    An entry that is in the file already changes nothing. Raises `DocumentError` for a malformed file.
    """
    journal, coverage = read_journal(journal_md), Coverage.of(added)
    if any(entry.covers == coverage for entry in journal.entries):
        return journal_md
    own = {entry.number for entry in journal.entries if entry.number in added.own_entries and entry.covers is None}
    if own:
        entries = [
            entry.model_copy(update={"covers": coverage}) if entry.number in own else entry for entry in journal.entries
        ]
    else:
        chars = next((chars for up_to, chars in _FIELD_CHARS if len(journal_md) <= up_to), _LEAST_CHARS)
        entries = [*journal.entries, _new_entry(len(journal.entries) + 1, added, coverage, chars)]
    return Journal(entries=tuple(entries)).markdown()


def _new_entry(number: int, added: JournalEntryAdded, coverage: Coverage, chars: int) -> JournalEntry:
    film = added.film_md or None
    return JournalEntry(
        number=number,
        intent=_line(added.intent, "not stated", chars),
        result=_line(added.result, "nothing was printed", chars),
        reflection=_line(added.reflection, NO_REFLECTION, chars),
        next_step=_line(added.next_step, "not stated", chars),
        film=None if film is None else _line(film, "not described", chars),
        frames=_line(", ".join(added.key_frames), "none", chars) if added.key_frames else None,
        covers=coverage,
    )


def _line(text: str, if_empty: str, chars: int) -> str:
    """Return the text on one line, shortened, without characters that cannot be shown."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    line = one_line(printable)
    return (line if len(line) <= chars else f"{line[: chars - 1].rstrip()}…") or if_empty

"""The one journal of a run: what the system notes is added to journal.md, and own entries of the agent get a coverage.

The same entries in the same order lead to the same file: a replayed session has the journal of the lost one.
"""

from contracts.events.conversation import JournalEntryAdded
from contracts.text import shortened

from documents.journal import Journal, JournalEntry, read_journal
from documents.journal_coverage import Coverage
from documents.markdown import one_line

NO_REFLECTION = "none was written"
_FIELD_CHARS = 400
_SHORT_CHARS = 60
_LONG_JOURNAL_CHARS = 128 * 1024
"""From here on entries are short, so that a run of a thousand steps does not outgrow a workspace's largest file."""


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
        chars = _SHORT_CHARS if len(journal_md) > _LONG_JOURNAL_CHARS else _FIELD_CHARS
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
    return one_line(shortened(one_line(printable), chars)) or if_empty

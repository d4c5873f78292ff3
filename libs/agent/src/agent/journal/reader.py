"""A role's journal, opened as far as somebody wants: what an entry says, its headings, or every word behind it.

For those who must find out why something happened without reading all of a run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded
from contracts.model import Model
from pydantic import PositiveInt

from agent.journal.entries import entry_markdown
from agent.journal.sections import sections_of
from agent.journal.timeline import RULE, Timeline, TimelineMessage, timeline_of
from agent.journal.transcript import transcript_of

Depth = Literal["summary", "headings", "transcript"]

PAGE_CHARS = 8_000
OPEN_END = 0
"""In place of an entry's number: what was said since the last one."""


class UnknownEntryError(LookupError):
    """The journal has no such entry, or the entry no such page; the message names what there is."""


class Page(Model):
    """A page of what an entry tells at one depth. Markdown; what others wrote is escaped."""

    markdown: str
    page: PositiveInt
    pages: PositiveInt


@dataclass(frozen=True)
class JournalSection:
    """A piece of a timeline, and the entry about it."""

    from_token: int
    to_token: int
    entry: JournalEntryAdded | None = None
    """None: nothing is written about it yet, the open end."""


@dataclass(frozen=True)
class RoleJournal:
    """The entries of one role in one run, with the timeline that they are about."""

    timeline: Timeline
    entries: tuple[JournalEntryAdded, ...]

    @property
    def sections(self) -> tuple[JournalSection, ...]:
        """Return what the entries cover, and the open end if anything was said since; together the whole timeline."""
        written = [JournalSection(each.from_token, each.to_token, each) for each in self.entries]
        ended = written[-1].to_token if written else 0
        return (*written, *([JournalSection(ended, self.timeline.tokens)] if ended < self.timeline.tokens else []))

    def section(self, number: int) -> JournalSection:
        """Return what an entry covers, or the open end; raise `UnknownEntryError`."""
        for each in self.sections:
            if (each.entry.number if each.entry else OPEN_END) == number:
                return each
        known = f"1 to {len(self.entries)}" if self.entries else "none"
        raise UnknownEntryError(f"the journal has no entry {number}; it has {known}")

    def messages(self, number: int) -> tuple[TimelineMessage, ...]:
        """Return the messages behind an entry, whole and exactly as they were; raise `UnknownEntryError`."""
        chapter = self.section(number)
        return self.timeline.within(chapter.from_token, chapter.to_token)


def journal_of(events: Sequence[Event], role: Role) -> RoleJournal:
    """Return a role's journal, read from the events of its run; raise `timeline.UnknownRuleError`."""
    found = [event for event in events if isinstance(event, JournalEntryAdded) and event.role == role]
    entries = tuple(sorted(found, key=lambda entry: entry.number))
    rules = {entry.rule for entry in entries if entry.rule}
    return RoleJournal(timeline_of(events, role, max(rules, default=RULE)), entries)


def read_page(journal: RoleJournal, number: int, depth: Depth, page: int = 1, page_chars: int = PAGE_CHARS) -> Page:
    """Open an entry, or `OPEN_END`, at a depth; raise `UnknownEntryError`."""
    chapter = journal.section(number)
    match depth:
        case "summary":
            text = entry_markdown(chapter.entry) if chapter.entry else _nothing_written(chapter)
        case "headings":
            text = "\n".join(_headings(journal.messages(number))) or "(nothing was said)"
        case "transcript":
            text = transcript_of(journal.messages(number))
    pages = list(_pages(text, page_chars))
    if not 1 <= page <= len(pages):
        raise UnknownEntryError(f"entry {number} has {len(pages)} pages at depth {depth}; there is no page {page}")
    return Page(markdown=pages[page - 1], page=page, pages=len(pages))


def _nothing_written(chapter: JournalSection) -> str:
    return f"### Open end, tokens {chapter.from_token} to {chapter.to_token}\n\nNothing is written about it yet."


def _headings(spoken: Sequence[TimelineMessage]) -> Iterator[str]:
    for each in spoken:
        unread = ", could not be used" if each.unusable else ""
        yield f"- tokens {each.from_token} to {each.to_token}, step {each.step}: {each.message.author}{unread}"
        for section in sections_of(each):
            yield f"  - tokens {section.from_token} to {section.to_token}: {section.title}"


def _pages(text: str, chars: int) -> Iterator[str]:
    """Yield the text in pieces of at most so many characters, cut between lines where that is possible."""
    while len(text) > chars:
        cut = text.rfind("\n", 0, chars) + 1 or chars
        yield text[:cut]
        text = text[cut:]
    yield text

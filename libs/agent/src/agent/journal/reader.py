"""Journal reader: the entries of a role in a run, and the recorded messages behind each, page by page.

A journal can be read at three depths: what an entry says, the headings of the messages behind it, or their transcript.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded
from contracts.model import Model
from contracts.models.conversation import Message
from documents.drafts.markdown import fence_after
from pydantic import NonNegativeInt, PositiveInt

from agent.journal.entries import entry_markdown, fenced, one_line
from agent.journal.timeline import RULE, Timeline, TimelineMessage, timeline_of
from agent.token_estimate import BYTES_PER_TOKEN, TOKENS_PER_MESSAGE

Depth = Literal["summary", "headings", "transcript"]

PAGE_CHARS = 8_000
OPEN_END = 0
"""In place of an entry's number: the messages after the last entry."""
_HEADING = re.compile(r"^(#{1,6})[ \t](?P<title>.*)$")
_TITLE_CHARS = 80
_NAME_CHARS = 120
_CAPTION_CHARS = 200


class UnknownEntryError(LookupError):
    """The journal has no such entry, or the entry no such page; the message names those that exist."""


class Page(Model):
    """A page of a journal section at one depth. Markdown; texts of models and kernels are escaped."""

    markdown: str
    page: PositiveInt
    pages: PositiveInt


@dataclass(frozen=True)
class JournalSection:
    """A span of a timeline, and the entry about it."""

    from_token: int
    to_token: int
    entry: JournalEntryAdded | None = None
    """None: the open end, which no entry covers yet."""


@dataclass(frozen=True)
class RoleJournal:
    """The entries of one role in one run, with the timeline that they cover."""

    timeline: Timeline
    entries: tuple[JournalEntryAdded, ...]

    @property
    def sections(self) -> tuple[JournalSection, ...]:
        """The spans of the entries, and the open end if there are later messages; together the whole timeline."""
        covered = [JournalSection(each.from_token, each.to_token, each) for each in self.entries]
        end = covered[-1].to_token if covered else 0
        return (*covered, *([JournalSection(end, self.timeline.tokens)] if end < self.timeline.tokens else []))

    def section(self, number: int) -> JournalSection:
        """Return the section of an entry, or the open end; raise `UnknownEntryError`."""
        for each in self.sections:
            if (each.entry.number if each.entry else OPEN_END) == number:
                return each
        known = f"1 to {len(self.entries)}" if self.entries else "none"
        raise UnknownEntryError(f"the journal has no entry {number}; it has {known}")

    def messages(self, number: int) -> tuple[TimelineMessage, ...]:
        """Return the recorded messages behind an entry, unabridged; raise `UnknownEntryError`."""
        section = self.section(number)
        return self.timeline.within(section.from_token, section.to_token)


class MessageSection(Model):
    """The part of a message under one heading; together the sections of a message cover it."""

    title: str
    """One line; for text before the first heading, its beginning."""
    level: NonNegativeInt
    """Of the heading, 1 to 6; 0: text before the first heading."""
    from_token: NonNegativeInt
    to_token: NonNegativeInt


def journal_of(events: Sequence[Event], role: Role) -> RoleJournal:
    """Return a role's journal from the events of its run; raise `timeline.UnknownTokenRuleError`."""
    found = [event for event in events if isinstance(event, JournalEntryAdded) and event.role == role]
    entries = tuple(sorted(found, key=lambda entry: entry.number))
    rules = {entry.rule for entry in entries if entry.rule}
    return RoleJournal(timeline_of(events, role, max(rules, default=RULE)), entries)


def read_page(journal: RoleJournal, number: int, depth: Depth, page: int = 1, page_chars: int = PAGE_CHARS) -> Page:
    """Return a page of an entry, or of the `OPEN_END`, at a depth; raise `UnknownEntryError`."""
    section = journal.section(number)
    match depth:
        case "summary":
            text = entry_markdown(section.entry) if section.entry else _open_end(section)
        case "headings":
            text = "\n".join(_heading_lines(journal.messages(number))) or "(no messages)"
        case "transcript":
            text = transcript_of(journal.messages(number))
    pages = list(_pages(text, page_chars))
    if not 1 <= page <= len(pages):
        raise UnknownEntryError(f"entry {number} has {len(pages)} pages at depth {depth}; page {page} does not exist")
    return Page(markdown=pages[page - 1], page=page, pages=len(pages))


def transcript_of(messages: Sequence[TimelineMessage]) -> str:
    """Return these messages as Markdown, oldest first and unabridged; pictures are named by their digests."""
    return "\n\n".join(_transcript(each) for each in messages) or "(no messages)"


def blocks_of(message: Message) -> Iterator[str]:
    """Yield the parts of a message as Markdown, each escaped."""
    if message.tool_call_id:
        yield f"It answers the call {_quoted(message.tool_call_id)}."
    for thought in message.reasoning:
        yield f"Its reasoning, as the provider sent it:\n\n{fenced(thought, 'json')}"
    if message.text:
        yield fenced(message.text)
    for call in message.tool_calls:
        yield f"It calls {_quoted(call.name)} as {_quoted(call.call_id)}:\n\n{fenced(call.arguments_json, 'json')}"
    for image in message.images:
        size = f"{image.width_px} x {image.height_px} px, sha256 {image.artifact.sha256}"
        yield f"With the picture {_quoted(image.caption, _CAPTION_CHARS)} ({size})."


def message_sections(timed: TimelineMessage) -> tuple[MessageSection, ...]:
    """Return the sections of one message, in order; together they cover all its tokens once."""
    found = list(headings_of(timed.message.text))
    if not found or timed.message.text[: found[0][0]].strip():
        found.insert(0, (0, 0, _first_line(timed.message)))
    starts = [timed.from_token, *(_token_at(timed, at) for at, _, _ in found[1:]), timed.to_token]
    return tuple(
        MessageSection(title=title, level=level, from_token=first, to_token=end)
        for (_, level, title), (first, end) in zip(found, pairwise(starts), strict=True)
    )


def _open_end(section: JournalSection) -> str:
    return f"### Open end, tokens {section.from_token} to {section.to_token}\n\nNo entry covers it yet."


def _heading_lines(messages: Sequence[TimelineMessage]) -> Iterator[str]:
    for each in messages:
        yield f"- {_position(each)}"
        for section in message_sections(each):
            yield f"  - tokens {section.from_token} to {section.to_token}: {section.title}"


def _transcript(timed: TimelineMessage) -> str:
    return "\n\n".join([f"#### {_position(timed)}", *blocks_of(timed.message)])


def _position(timed: TimelineMessage) -> str:
    unusable = ", could not be used" if timed.unusable else ""
    return f"tokens {timed.from_token} to {timed.to_token}, step {timed.step}: {timed.message.author}{unusable}"


def _pages(text: str, chars: int) -> Iterator[str]:
    """Yield the text in pieces of at most `chars` characters, cut between lines where possible."""
    while len(text) > chars:
        cut = text.rfind("\n", 0, chars) + 1 or chars
        yield text[:cut]
        text = text[cut:]
    yield text


def _first_line(message: Message) -> str:
    """Return a message in one line: the tools it calls, or else the beginning of its text."""
    if message.tool_calls:
        return one_line(", ".join(f"calls {call.name}" for call in message.tool_calls), _TITLE_CHARS)
    return one_line(message.text, _TITLE_CHARS) or "(nothing)"


def headings_of(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield offset, level and title of each heading outside of code fences."""
    at, fence = 0, ""
    for line in text.splitlines(keepends=True):
        fence = fence_after(line.rstrip("\n"), fence)
        heading = None if fence else _HEADING.match(line.rstrip())
        if heading:
            yield at, len(heading[1]), one_line(heading["title"].rstrip(" \t#"), _TITLE_CHARS) or "(nothing)"
        at += len(line)


def _token_at(timed: TimelineMessage, char: int) -> int:
    """Return the token that holds a character of the message's text."""
    before = len(timed.message.text[:char].encode()) // BYTES_PER_TOKEN
    return min(timed.from_token + TOKENS_PER_MESSAGE + before, timed.to_token)


def _quoted(text: str, chars: int = _NAME_CHARS) -> str:
    line = one_line(text, chars).replace("`", "'")
    return f"`{line}`"

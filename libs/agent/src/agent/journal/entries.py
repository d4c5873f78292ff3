"""Journal entries: their escaped Markdown, and how far they cover their role's timeline."""

import re
from collections.abc import Iterable
from typing import Self

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded
from contracts.model import Model
from pydantic import NonNegativeInt

_FIELD_CHARS = 800
_FILM_CHARS = 2_000
_LINE_FIELD_CHARS = 160
_ID_CHARS = 40
_FENCE = re.compile(r"^ {0,3}(~{3,})", re.MULTILINE)
_MIN_FENCE_CHARS = 4


def visible(text: str) -> str:
    """Return the text with unprintable characters, such as controls and direction marks, as escape sequences."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else _escape(letter) for letter in text)


def one_line(text: str, chars: int) -> str:
    """Return the text in one line of at most `chars` characters."""
    joined = visible(" ".join(text.split()))
    return joined if len(joined) <= chars else f"{joined[: chars - 1]}…"


def fenced(text: str, language: str = "text") -> str:
    """Return the text in a fence that it cannot close."""
    longest = max((len(found[1]) for found in _FENCE.finditer(text)), default=0)
    fence = "~" * max(_MIN_FENCE_CHARS, longest + 1)
    return f"{fence}{language}\n{visible(text).rstrip()}\n{fence}"


def _escape(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Bookmark(Model):
    """The end of a journal: the next entry begins here."""

    entries: NonNegativeInt = 0
    """Number of the last entry."""
    token: NonNegativeInt = 0
    """The timeline is covered up to this token."""

    def after(self, decided: Iterable[Event]) -> Self:
        """Return the bookmark after the entries among these events."""
        entries = [event for event in decided if isinstance(event, JournalEntryAdded)]
        if not entries:
            return self
        return self.model_copy(update={"entries": entries[-1].number, "token": entries[-1].to_token})


class TimelinePosition(Model):
    """The position of a step on its role's timeline."""

    bookmark: Bookmark = Bookmark()
    token: NonNegativeInt = 0
    """The end of all messages before the step's reply."""


def entry_markdown(entry: JournalEntryAdded) -> str:
    """Return an entry as Markdown under a heading of the third level: bounded and escaped."""
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


def entry_line(entry: JournalEntryAdded) -> str:
    """Return an entry in one line; part of the prompt rule."""
    fields = (entry.intent, entry.result, entry.reflection)
    intent, result, reflection = (one_line(text, _LINE_FIELD_CHARS) for text in fields)
    return f"{intent} → {result}" + (f" Learned: {reflection}" if reflection else "")

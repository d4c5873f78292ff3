"""The Markdown headings of what was said, and which tokens stand under each."""

import re
from collections.abc import Iterator
from itertools import pairwise

from contracts.model import Model
from contracts.models.conversation import Message
from pydantic import NonNegativeInt

from agent.context.token_estimate import BYTES_PER_TOKEN, TOKENS_PER_MESSAGE
from agent.journal.escaping import one_line
from agent.journal.timeline import TimelineMessage
from agent.loop.replies import fence_after

_HEADING = re.compile(r"^(#{1,6})[ \t]+(?P<title>.*?)[ \t#]*$")
_TITLE_CHARS = 80


class Section(Model):
    """What stands under one heading; a message's first section begins with the message, its last ends with it."""

    title: str
    """One line. What a message opens with, where it has no heading there."""
    level: NonNegativeInt
    """Of the heading, 1 to 6; 0: it is none."""
    from_token: NonNegativeInt
    to_token: NonNegativeInt


def sections_of(spoken: TimelineMessage) -> tuple[Section, ...]:
    """Return the sections of one message, in order; together they cover all its tokens once."""
    found = list(_headings(spoken.message.text))
    if not found or spoken.message.text[: found[0][0]].strip():
        found.insert(0, (0, 0, opening(spoken.message)))
    starts = [spoken.from_token, *(_token_at(spoken, at) for at, _, _ in found[1:]), spoken.to_token]
    return tuple(
        Section(title=title, level=level, from_token=first, to_token=end)
        for (_, level, title), (first, end) in zip(found, pairwise(starts), strict=True)
    )


def opening(message: Message) -> str:
    """Return a message in one line: what it calls, or else its first words."""
    if message.tool_calls:
        return one_line(", ".join(f"calls {call.name}" for call in message.tool_calls), _TITLE_CHARS)
    return one_line(message.text, _TITLE_CHARS) or "(nothing)"


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each heading begins, its level and its words; what stands in a code fence is none."""
    at, fence = 0, ""
    for line in text.splitlines(keepends=True):
        fence = fence_after(line.rstrip("\n"), fence)
        heading = None if fence else _HEADING.match(line.rstrip())
        if heading:
            yield at, len(heading[1]), one_line(heading["title"], _TITLE_CHARS) or "(nothing)"
        at += len(line)


def _token_at(spoken: TimelineMessage, char: int) -> int:
    """Return the token in which a character of the message's text lies."""
    before = len(spoken.message.text[:char].encode()) // BYTES_PER_TOKEN
    return min(spoken.from_token + TOKENS_PER_MESSAGE + before, spoken.to_token)

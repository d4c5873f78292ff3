"""Leaked thoughts: reasoning that a server without a parser for it leaves in the text, between tags."""

import json
import re

from contracts.models.conversation import Message
from documents.drafts.markdown import fence_after

_NAMES = "think|thinking|thought|thoughts|reasoning"
_OPEN = re.compile(rf"^[ \t]*<({_NAMES})>", re.IGNORECASE)
_CLOSE = re.compile(rf"(?<!`)</({_NAMES})>(?!`)", re.IGNORECASE)


def without_thoughts(reply: Message) -> Message:
    """Return a reply of a model with leaked thoughts moved from its text to its reasoning; others are unchanged.

    The record of the call keeps the reply as it came. A tag inside a code fence is code, and one inside a line is text;
    a lone closing tag ends a thought whose opening tag was in the prompt.
    """
    if reply.author != "assistant" or "<" not in reply.text:
        return reply
    text, thoughts = _split(reply.text)
    if thoughts is None:
        return reply
    leaked = (json.dumps({"reasoning_content": thoughts}, ensure_ascii=False),) if thoughts else ()
    return reply.model_copy(update={"text": text, "reasoning": reply.reasoning or leaked})


def _split(text: str) -> tuple[str, str | None]:
    """Return text and thoughts; None if there are none."""
    kept, thoughts = list[str](), list[str]()
    found, is_open, fence = False, False, ""
    waiting = text.split("\n")[::-1]
    while waiting:
        line = waiting.pop()
        opening = None if is_open or fence else _OPEN.match(line)
        closing = None if opening else _closing(line, fence if not is_open else "")
        if opening:
            found = is_open = True
            waiting.append(line[opening.end() :])
        elif closing:
            thoughts += [*([] if is_open else kept), line[: closing.start()]]
            kept = kept if is_open else []
            found, is_open, fence = True, False, ""
            waiting.append(line[closing.end() :])
        elif is_open:
            thoughts.append(line)
        else:
            kept.append(line)
            fence = fence_after(line, fence)
    return "\n".join(kept).strip(), "\n".join(thoughts).strip() if found else None


def _closing(line: str, fence: str) -> re.Match[str] | None:
    """Return the closing tag in a line; inside a fence only one that is the whole line."""
    if "</" not in line:
        return None
    return _CLOSE.fullmatch(line.strip()) if fence else _CLOSE.search(line)

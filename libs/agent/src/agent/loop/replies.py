"""What a model's reply must look like, read strictly: nothing is guessed, everything is named."""

import re
from collections.abc import Sequence

from contracts.events.conversation import ModelCalled
from contracts.models.conversation import Message

_HEADING = re.compile(r"^## +(.+?) *$")
_FENCE = re.compile(r"^(`{3,}|~{3,})")
_THOUGHTS = re.compile(r"</?(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CODE = re.compile(r"^```python[ \t]*\n(?P<code>.*?)\n```[ \t]*$", re.DOTALL | re.MULTILINE)


class MalformedReplyError(ValueError):
    """A reply does not keep to the agreed form. The text says how to mend it, in words for the model."""


def require_complete(called: ModelCalled) -> None:
    """Raise `MalformedReplyError` for a reply that its model would not or could not end: no part of it is used."""
    if called.ending == "cut_off":
        raise MalformedReplyError("The reply was cut off at the limit of its length: do less in one reply.")
    if called.ending == "refused":
        said = " ".join(called.reply.text.split())[:300]
        raise MalformedReplyError(f"The reply was refused{f', with the words: {said}' if said else ''}.")


def require_text_only(reply: Message) -> str:
    """Return the reply's text; raise `MalformedReplyError` for an empty reply or one with tool calls."""
    if reply.tool_calls:
        raise MalformedReplyError("Tool calls are not available here: answer in Markdown.")
    if not reply.text.strip():
        raise MalformedReplyError("The reply was empty.")
    require_no_thoughts(reply.text)
    return reply.text


def require_no_thoughts(text: str) -> None:
    """Raise `MalformedReplyError` for a reply into which a model's private thoughts have leaked, outside of fences."""
    fence = ""
    for line in text.splitlines():
        fence = fence_after(line, fence)
        found = None if fence else _THOUGHTS.search(line)
        if found:
            raise MalformedReplyError(f"The reply holds `{found[0]}`: think for yourself, and answer without that.")


def sections(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the text under each `## Name`, in exactly this order and each with content.

    Headings inside code fences are not headings. Text before the first section is ignored.
    """
    found = _split(text)
    titles = [title for title, _ in found]
    wanted = ", ".join(f"`## {name}`" for name in names)
    if titles != list(names):
        have = ", ".join(f"`## {title}`" for title in titles) or "none"
        raise MalformedReplyError(f"The reply must have exactly the sections {wanted}, in this order; it had {have}.")
    for title, body in found:
        if not body:
            raise MalformedReplyError(f"The section `## {title}` is empty.")
    return dict(found)


def python_fence(body: str, title: str = "Code") -> str:
    """Return the code of the only fence in the section `title`, which must be a closed ```python fence."""
    fences = sum(1 for line in body.splitlines() if _FENCE.match(line))
    match = _CODE.search(body)
    if fences != 2 or match is None:
        raise MalformedReplyError(f"`## {title}` must hold exactly one closed ```python fence.")
    if not match["code"].strip():
        raise MalformedReplyError("The code fence is empty.")
    return match["code"] + "\n"


def _split(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, list[str]]] = []
    fence = ""
    for line in text.splitlines():
        fence = fence_after(line, fence)
        heading = None if fence else _HEADING.match(line)
        if heading:
            found.append((heading[1], []))
        elif found:
            found[-1][1].append(line)
    return [(title, "\n".join(lines).strip()) for title, lines in found]


def fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after this line, or nothing."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return match[1]
    closes = match[1][0] == fence[0] and len(match[1]) >= len(fence) and line.strip() == match[1]
    return "" if closes else fence

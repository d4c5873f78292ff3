"""Strict parser of model replies: sections, code fences and cells. Every deviation from the form is named."""

import re
from collections.abc import Sequence

from contracts.events.conversation import ModelCalled
from contracts.model import Model
from contracts.models.conversation import Message

CELL_SECTIONS = ("Purpose", "Reasoning", "Next goal", "Code")

_FENCE = re.compile(r"^(`{3,}|~{3,})")
_THOUGHTS = re.compile(r"</?(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


class MalformedReplyError(ValueError):
    """A reply does not follow the required form. The message tells the model what to fix."""


class CellAction(Model):
    """A cell as the model wrote it."""

    purpose: str
    reasoning: str
    next_goal: str
    code: str


def read_cell(reply: Message) -> CellAction:
    """Return the one cell of a reply; raise `MalformedReplyError` if the reply holds anything else."""
    found = sections(require_text_only(reply), CELL_SECTIONS)
    return CellAction(
        purpose=found["Purpose"],
        reasoning=found["Reasoning"],
        next_goal=found["Next goal"],
        code=python_fence(found["Code"]),
    )


def require_complete(called: ModelCalled) -> None:
    """Raise `MalformedReplyError` for a reply that was cut off or refused: no part of it is used."""
    if called.ending == "cut_off":
        raise MalformedReplyError("The reply was cut off at its length limit: do less in one reply.")
    if called.ending == "refused":
        text = " ".join(called.reply.text.split())[:300]
        raise MalformedReplyError(f"The reply was refused{f': {text}' if text else ''}.")


def require_text_only(reply: Message) -> str:
    """Return the reply's text; raise `MalformedReplyError` for an empty reply or one with tool calls."""
    if reply.tool_calls:
        raise MalformedReplyError("Tool calls are not available here: answer in Markdown.")
    if not reply.text.strip():
        raise MalformedReplyError("The reply was empty.")
    require_no_thoughts(reply.text)
    return reply.text


def require_no_thoughts(text: str) -> None:
    """Raise `MalformedReplyError` if reasoning tags leaked into the text outside of code fences."""
    fence = ""
    for line in text.splitlines():
        fence = fence_after(line, fence)
        found = None if fence else _THOUGHTS.search(line)
        if found:
            raise MalformedReplyError(f"The reply contains `{found[0]}`: keep reasoning out of the answer.")


def sections(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the text under each `## Name`; exactly these names, in this order, each with content.

    Headings inside code fences do not count. Text before the first section is ignored.
    """
    found = _split(text)
    titles = [title for title, _ in found]
    if titles != list(names):
        required = ", ".join(f"`## {name}`" for name in names)
        actual = ", ".join(f"`## {title}`" for title in titles) or "none"
        raise MalformedReplyError(
            f"The reply must have exactly the sections {required}, in this order; it had {actual}."
        )
    for title, body in found:
        if not body:
            raise MalformedReplyError(f"The section `## {title}` is empty.")
    return dict(found)


def python_fence(body: str, title: str = "Code") -> str:
    """Return the code of the only fence in the section `title`, which must be a closed ```python fence."""
    code = only_fence(body, title, "python")
    if not code.strip():
        raise MalformedReplyError("The code fence is empty.")
    return code + "\n"


def only_fence(body: str, title: str, language: str) -> str:
    """Return the content of the only fence in the section `title`, which must be closed and name this language."""
    fences = sum(1 for line in body.splitlines() if _FENCE.match(line))
    pattern = rf"^```{language}[ \t]*\n(?P<content>.*?)\n```[ \t]*$"
    match = re.search(pattern, body, re.DOTALL | re.MULTILINE) if fences == 2 else None  # of many: quadratic time
    if match is None:
        raise MalformedReplyError(f"`## {title}` must hold exactly one closed ```{language} fence.")
    return match["content"]


def _split(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, list[str]]] = []
    fence = ""
    for line in text.splitlines():
        fence = fence_after(line, fence)
        title = line[3:].strip(" ") if line.startswith("## ") and not fence else ""
        if title:
            found.append((title, []))
        elif found:
            found[-1][1].append(line)
    return [(title, "\n".join(lines).strip()) for title, lines in found]


def fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after this line, or nothing; `fence` is the one open before it."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    if not fence:
        return match[1]
    closes = match[1][0] == fence[0] and len(match[1]) >= len(fence) and line.strip() == match[1]
    return "" if closes else fence

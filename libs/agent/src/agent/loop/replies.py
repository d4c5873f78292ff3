"""Reader of model replies: sections, code and cells. What is clear is accepted in any form; what is not is refused."""

from collections.abc import Mapping, Sequence

from contracts.events.conversation import ModelCalled, RejectionCause
from contracts.model import Model
from contracts.models.conversation import Message
from documents.drafts.markdown import fence_after, split_sections, unwrapped
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.loop.fences import Fence, is_python_code, python_candidates, read_fences

CELL_SECTIONS = ("Purpose", "Reasoning", "Next goal", "Code")

_CELL_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("purpose", "goal", "aim", "objective", "intent"), "Purpose"),
    **dict.fromkeys(("reasoning", "rationale", "reason", "why", "analysis", "reflection"), "Reasoning"),
    **dict.fromkeys(("next goal", "next goals", "next step", "next steps", "next", "then"), "Next goal"),
    **dict.fromkeys(("code", "python code", "python", "cell", "code cell", "script", "script py"), "Code"),
}
_NO_CODE = "The reply has no code to run: write it in one closed ```python fence."


class MalformedReplyError(ValueError):
    """A reply cannot be used. The message tells the model what to fix."""

    def __init__(self, problem: str, cause: RejectionCause = "form") -> None:
        """`cause` is the kind of the problem: a role gives up after several replies of one kind in a row."""
        super().__init__(problem)
        self.cause: RejectionCause = cause


class CellAction(Model):
    """A cell as the model wrote it; texts that it left out are empty."""

    purpose: str
    reasoning: str
    next_goal: str
    code: str


class _JsonCell(BaseModel):
    """A cell of a server that makes its model answer in JSON."""

    model_config = ConfigDict(extra="ignore", strict=True)

    purpose: str = ""
    reasoning: str = ""
    next_goal: str = ""
    code: str = Field(min_length=1)


def read_cell(reply: Message) -> CellAction:
    """Return the one cell of a reply; raise `MalformedReplyError` for none, or for several."""
    text = require_text_only(reply)
    cell = _read_json_cell(text)
    if cell is not None:
        return cell
    found = found_sections(text, _CELL_NAMES)
    prose = {name: _before_fence(body) for name, body in found.items()}
    return CellAction(
        purpose=prose.get("Purpose", ""),
        reasoning=prose.get("Reasoning") or _preamble(text),
        next_goal=prose.get("Next goal", ""),
        code=python_code(text, found.get("Code", "")),
    )


def require_complete(called: ModelCalled) -> None:
    """Raise `MalformedReplyError` for a reply that was cut off or refused: no part of it is used."""
    if called.ending == "cut_off":
        raise MalformedReplyError("The reply was cut off at its length limit: do less in one reply.", "cut_off")
    if called.ending == "refused":
        text = " ".join(called.reply.text.split())[:300]
        raise MalformedReplyError(f"The reply was refused{f': {text}' if text else ''}.", "refused")


def require_text_only(reply: Message) -> str:
    """Return the reply's text, taken out of a Markdown fence around all of it; raise `MalformedReplyError`.

    An empty reply is refused, and one with tool calls.
    """
    if reply.tool_calls:
        raise MalformedReplyError("Tool calls are not available here: answer in Markdown.", "tool")
    if not reply.text.strip():
        why = " besides its reasoning: end the reasoning, and write the answer after it" if reply.reasoning else ""
        raise MalformedReplyError(f"The reply was empty{why}.", "empty")
    return unwrapped(reply.text.replace("\r\n", "\n"))


def found_sections(text: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return the texts under headings with these names, in lower case, by the names that they stand for."""
    found: dict[str, str] = {}
    for section in split_sections(text, names):
        found[section.name] = "\n".join(filter(None, [found.get(section.name, ""), section.text]))
    return found


def sections(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the text under each of these headings, of any level, case and order; each must have content.

    Headings inside code fences do not count. Text before the first section is ignored.
    """
    split = split_sections(text, {name.lower(): name for name in names}, others_end=False)
    titles = [section.name for section in split]
    missing = [name for name in names if name not in titles]
    if missing:
        required = ", ".join(f"`## {name}`" for name in names)
        actual = ", ".join(f"`## {title}`" for title in titles) or "none of them"
        raise MalformedReplyError(f"The reply must have the sections {required}; it had {actual}.")
    twice = next((title for title in titles if titles.count(title) > 1), None)
    if twice is not None:
        raise MalformedReplyError(f"The section `## {twice}` occurs twice: write it once.", "ambiguous")
    for section in split:
        if not section.text:
            raise MalformedReplyError(f"The section `## {section.name}` is empty.")
    return {section.name: section.text for section in split}


def python_code(text: str, code_section: str = "") -> str:
    """Return the code of the only Python fence, or else the code that a section without a fence is.

    Raise `MalformedReplyError` for none and for several: which of them to run would be a guess.
    """
    fences = read_fences(text)
    found = python_candidates(fences)
    if len({each.content for each in found}) > 1 or (not found and _unnamed(fences)):
        count = len(found) or len(_unnamed(fences))
        raise MalformedReplyError(
            f"The reply has {count} code fences, and only one can be run: put all code of this reply into one "
            "```python fence, and quote other text in ```text fences.",
            "ambiguous",
        )
    if not found:
        if not fences and is_python_code(code_section):
            return code_section + "\n"
        raise MalformedReplyError(_NO_CODE)
    return _content(found[0])


def _content(fence: Fence) -> str:
    if not fence.content.strip():
        raise MalformedReplyError("The code fence is empty.")
    if not fence.is_closed and not is_python_code(fence.content):
        raise MalformedReplyError("The code fence is not closed, and what it holds is not whole: write all of it.")
    return fence.content.rstrip("\n") + "\n"


def _unnamed(fences: Sequence[Fence]) -> list[Fence]:
    return [each for each in fences if not each.language]


def _preamble(text: str) -> str:
    """Return the text before the first section and the first fence."""
    first = min((section.number for section in split_sections(text, _CELL_NAMES)), default=len(text))
    return _before_fence("\n".join(text.split("\n")[: first - 1]))


def _before_fence(body: str) -> str:
    """Return the text before the first fence."""
    lines = body.split("\n")
    first = next((number for number, line in enumerate(lines) if fence_after(line, "")), len(lines))
    return "\n".join(lines[:first]).strip()


def _read_json_cell(text: str) -> CellAction | None:
    """Return the cell of a reply that is one JSON object with the code as a field; None for another reply."""
    fences = read_fences(text)
    lone = fences[0].content if len(fences) == 1 and fences[0].language == "json" else text.strip()
    try:
        found = _JsonCell.model_validate_json(lone) if lone.startswith("{") else None
    except ValidationError:
        return None
    return None if found is None else CellAction(**{**found.model_dump(), "code": found.code.rstrip("\n") + "\n"})

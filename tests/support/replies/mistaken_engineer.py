"""A model that makes build123d mistakes in every run, unless a skill that it reads has the fixes.

Mistakes and fixes follow from a seed that neither learner nor prompts know. Each is fixed by a cell, an edit or a whole
write, in turn and by the benchmark's seed. All other replies are the offline expert's.
"""

import re
from collections.abc import Sequence

from agent.model.providers import offline_chat
from langchain_core.messages import AIMessage, BaseMessage

from tests.support.replies.build123d_mistakes import MEANS, Means, Mistake, mistakes

MODEL = "mistaken"
_LEARNED = re.compile(r"^- `(?P<name>[a-z0-9-]+)` \(learned, v\d+\):", re.MULTILINE)
_SEED = re.compile(r"\bseed (?P<seed>\d+)\b")
_CELL = (
    "## Purpose\n\n{purpose}\n\n## Reasoning\n\nIt stiffens the legs.\n\n## Next goal\n\nThe machine.\n\n"
    "## Code\n\n```python\n{code}\n```"
)


class MistakenEngineer:
    """The model of one secret."""

    def __init__(self, secret: str, *, makes_one: bool = False) -> None:
        """`makes_one`: each world shows one of the mistakes, in turn by its seed; else all are made in every run."""
        self.mistakes = mistakes(secret)
        self._makes_one = makes_one
        self._expert = offline_chat()

    def reply(self, messages: Sequence[BaseMessage], label: str) -> AIMessage:
        """Return the next reply of a conversation."""
        if not messages[0].text.startswith("# Role: engineer"):
            return self._expert.reply_to(messages)
        steps = self._steps(messages)
        turn = sum(isinstance(message, AIMessage) for message in messages)
        return steps[turn] if turn < len(steps) else self._expert.reply_to(without_first(messages, len(steps)))

    def _steps(self, messages: Sequence[BaseMessage]) -> list[AIMessage]:
        """Return the replies before the expert's: what is offered is read, and each part is drawn."""
        task = messages[1].text
        reads = [
            _call("view_file", {"path": f"skills/{each['name']}/SKILL.md"}, f"view-{number}")
            for number, each in enumerate(_LEARNED.finditer(task))
        ]
        read = "\n".join(message.text for message in messages if message.text.startswith("`skills/"))
        seed = _SEED.search(task)
        first = int(seed["seed"]) if seed else 0
        made = [self.mistakes[first % len(self.mistakes)]] if self._makes_one else self.mistakes
        drawn = [
            step
            for number, mistake in enumerate(made)
            for step in _attempts(mistake, _known(mistake, read), MEANS[(first + number) % len(MEANS)])
        ]
        return [*reads, *drawn]


def _known(mistake: Mistake, read: str) -> str | None:
    """Return the newest line of what was read that defines the part otherwise."""
    lines = re.findall(rf"\b{mistake.kind} = (.+)$", read, re.MULTILINE)  # lines of views are numbered
    return next((line for line in reversed(lines) if line != mistake.wrong), None)


def _attempts(mistake: Mistake, known: str | None, means: Means) -> list[AIMessage]:
    """Return the replies that draw a part: one attempt with what is known, else a second one after a failure."""
    path, first = f"{mistake.kind}.py", known or mistake.wrong
    if means == "cell":
        return [
            _cell(f"Draw the {mistake.kind} part", mistake.code(each))
            for each in ([first] if known else [first, mistake.right])
        ]
    use = _cell(f"Use the {mistake.kind} part", f"from {mistake.kind} import {mistake.kind}")
    write = _call("write_file", {"path": path, "text": mistake.code(first)}, f"write-{mistake.kind}")
    if known:
        return [write, use]
    again = {"path": path, "text": mistake.code(mistake.right)}
    if means == "edit":
        lines = (f"{mistake.kind} = {each}" for each in (mistake.wrong, mistake.right))
        again = {"path": path, **dict(zip(("old_text", "new_text"), lines, strict=True))}
    fix = _call(f"{means}_file", again, f"fix-{mistake.kind}")
    return [write, use, fix, use]


def without_first(messages: Sequence[BaseMessage], steps: int) -> list[BaseMessage]:
    """Return the conversation without its first replies and their answers."""
    first = next(index for index, message in enumerate(messages) if isinstance(message, AIMessage))
    return [*messages[:first], *messages[first + 2 * steps :]]


def _cell(purpose: str, code: str) -> AIMessage:
    return AIMessage(_CELL.format(purpose=purpose, code=code.strip()))


def _call(tool: str, arguments: dict[str, str], call_id: str) -> AIMessage:
    return AIMessage("A part first.", tool_calls=[{"name": tool, "args": arguments, "id": call_id}])

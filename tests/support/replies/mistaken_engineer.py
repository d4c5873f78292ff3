"""A model that makes one build123d mistake in every run, unless a skill that it reads has the fix.

Mistake and fix follow from a seed that neither learner nor prompts know. Every second benchmark seed it works in cells,
else in a file that it corrects by an edit. All other replies are the offline expert's.
"""

import random
import re
from collections.abc import Sequence

from agent.model.providers import offline_chat
from langchain_core.messages import AIMessage, BaseMessage

MODEL = "mistaken"
TARGET = "Failed creating a fillet"
"""What build123d says to the mistake."""
_LEARNED = re.compile(r"^- `(?P<name>[a-z0-9-]+)` \(learned, v\d+\):", re.MULTILINE)
_SEED = re.compile(r"\bseed (?P<seed>\d+)\b")
_RADIUS = re.compile(r"fillet\(gusset\.edges\(\), (?P<radius>\d+\.\d)\)")
_CELL = (
    "## Purpose\n\n{purpose}\n\n## Reasoning\n\nIt stiffens the legs.\n\n## Next goal\n\nThe machine.\n\n"
    "## Code\n\n```python\n{code}\n```"
)
_MODULE = "from build123d import *\n\n{shape}"
_SHAPE = "gusset = Box({size}, {size}, {size})\nrounded = fillet(gusset.edges(), {radius})\n"


class MistakenEngineer:
    """The model of one secret."""

    def __init__(self, secret: str) -> None:
        dice = random.Random(secret)
        self.size_mm = dice.choice([14, 16, 18, 22])
        self.right_mm = dice.randrange(11, 29) / 10
        self.wrong_mm = self.size_mm / 2 + dice.randrange(11, 39) / 10
        self._expert = offline_chat()

    def reply(self, messages: Sequence[BaseMessage], label: str) -> AIMessage:
        """Return the next reply of a conversation."""
        if not messages[0].text.startswith("# Role: engineer"):
            return self._expert.reply_to(messages)
        steps = self._steps(messages)
        turn = sum(isinstance(message, AIMessage) for message in messages)
        return steps[turn] if turn < len(steps) else self._expert.reply_to(_without_first(messages, len(steps)))

    def _steps(self, messages: Sequence[BaseMessage]) -> list[AIMessage]:
        """Return the replies before the expert's: what is offered is read, and a gusset is drawn."""
        task = messages[1].text
        reads = [
            _call("view_file", {"path": f"skills/{each['name']}/SKILL.md"}, f"view-{number}")
            for number, each in enumerate(_LEARNED.finditer(task))
        ]
        read = "\n".join(message.text for message in messages if message.text.startswith("`skills/"))
        known = [float(each["radius"]) for each in _RADIUS.finditer(read)]
        radius_mm = known[-1] if known else self.wrong_mm
        seed = _SEED.search(task)
        in_cells = seed is None or int(seed["seed"]) % 2 == 0
        return [*reads, *(self._cells(radius_mm) if in_cells else self._edits(radius_mm))]

    def _cells(self, radius_mm: float) -> list[AIMessage]:
        first = _cell("Round a gusset", _MODULE.format(shape=self._shape(radius_mm)))
        again = _cell("Round a gusset by less", _MODULE.format(shape=self._shape(self.right_mm)))
        return [first] if radius_mm < self.size_mm / 2 else [first, again]

    def _edits(self, radius_mm: float) -> list[AIMessage]:
        text = _MODULE.format(shape=self._shape(radius_mm))
        write = _call("write_file", {"path": "gusset.py", "text": text}, "write")
        use = [_cell(purpose, "from gusset import rounded") for purpose in ("Use the gusset", "Use the smaller radius")]
        old, new = (f"rounded = fillet(gusset.edges(), {each})" for each in (radius_mm, self.right_mm))
        edit = _call("edit_file", {"path": "gusset.py", "old_text": old, "new_text": new}, "edit")
        return [write, use[0]] if radius_mm < self.size_mm / 2 else [write, use[0], edit, use[1]]

    def _shape(self, radius_mm: float) -> str:
        return _SHAPE.format(size=self.size_mm, radius=radius_mm)


def _without_first(messages: Sequence[BaseMessage], steps: int) -> list[BaseMessage]:
    """Return the conversation without its first replies and their answers."""
    first = next(index for index, message in enumerate(messages) if isinstance(message, AIMessage))
    return [*messages[:first], *messages[first + 2 * steps :]]


def _cell(purpose: str, code: str) -> AIMessage:
    return AIMessage(_CELL.format(purpose=purpose, code=code.strip()))


def _call(tool: str, arguments: dict[str, str], call_id: str) -> AIMessage:
    return AIMessage("A gusset first.", tool_calls=[{"name": tool, "args": arguments, "id": call_id}])

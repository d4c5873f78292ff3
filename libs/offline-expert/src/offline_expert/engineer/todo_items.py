"""TODO items of the plan: which step of the expert settles which item."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.messages import AIMessage, BaseMessage

TODO = "todo.md"
Step = Literal["facts", "script", "price", "preview", "submission"]
_TITLE = "# TODO\n"
_ITEM = re.compile(r"^- \[ \] (?P<id>T\d+): (?P<text>.+)$", re.MULTILINE)
_STEPS: Mapping[Step, re.Pattern[str]] = {
    "submission": re.compile(r"\bsubmi", re.IGNORECASE),
    "preview": re.compile(r"simulat|preview", re.IGNORECASE),
    "price": re.compile(r"pric|manufactur|mass", re.IGNORECASE),
    "script": re.compile(r"script|write|build|route|design", re.IGNORECASE),
    "facts": re.compile(r"read|measure", re.IGNORECASE),
}
"""In order: the first step whose words occur in an item settles it."""
_NOT_MINE = "the rule-based expert has no step of its own for it"


@dataclass(frozen=True)
class TodoItems:
    """The items of the newest plan, id to text."""

    texts: Mapping[str, str]

    def check(self, *steps: Step, call: Literal["check", "uncheck"] = "check") -> str:
        """Return the lines of a cell that tick off, or open again, the items of these steps."""
        found = [item for item in self.texts if self._step_of(item) in steps]
        return "".join(f'todo.{call}("{item}")\n' for item in found)

    def drop_others(self) -> str:
        """Return the lines of a cell that drop the items of no step."""
        others = [item for item in self.texts if self._step_of(item) is None]
        return "".join(f'todo.drop("{item}", {_NOT_MINE!r})\n' for item in others)

    def settled_list(self) -> str:
        """Return todo.md with every item settled."""
        lines = [
            f"- [-] {item}: {text} (reason: {_NOT_MINE})" if self._step_of(item) is None else f"- [x] {item}: {text}"
            for item, text in self.texts.items()
        ]
        return f"{_TITLE}\n" + "\n".join(lines) + "\n"

    def _step_of(self, item: str) -> Step | None:
        return next((step for step, words in _STEPS.items() if words.search(self.texts[item])), None)


def read_items(messages: Sequence[BaseMessage]) -> TodoItems:
    """Return the items of the newest TODO list that the conversation was given; none without a list."""
    given = [message.text for message in messages if _is_list(message)]
    newest = given[-1].partition(_TITLE)[2] if given else ""
    return TodoItems({match["id"]: match["text"] for match in _ITEM.finditer(newest)})


def is_list_written(messages: Sequence[BaseMessage]) -> bool:
    """Tell whether the expert has written todo.md by a tool call since it was given the newest list."""
    newest = max((n for n, each in enumerate(messages) if _is_list(each)), default=0)
    replies = [message for message in messages[newest:] if isinstance(message, AIMessage)]
    return any(call["args"].get("path") == TODO for reply in replies for call in reply.tool_calls)


def _is_list(message: BaseMessage) -> bool:
    return not isinstance(message, AIMessage) and _TITLE in message.text

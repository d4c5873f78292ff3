"""How a replayed decision differs from the recorded one."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal, cast

from contracts.envelope import Event
from contracts.models.conversation import Message

What = Literal["prompt", "decision", "additional decision", "missing decision", "model call"]

_OF_THE_MOMENT = {"occurred_at", "large_fields", "type", "schema_version", "producer"}
"""Fields that differ between two equal decisions, or follow from the class."""


@dataclass(frozen=True)
class Divergence:
    """The first difference between a recorded run and its replay."""

    what: What
    event: Event
    """The event that the role consumed."""
    recorded: str
    """What the log has, in lines; empty if it has nothing."""
    replayed: str
    """What today's policy decides, in lines; empty if it decides nothing."""

    @property
    def diff(self) -> str:
        """The differences, line by line."""
        pair = (self.recorded.splitlines(), self.replayed.splitlines())
        return "\n".join(unified_diff(*pair, "recorded", "replayed", lineterm="", n=2))


class DivergenceError(Exception):
    """A replay differs from its recording."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(f"{divergence.what} on {divergence.event.type} {divergence.event.id}:\n{divergence.diff}")
        self.divergence = divergence


def lines_of(event: Event) -> str:
    """Return class and content of a decision in lines, without its time of creation."""
    content = event.model_dump(mode="json", exclude=_OF_THE_MOMENT, exclude_defaults=True)
    return "\n".join([event.type, *_lines(content, "  ")])


def lines_of_messages(messages: tuple[Message, ...]) -> str:
    """Return the new messages of a prompt, in lines."""
    return "\n\n".join(f"[{message.author}]\n{message.text}" for message in messages)


def _lines(value: object, indent: str) -> list[str]:
    """Return JSON in lines, each line of a text on its own."""
    lines: list[str] = []
    for key, each in _pairs(value):
        if isinstance(each, dict | list) and each:
            lines += [f"{indent}{key}:", *_lines(cast("object", each), indent + "  ")]
        elif isinstance(each, str) and "\n" in each:
            lines += [f"{indent}{key}:", *(f"{indent}  {line}" for line in each.splitlines())]
        else:
            lines.append(f"{indent}{key}: {json.dumps(each, ensure_ascii=False)}")
    return lines


def _pairs(value: object) -> Iterable[tuple[str | int, object]]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).items()
    return enumerate(cast("list[object]", value))

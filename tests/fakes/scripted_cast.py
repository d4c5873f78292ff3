"""Who says what to whom: each model has a part for each role, faults and all, and keeps what it was sent."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent.model.providers import offline_chat

from perf.fakes.openai_server import completion_of, read_messages
from tests.fakes.scripted_openai import Wire, completion

Part = Sequence[Wire | Literal["expert"]]
"""What a role hears, call by call, the last again and again; "expert": what the offline expert says to it."""
EXPERT: Part = ("expert",)
MEMORY = "memory"
"""The part of whoever sums up its own oldest steps, in a conversation of its own that names no role."""
SUMMED_UP: Part = (completion("The first idea failed. Then script.py was written, in full."),)


@dataclass(frozen=True)
class Exchange:
    """One request and its answer."""

    role: str
    messages: list[dict[str, Any]]
    wire: Wire


class Cast:
    """The parts of all models, by the model's name and then by role; whoever has none hears the expert."""

    def __init__(self, parts: Mapping[str, Mapping[str, Part]]) -> None:
        self._parts = parts
        self._expert = offline_chat()
        self._said: dict[str, list[Exchange]] = {name: [] for name in parts}

    def __call__(self, request: dict[str, Any]) -> Wire:
        """Return the next line of the part that is asked."""
        name: str = request["model"]
        messages: list[dict[str, Any]] = request["messages"]
        role = _role_in(messages)
        part = self._parts[name].get(role, SUMMED_UP if role == MEMORY else EXPERT)
        before = len(self.exchanges(name, role))
        line = part[min(before, len(part) - 1)]
        wire = self._improvised(messages) if line == "expert" else line
        self._said[name].append(Exchange(role, messages, wire))
        return wire

    def exchanges(self, name: str, role: str) -> list[Exchange]:
        """Return what was said between a model and a role, in order."""
        return [each for each in self._said[name] if each.role == role]

    def _improvised(self, messages: list[dict[str, Any]]) -> Wire:
        return Wire(json.dumps(completion_of(self._expert.reply_to(read_messages(messages)))).encode())


def _role_in(messages: list[dict[str, Any]]) -> str:
    first = str(messages[0]["content"]).partition("\n")[0]
    return first.removeprefix("# Role: ").strip() if messages[0]["role"] == "system" else MEMORY

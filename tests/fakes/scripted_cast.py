"""Who says what to whom: each model has a part for each role, faults and all, and keeps what it was sent."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent.offline.model import OfflineExpert

from perf.fakes.openai_server import completion_of, read_messages
from tests.fakes.scripted_openai import Wire

Part = Sequence[Wire | Literal["expert"]]
"""What a role hears, call by call, the last again and again; "expert": what the offline expert says to it."""
EXPERT: Part = ("expert",)


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
        self._expert = OfflineExpert()
        self._said: dict[str, list[Exchange]] = {name: [] for name in parts}

    def __call__(self, request: dict[str, Any]) -> Wire:
        """Return the next line of the part that is asked."""
        name: str = request["model"]
        messages: list[dict[str, Any]] = request["messages"]
        role = str(messages[0]["content"]).splitlines()[0].removeprefix("# Role: ").strip()
        part, before = self._parts[name].get(role, EXPERT), len(self.exchanges(name, role))
        line = part[min(before, len(part) - 1)]
        wire = self._improvised(messages) if line == "expert" else line
        self._said[name].append(Exchange(role, messages, wire))
        return wire

    def exchanges(self, name: str, role: str) -> list[Exchange]:
        """Return what was said between a model and a role, in order."""
        return [each for each in self._said[name] if each.role == role]

    def _improvised(self, messages: list[dict[str, Any]]) -> Wire:
        return Wire(json.dumps(completion_of(self._expert.reply_to(read_messages(messages)))).encode())

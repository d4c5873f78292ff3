"""Scripts by model and role for a scripted server, faults included; records what it was sent."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent.model.providers import offline_chat

from perf.fakes.openai_server import completion_of, read_messages
from tests.fakes.scripted_openai import Wire, completion

Part = Sequence[Wire | Literal["expert"]]
"""The answers to a role's calls in order, the last one repeated; "expert": the offline expert's reply."""
EXPERT: Part = ("expert",)
MEMORY = "memory"
"""The part for requests of summaries, which name no role."""
SUMMARY: Part = (completion("The first idea failed. Then script.py was written, in full."),)


@dataclass(frozen=True)
class Exchange:
    """One request and its answer."""

    role: str
    messages: list[dict[str, Any]]
    wire: Wire


class Cast:
    """The parts of all models, by model name and role; a role without a part gets the expert."""

    def __init__(self, parts: Mapping[str, Mapping[str, Part]]) -> None:
        self._parts = parts
        self._expert = offline_chat()
        self._exchanges: dict[str, list[Exchange]] = {name: [] for name in parts}

    def __call__(self, request: dict[str, Any]) -> Wire:
        """Return the part's next answer to this request."""
        name: str = request["model"]
        messages: list[dict[str, Any]] = request["messages"]
        role = _role_in(messages)
        part = self._parts[name].get(role, SUMMARY if role == MEMORY else EXPERT)
        before = len(self.exchanges(name, role))
        line = part[min(before, len(part) - 1)]
        wire = self._improvised(messages) if line == "expert" else line
        self._exchanges[name].append(Exchange(role, messages, wire))
        return wire

    def exchanges(self, name: str, role: str) -> list[Exchange]:
        """Return the exchanges of a model with a role, in order."""
        return [each for each in self._exchanges[name] if each.role == role]

    def _improvised(self, messages: list[dict[str, Any]]) -> Wire:
        return Wire(json.dumps(completion_of(self._expert.reply_to(read_messages(messages)))).encode())


def _role_in(messages: list[dict[str, Any]]) -> str:
    first = str(messages[0]["content"]).partition("\n")[0]
    return first.removeprefix("# Role: ").strip() if messages[0]["role"] == "system" else MEMORY

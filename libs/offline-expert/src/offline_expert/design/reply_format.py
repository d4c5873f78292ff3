"""How the expert says what it wants: by cells, by tool calls, or in one script; which one, the system prompt says."""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.design import cells, tool_calls

_EXECUTOR = re.compile(r"^Executor: (?P<name>[a-z_]+)$", re.MULTILINE)


class Writer(Protocol):
    """Hands a design out, or says that there is none."""

    def write_script(self, text: str, thought: str, number: int) -> AIMessage:
        """Return what writes script.py, the `number`-th time."""
        ...

    def refuse(self, reason: str) -> AIMessage:
        """Return what gives the plan up."""
        ...


class Manner(Writer, Protocol):
    """The replies where one is answered: by cells, or by tool calls."""

    def ask_facts(self) -> AIMessage:
        """Return what asks for zones, payload and obstacles."""
        ...

    def check_design(self, number: int) -> AIMessage:
        """Return what simulates the design once."""
        ...

    def submit_design(self, seen: Mapping[str, object]) -> AIMessage:
        """Return what hands the design in."""
        ...


def executor_of(messages: Sequence[BaseMessage]) -> str:
    """Return `code`, `tool_call` or `single_pass`."""
    found = _EXECUTOR.search(messages[0].text)
    return found["name"] if found else "code"


def manner_of(messages: Sequence[BaseMessage]) -> Manner:
    """Return how to reply where one is answered."""
    return tool_calls if executor_of(messages) == "tool_call" else cells

"""The replies of the expert engineer where it can only call tools."""

from collections.abc import Mapping
from hashlib import sha256

from langchain_core.messages import AIMessage

from offline_expert.design.cells import SCRIPT, proof_of


def ask_facts() -> AIMessage:
    """Return the call that prints zones, payload and obstacles as JSON."""
    return _call(
        "Before anything is built I need the zones, the payload and what stands in the way.", "query", measure="world"
    )


def write_script(text: str, thought: str, number: int) -> AIMessage:
    """Return the call that writes script.py; the number of the attempt makes its id."""
    call = {"name": "write_file", "args": {"path": SCRIPT, "text": text}, "id": f"write-script-{number}"}
    return AIMessage(content=thought, tool_calls=[call])


def check_design(number: int) -> AIMessage:
    """Return the call that simulates the design once."""
    return _call(f"script.py stands: is design {number} worth submitting?", "simulate", number=number)


def submit_design(seen: Mapping[str, object]) -> AIMessage:
    """Return the call that hands the design in."""
    thought = f"The preview ended as {seen.get('ending')} after {seen.get('time_s')} s."
    return _call(thought, "submit_for_review")


def refuse(reason: str) -> AIMessage:
    """Return the call that gives the plan up, with what was measured."""
    return _call("No machine of mine can do it.", "refuse_plan", proof=proof_of(reason))


def _call(thought: str, name: str, number: int = 0, **arguments: str) -> AIMessage:
    known_by = sha256(f"{name} {sorted(arguments.items())} {thought} {number}".encode()).hexdigest()[:12]
    return AIMessage(content=thought, tool_calls=[{"name": name, "args": arguments, "id": f"{name}-{known_by}"}])

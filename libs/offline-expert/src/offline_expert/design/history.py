"""What has happened so far, read from the conversation alone."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeGuard, cast

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.design.cells import FACTS, MOTORS, RESULT, SCRIPT
from offline_expert.drives.motor_choice import SoldMotor
from offline_expert.routing.problem import Facts

Trouble = Literal["dear", "misplaced", "lost", "stuck", "overshot", "flaky", "overloaded", "interrupted"]
"""What kept a design from being approved.

dear: beyond price, mass or part count. misplaced: zones, overlaps, floating parts. lost: the payload left the channel.
stuck: it stayed in it. overshot: it was in the goal and left. flaky: only some replicas reach the goal. overloaded:
something that holds it gave way. interrupted: the kernel, not the design, failed.
"""
Stage = Literal["unread", "written", "checked", "submitted", "failed"]

_LYING_MM = 60.0
"""A payload whose centre rests lower than this has fallen out of every channel."""
_CELLS = {
    "submit_for_review": "submit",
    "simulate(assembly)": "preview",
    "catalog.search(": "search",
    "environment.solids()": "ask",
}
_CALLS = {"submit_for_review": "submit", "simulate": "preview", "query": "ask"}
_WORLD = re.compile(r"^world: (?P<json>\{.*\})$", re.MULTILINE)
_SEEN = re.compile(r"^seen: (?P<json>\{.*\})$", re.MULTILINE)
"""What tools print."""
_RULES = re.compile(r"\*\*([a-z_]+)\*\*")
_DEAR = {"over_price", "over_mass", "too_many_parts"}
_MISPLACED = {
    "outside_build_zone",
    "inside_forbid_zone",
    "interference",
    "environment_interference",
    "environment_changed",
    "floating",
}


@dataclass
class Attempt:
    """One script.py and what came of it."""

    script: str
    stage: Stage = "unread"
    seen: dict[str, object] | None = None
    """What the preview printed."""
    trouble: Trouble | None = None


@dataclass
class History:
    """The whole work so far."""

    facts: Facts | None
    questions: int
    """How often the facts were asked for."""
    attempts: list[Attempt]
    motors: list[SoldMotor] | None = None
    """What the catalog's search found; None: it was not asked."""


def read_history(messages: Sequence[BaseMessage]) -> History:
    """Return what the conversation tells."""
    history = History(facts=None, questions=0, attempts=[])
    for said, answer in pairwise(messages):
        if isinstance(said, AIMessage) and not isinstance(answer, AIMessage):
            _take_in(history, said, answer.text)
    return history


def _take_in(history: History, said: AIMessage, answer: str) -> None:
    """Take in one reply and its answer."""
    script = _script_of(said)
    if script is not None:
        history.attempts.append(Attempt(script, "failed" if "was not written" in answer else "written"))
        if history.attempts[-1].stage == "failed":
            history.attempts[-1].trouble = "interrupted"
        return
    deed = _deed_of(said)
    if deed == "submit" and history.attempts:
        _fail(history.attempts[-1], _trouble_of_review(answer))
    elif deed == "preview" and history.attempts:
        _take_preview(history.attempts[-1], answer)
    elif deed == "search":
        found = _between(answer, MOTORS) or {}
        history.motors = cast("list[SoldMotor]", found.get("motors", []))
    elif deed == "ask":
        history.questions += 1
        found = _between(answer, FACTS) or _labelled(answer, _WORLD)
        history.facts = found if _are_facts(found) else None


def _deed_of(said: AIMessage) -> str:
    """Return what a reply did: by its tool call, or else by what its cell calls."""
    if said.tool_calls:
        return _CALLS.get(said.tool_calls[0]["name"], "")
    return next((deed for words, deed in _CELLS.items() if words in said.text), "")


def _take_preview(attempt: Attempt, answer: str) -> None:
    seen = _between(answer, RESULT) or _labelled(answer, _SEEN)
    if seen is None:
        _fail(attempt, _trouble_of_findings(answer))
        return
    attempt.seen = seen
    if seen.get("verdict") == "solved":
        attempt.stage = "checked"
    else:
        _fail(attempt, _trouble_of_run(seen))


def _fail(attempt: Attempt, trouble: Trouble) -> None:
    attempt.stage, attempt.trouble = "failed", trouble


def _trouble_of_review(answer: str) -> Trouble:
    if "The critic rejected" in answer:
        gave_way = any(words in answer for words in ("overloaded", "above a rating"))
        return "overloaded" if gave_way else "flaky"
    return _trouble_of_findings(answer)


def _trouble_of_findings(answer: str) -> Trouble:
    rules = set(_RULES.findall(answer))
    if rules & _MISPLACED:
        return "misplaced"
    return "dear" if rules & _DEAR else "interrupted"


def _trouble_of_run(seen: dict[str, object]) -> Trouble:
    if seen.get("ending") == "overloaded":
        return "overloaded"
    if seen.get("ending") != "missed_goal":
        return "lost"
    if seen.get("closest_goal_mm") == 0:
        return "overshot"
    final = cast("list[float]", seen.get("final_mm"))
    return "stuck" if final[2] > _LYING_MM else "lost"


def _script_of(said: AIMessage) -> str | None:
    for call in said.tool_calls:
        if call["name"] == "write_file" and call["args"].get("path") == SCRIPT:
            return str(call["args"]["text"])
    return None


def _between(answer: str, markers: tuple[str, str]) -> dict[str, object] | None:
    """Return the JSON object printed last between two markers; none if it is missing or cut."""
    begin = answer.rfind(markers[0])
    end = answer.find(markers[1], begin)
    if begin < 0 or end < 0:
        return None
    return _object(answer[begin + len(markers[0]) : end])


def _labelled(answer: str, label: re.Pattern[str]) -> dict[str, object] | None:
    """Return the JSON object that a tool printed last behind its label."""
    found = [match["json"] for match in label.finditer(answer)]
    return _object(found[-1]) if found else None


def _object(text: str) -> dict[str, object] | None:
    try:
        found: object = json.loads(text)
    except json.JSONDecodeError:
        return None
    return cast("dict[str, object]", found) if isinstance(found, dict) else None


def _are_facts(found: object) -> TypeGuard[Facts]:
    return isinstance(found, dict) and Facts.__required_keys__ <= found.keys()

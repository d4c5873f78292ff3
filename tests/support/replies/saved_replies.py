"""Checks by today's readers, checker and prompts that a recorded reply is unnecessary, see `saved.json`."""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from agent.loop.replies import read_cell
from agent.loop.role import Prompts
from agent.model.thoughts import without_thoughts
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message, ToolCall
from critic.verdict import read_verdict
from documents.shipped_skills import ALL_SKILLS
from engineer.messages import system_message
from engineer.policy import EXECUTORS
from kernel.api.mechanism_api import glue
from kernel.baked import utils
from kernel.checker.checker import violations
from planner.replies import read_plan

from tests.engineer.engineer_harness import plan_approved
from tests.support.replies.recorded_model import RecordedReply, recorded_reply
from tests.support.replies.reply_corpus import recorded_problem, recorded_replies

_PAGES = "skills/build123d/references/"


def problem_of_saving(row: Mapping[str, Any]) -> str:
    """Return why a reply is still necessary by its rule; nothing if code finds that it is not."""
    earlier: int | None = row.get("of")
    if earlier is not None and (problem := recorded_problem(recorded_replies()[earlier - 1])):
        return f"reply {earlier} is refused: {problem}"
    return _CHECKS[row["rule"]](recorded_reply(row["n"]), None if earlier is None else recorded_reply(earlier))


def _is_repeated(reply: RecordedReply, earlier: RecordedReply | None) -> str:
    assert earlier is not None
    known = [(call["name"], json.loads(call["arguments_json"])) for call in earlier.calls]
    calls = [(call["name"], json.loads(call["arguments_json"])) for call in reply.calls]
    return "" if calls and all(call in known for call in calls) else "its calls are others"


def _is_in_prompt(reply: RecordedReply, _: RecordedReply | None) -> str:
    prompt = _system_prompt()
    for call in reply.calls:
        path: str = json.loads(call["arguments_json"])["path"]
        missing = [text for text in _essence(path) if text not in prompt]
        if missing:
            return f"the prompt lacks {missing[0]!r} of {path}"
    return ""


def _essence(path: str) -> list[str]:
    """Return what a prompt must have so that nothing has to be viewed first."""
    match path.removeprefix(_PAGES):
        case "traps.md":
            return [line.removeprefix("## ") for line in _page(path) if line.startswith("## ")]
        case "physics.md":
            before_motors, _, _ = "\n".join(_page(path)).partition("\n## Motors")  # the plan buys none
            return [line for line in before_motors.splitlines() if line.startswith("- ")]
        case "utils/__init__.py":
            own = [name for name in utils.__all__ if inspect.isfunction(getattr(utils, name))]
            return [f"`{name}(" for name in own if getattr(utils, name).__name__ == name != "carried"]  # now `bearing`
        case "skills/build123d/SKILL.md":
            asks_first = "before" in ALL_SKILLS["build123d"].description
            return ["(its description asks for it before the first part)"] if asks_first else []
        case other:
            raise ValueError(f"no rule for {other}")


def _page(path: str) -> list[str]:
    return ALL_SKILLS["build123d"].files[path].decode().splitlines()


@lru_cache
def _system_prompt() -> str:
    return system_message(Prompts("engineer"), EXECUTORS["code"], plan_approved()).text


def _is_accepted(reply: RecordedReply, earlier: RecordedReply | None) -> str:
    """Check that the earlier cell passes the checker, or that its labels do, which this reply changes."""
    assert earlier is not None
    if not earlier.text:
        try:
            glue("channel A", "ground")
        except ValueError as error:
            return str(error)
        return ""
    found = violations(read_cell(_message(earlier)).code, {"script"})
    return f"the earlier cell is refused: {found}" if found else ""


def _says_the_same(reply: RecordedReply, earlier: RecordedReply | None) -> str:
    assert earlier is not None
    return "" if _meaning(reply) == _meaning(earlier) else "it means something else"


def _meaning(reply: RecordedReply) -> object:
    message = _message(reply)
    match reply.role:
        case "planner":
            return read_plan(message, Limits()).plan_md
        case "critic":
            return read_verdict(message).is_positive
        case "engineer":
            return read_cell(message).code
        case other:
            raise ValueError(f"no reader for the role {other}")


def _message(reply: RecordedReply) -> Message:
    calls = tuple(ToolCall.model_validate(call) for call in reply.calls)
    return without_thoughts(Message(author="assistant", text=reply.text, tool_calls=calls))


_CHECKS: Mapping[str, Callable[[RecordedReply, RecordedReply | None], str]] = {
    "calls run in order": _is_repeated,
    "page in the prompt": _is_in_prompt,
    "accepted now": _is_accepted,
    "form": _says_the_same,
}

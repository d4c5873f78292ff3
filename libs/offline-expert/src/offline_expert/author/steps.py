"""Steps of the author in its kernel, as tool calls, and which of them was the last.

The id of a step's last call names its stage and the number of the draw, so that the conversation alone tells what is
next.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, cast

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

Stage = Literal["create", "test", "submit"]
TESTED_SEEDS = (0,)
"""The platform certifies all seeds once more: one of them shows a world that cannot be solved at all."""
_ID = re.compile(r"(?P<stage>create|test|submit)-(?P<attempt>[0-9]+)")
_RAN = "**The cell ran**"

_CREATE = """\
from utils import create

world = create()
if not world.is_sound:
    raise AssertionError("; ".join(world.faults))
todo.check("T1")
todo.check("T2")
"""
_TEST = f"""\
from utils import test

tested = test(seeds={TESTED_SEEDS})
if not tested.is_certified:
    raise AssertionError("; ".join(each.stage + ": " + each.detail[:200] for each in tested.findings))
todo.check("T3")
"""
_SUBMIT = """\
from utils import submit_for_review

for item in todo.items:
    if item.state == "open":
        todo.check(item.id)
journal.add(
    "Submit the benchmark for review",
    "create() refuses nothing, and the tested world is certified",
    "The witness takes every measure from the world, so that other seeds should be solved alike",
    "Draw another world if one of them is not certified",
)
submit_for_review()
"""


class AuthorStep(NamedTuple):
    """A step that was made."""

    stage: Stage
    attempt: int
    """The number of the draw, from 0."""
    has_succeeded: bool


def last_step(messages: Sequence[BaseMessage]) -> AuthorStep | None:
    """Return the last step in the kernel; None before the first."""
    for message in reversed(messages):
        found = _ID.fullmatch(message.tool_call_id) if isinstance(message, ToolMessage) else None
        if found is not None:
            stage = cast("Stage", found["stage"])
            return AuthorStep(stage, int(found["attempt"]), _RAN in message.text and stage != "submit")
    return None


def write_files(files: Mapping[str, str], attempt: int) -> AIMessage:
    """Return the reply that writes the files, by path, and builds the nominal world."""
    calls = [
        _call("write_file", f"write-{number}-{attempt}", path=path, text=text)
        for number, (path, text) in enumerate(files.items(), start=1)
    ]
    thought = "I write the drawn world and its witness, and look whether the format accepts them."
    return AIMessage(thought, tool_calls=[*calls, _cell("create", attempt, _CREATE, "Build the nominal world")])


def test_worlds(attempt: int) -> AIMessage:
    """Return the reply that has a world certified."""
    thought = "The format refuses nothing: physics must show that the witness solves the world, and nothing else does."
    return AIMessage(thought, tool_calls=[_cell("test", attempt, _TEST, "Have one world certified")])


def submit(attempt: int) -> AIMessage:
    """Return the reply that submits the files."""
    thought = "The tested world is certified: it needs a machine, and the witness solves it in its replicas, too."
    return AIMessage(thought, tool_calls=[_cell("submit", attempt, _SUBMIT, "Submit the files")])


def _cell(stage: Stage, attempt: int, code: str, purpose: str) -> dict[str, object]:
    return _call("run_cell", f"{stage}-{attempt}", code=code, purpose=purpose)


def _call(name: str, call_id: str, **arguments: str) -> dict[str, object]:
    return {"name": name, "args": arguments, "id": call_id, "type": "tool_call"}

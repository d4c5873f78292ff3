"""Six runs of a real language model, recorded at commit 063a04f: requests, replies, and what is unnecessary today.

In `tests/agent/corpus`, `recorded_requests.jsonl` has what was new in each request, `recorded_tools.json` the tools of
that time, and `saved.json` each reply that today's product makes unnecessary, with the rule and the reason. A rule of
`DECIDED` is checked by code, the others are a judgement; one of `JOINED` sends its calls with the reply before it.
`changed.json` has replies and texts that today's product needs besides, and names that it has changed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from contracts.models.benchmark import Executor, Limits

from tests.support.replies.reply_corpus import FOLDER, recorded_replies

ROLES = {"planner": "planner", "critic": "critic", "catalog": "catalog", "learner": "skill-learner"}
DECIDED = frozenset({"calls run in order", "page in the prompt", "accepted now", "form"})
"""Rules that `problem_of_saving` checks by today's readers, checker and prompts."""
JOINED = "calls in one reply"
Request = dict[str, Any]
"""In the form of chat completions: `messages` and `tools`."""


@dataclass(frozen=True)
class RecordedReply:
    """One reply; `number` is None if it was written for today's product."""

    number: int | None
    role: str
    text: str
    calls: Sequence[Mapping[str, str]] = ()

    @property
    def words(self) -> str:
        """All that the model wrote: text, and names and arguments of calls."""
        return "\n".join([self.text, *(f"{call['name']} {call['arguments_json']}" for call in self.calls)])


@dataclass(frozen=True)
class RecordedRun:
    """One task, in one recorded run or two of which the second continued the first."""

    name: str
    benchmark: str
    seed: int
    executor: Executor
    recorded: tuple[int, ...]
    limits: Limits = field(default_factory=Limits)
    obsolete: str = ""
    """Why today's physics refuses the recorded machine, so that its replies lead to no solution."""


RUNS = (
    RecordedRun("run-1", "detour", 5, "code", (1,)),
    RecordedRun(
        "run-2",
        "push-flat",
        2,
        "code",
        (2,),
        obsolete="its slide leaves its guide, and its pinion meshes with no rack; then neither had to exist",
    ),
    RecordedRun("run-3", "lift-to-shelf", 4, "tool_call", (3,)),
    RecordedRun(
        "run-4",
        "detour",
        5,
        "code",
        (4, 5),
        Limits(max_unit_price_usd=170, max_mass_kg=0.5),
        "its posts of 7 mm break at 54 of 13 MPa; then only glue was judged",
    ),
)
"""Those that ended solved."""
REPLAYED = tuple(run for run in RUNS if not run.obsolete)


def saved_replies() -> dict[int, dict[str, str]]:
    """Return rule and reason by the number of each reply that is unnecessary today."""
    return {row["n"]: row for row in json.loads((FOLDER / "saved.json").read_text("utf-8"))}


def replies_of(run: RecordedRun, left_out: frozenset[int] = frozenset()) -> list[RecordedReply]:
    """Return the replies of a run without some, with those that today's product needs besides."""
    changed = json.loads((FOLDER / "changed.json").read_text("utf-8"))
    saved, found = saved_replies(), list[RecordedReply]()
    for row in _requests():
        if row["run"] not in run.recorded:
            continue
        added = [each for each in changed["added"] if each["before"] == row["n"]]
        found += [RecordedReply(None, each["role"], each["text"], each["calls"]) for each in added]
        reply = _renamed(recorded_reply(row["n"]), changed)
        if row["n"] not in left_out:
            found.append(reply)
        elif row["n"] in saved and saved[row["n"]]["rule"] == JOINED:
            found[-1] = replace(found[-1], calls=[*found[-1].calls, *reply.calls])
    return found


def recorded_reply(number: int) -> RecordedReply:
    """Return a reply as the model wrote it."""
    row = recorded_replies()[number - 1]
    return RecordedReply(number, ROLES.get(row["reader"], "engineer"), row["text"], row.get("calls", ()))


def _renamed(reply: RecordedReply, changed: Mapping[str, Any]) -> RecordedReply:
    """Return the reply with today's names, and with the text that it needs today."""
    text, calls = changed["texts"].get(str(reply.number), reply.text), [dict(call) for call in reply.calls]
    for old, new in changed["names"].items():
        text = text.replace(old, new)
        for call in calls:
            call["arguments_json"] = call["arguments_json"].replace(old, new)
    return RecordedReply(reply.number, reply.role, text, calls)


def recorded_requests(run: RecordedRun) -> Iterator[tuple[str, Request]]:
    """Yield role and body of each request of a run as it was sent, without pictures."""
    tools = json.loads((FOLDER / "recorded_tools.json").read_text("utf-8"))
    conversations: dict[tuple[str, str], list[dict[str, Any]]] = {}
    systems: dict[tuple[str, str], dict[str, Any]] = {}
    last: dict[tuple[str, str], RecordedReply] = {}
    for row in _requests():
        executor = "tool_call" if row["run"] == 3 else "single_pass" if row["run"] == 6 else "code"
        key = (row["role"], executor if row["role"] == "engineer" else "")
        messages = conversations.setdefault(key, [])
        if row["from"] is not None:
            del messages[row["from"] :]
            messages += [_message(each, last.get(key)) for each in row["messages"]]
        last[key] = recorded_reply(row["n"])
        if row["from"] == 0:
            systems[key] = messages[0]
        if row["run"] in run.recorded:
            yield row["role"], {"messages": list(messages), "tools": tools.get(key[1] or key[0], [])}


def _message(row: Mapping[str, str], reply: RecordedReply | None) -> dict[str, Any]:
    if row["author"] != "assistant":
        return {"role": row["author"], "content": row["text"]}
    assert reply is not None
    calls = [{"function": {"name": call["name"], "arguments": call["arguments_json"]}} for call in reply.calls]
    return {"role": "assistant", "content": reply.text, "tool_calls": calls}


def _requests() -> list[dict[str, Any]]:
    lines = (FOLDER / "recorded_requests.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]

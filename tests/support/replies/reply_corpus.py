"""The corpus of replies: ways of writing that chat models use, and what each of them means.

`tests/agent/corpus/accepted.json` has clear replies with their meaning, `ambiguous.json` replies that must be refused
with the words that help, and `recorded.jsonl` the replies of a real language model.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from agent.loop.replies import MalformedReplyError, read_cell
from agent.loop.tool_calls import read_arguments
from agent.model.thoughts import without_thoughts
from catalog.policy import read_reply
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message, ToolCall
from contracts.models.design import Evidence
from critic.verdict import REFUSAL, Verdict, is_verdict, read_design_verdict, read_verdict
from documents.drafts.journal import canonical_journal
from documents.drafts.todo import canonical_todo
from documents.journal import read_journal
from documents.parser import DocumentError
from documents.plan import read_plan as read_plan_document
from documents.skill_folders.frontmatter import split_skill
from documents.todo import read_todo
from engineer.policy import EXECUTORS
from planner.replies import read_plan
from planner.tool_calls import PLANNER_TOOLS

FOLDER = Path(__file__).parents[2] / "agent" / "corpus"
KNOWN = {
    name: Evidence(cell_id=UUID(int=1), name=name, summary="30", fingerprint="f" * 64)
    for name in ("stability", "shares")
}
RECORDED_NAMES = {
    name: KNOWN["stability"].model_copy(update={"name": name})
    for name in ("stability", "load", "cost", "shares", "overloads", "economy", "runs", "peaks", "measures")
}
"""Names that the cells of the recorded reviews bound."""
Case = dict[str, Any]


def cases(name: str) -> list[Case]:
    """Return the cases of a file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def problem_of(case: Case) -> str:
    """Return why a case is refused, or in what its reading differs from its meaning; nothing if it is read right."""
    try:
        found = _READERS[case["kind"]](case["text"])
    except (MalformedReplyError, DocumentError) as error:
        return f"refused: {error}"
    wrong = [f"{name} is {found[name]!r}" for name in found.keys() & case.keys() if not _agrees(name, found, case)]
    return "; ".join(sorted(wrong))


def _agrees(name: str, found: Mapping[str, Any], case: Case) -> bool:
    return case[name] in found[name] if name == "reasons" else found[name] == case[name]


def _cell(text: str) -> Mapping[str, Any]:
    reply = without_thoughts(Message(author="assistant", text=text))
    return {**read_cell(reply).model_dump(), "thoughts": bool(reply.reasoning)}


def _verdict(text: str, read: Callable[[Message], Verdict], words: tuple[str, str]) -> Mapping[str, Any]:
    reply = without_thoughts(Message(author="assistant", text=text))
    found = read(reply)
    if not is_verdict(reply):
        raise MalformedReplyError("it was not taken for a verdict")
    names = [each.name for each in found.evidence]
    return {"verdict": words[0] if found.is_positive else words[1], "reasons": found.review_md, "evidence": names}


def _plan(text: str) -> Mapping[str, Any]:
    work = read_plan(without_thoughts(Message(author="assistant", text=text)), Limits())
    plan, todo = read_plan_document(work.plan_md), read_todo(work.todo_md)
    figures = [figure for part in plan.parts for figure in (part.mass_g, part.price_usd)]
    return {
        "figures": [None if figure is None else f"{figure:f}" for figure in figures],
        "methods": [part.method for part in plan.parts],
        "materials": [part.material for part in plan.parts],
        "moved_by": plan.moved_by,
        "stages": list(plan.stages),
        "risks": [[each.risk, each.measure] for each in plan.risks],
        "todo": [item.text for item in todo.items],
    }


_READERS: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
    "cell": _cell,
    "verdict": lambda text: _verdict(text, read_verdict, ("APPROVE", "REJECT")),
    "refusal verdict": lambda text: _verdict(text, lambda reply: read_verdict(reply, REFUSAL), ("UPHOLD", "DENY")),
    "design verdict": lambda text: _verdict(
        text, lambda reply: read_design_verdict(reply, KNOWN, None), ("APPROVE", "REJECT")
    ),
    "plan": _plan,
    "todo": lambda text: {"canonical": read_todo(canonical_todo(text)).markdown()},
    "journal": lambda text: {"canonical": read_journal(canonical_journal(text)).markdown()},
}


def recorded_replies() -> list[Case]:
    """Return the replies of a real language model, recorded in six runs at commit 063a04f."""
    return [json.loads(line) for line in (FOLDER / "recorded.jsonl").read_text(encoding="utf-8").splitlines()]


def recorded_problem(reply: Case) -> str:
    """Return why the reader of its role refuses a recorded reply, or nothing."""
    calls = tuple(ToolCall.model_validate(call) for call in reply.get("calls", ()))
    message = without_thoughts(Message(author="assistant", text=reply["text"], tool_calls=calls))
    try:
        _ROLES[reply["reader"]](message)
    except MalformedReplyError as error:
        return str(error)
    return ""


def _planner(reply: Message) -> object:
    if reply.tool_calls:
        return [read_arguments(call, PLANNER_TOOLS) for call in reply.tool_calls]
    return read_plan(reply, Limits())


def _critic(reply: Message) -> object:
    """Read a cell, or a verdict; of one on a design only the form and the names are checked."""
    if not is_verdict(reply):
        return read_cell(reply)
    is_design = "Evidence" in reply.text
    if not is_design:
        return read_verdict(reply)
    rejection = reply.model_copy(update={"text": reply.text.replace("APPROVE", "REJECT", 1)})
    return read_design_verdict(rejection, RECORDED_NAMES, None)


def _skill(reply: Message) -> object:
    """Read a skill as it was written in replies before the learner had tools; the format is the same today."""
    return split_skill(reply.text.strip() + "\n")


_ROLES: Mapping[str, Callable[[Message], object]] = {
    "planner": _planner,
    "critic": _critic,
    "catalog": read_reply,
    "learner": _skill,
    **{name: EXECUTORS[name].read for name in EXECUTORS},
}

"""The critic's policy on generated benchmarks: what can be checked on a plan or a draft without a model."""

import re

from langchain_core.messages import AIMessage

_SECTION = re.compile(r"^## (?P<name>[A-Z][a-z]+)\n+(?P<text>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_PLANNED = ("Task", "World", "Mechanism", "Motion", "Risks")
_LEAST_CHARS = 20
_MOVES = re.compile(r"^Level: [123]\. Something of the environment moves: (?P<answer>yes|no)\.", re.MULTILINE)
_STILL = "nothing"


def review_benchmark(question: str) -> AIMessage:
    """Return the verdict on the plan or the draft of a benchmark."""
    objections = _plan_objections(question) if question.startswith("# Benchmark plan") else _draft_objections(question)
    verdict = "REJECT" if objections else "APPROVE"
    reasons = objections or ["All checks that are possible without a model pass."]
    return AIMessage(f"VERDICT: {verdict}\n\n" + "\n".join(f"- {reason}" for reason in reasons))


def _sections(question: str) -> dict[str, str]:
    return {match["name"]: match["text"].strip("~` \n") for match in _SECTION.finditer(question)}


def _plan_objections(question: str) -> list[str]:
    found = _sections(question)
    missing = [f"The section {name} is missing or says nothing." for name in _PLANNED if not found.get(name)]
    thin = [name for name in ("Task", "World", "Mechanism") if 0 < len(found.get(name, "")) < _LEAST_CHARS]
    short = f"has less than {_LEAST_CHARS} characters: say what, where and how large."
    return [*missing, *(f"{name} {short}" for name in thin)]


def _draft_objections(question: str) -> list[str]:
    """Compare what moves with the plan."""
    match, planned = _MOVES.search(question), _sections(question).get("Motion", "")
    if match is None:
        return ["It is not stated whether something moves."]
    plans_motion = not planned.lower().startswith(_STILL)
    if plans_motion == (match["answer"] == "yes"):
        return []
    return [f"The plan says of motion: {planned[:80]!r}; but whether something moves: {match['answer']}."]

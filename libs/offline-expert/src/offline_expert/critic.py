"""The critic's rules: a plan must cover the task, a refusal must cite failures, a design must hold when run again."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.design_review import review_design

_TODO = re.compile(r"^- \[ \] T\d+: .+$", re.MULTILINE)
_CITED = re.compile(r"^### (?:cell|simulation) \d+\n\n(?P<told>.*)$", re.MULTILINE)
_FAILURES_FOR_A_PROOF = 2
"""One failed try shows that one design failed, and nothing of the plan."""


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a verdict on what the last question asks, or the cell that must be run first."""
    place = max((n for n, each in enumerate(messages) if each.text.startswith(_QUESTIONS)), default=-1)
    asked = messages[place].text if place >= 0 else ""
    if asked.startswith("# Design"):
        return review_design(messages, place)
    if asked.startswith("# Refusal"):
        return _on_refusal(asked)
    return _on_plan(asked)


_QUESTIONS = ("# Plan", "# Refusal", "# Design")


def _on_plan(shown: str) -> AIMessage:
    objections = _of_plan(shown)
    verdict = "REJECT" if objections else "APPROVE"
    reasons = objections or ["Every check that can be made on what is shown passes."]
    return AIMessage(f"VERDICT: {verdict}\n\n" + "\n".join(f"- {reason}" for reason in reasons))


def _of_plan(shown: str) -> list[str]:
    objections: list[str] = []
    items = _TODO.findall(shown)
    if len(items) < 3:
        objections.append(f"The TODO list has {len(items)} items; route, build, check, simulate and submit are needed.")
    for word, what in (("imulat", "simulating"), ("ubmit", "submitting")):
        if not any(word in item for item in items):
            objections.append(f"The TODO list never comes to {what}.")
    if "slope" not in shown:
        objections.append("The plan says nothing about slope: what makes the payload move?")
    return objections


def _on_refusal(shown: str) -> AIMessage:
    """Uphold what cites two failures and more; what they failed by is for the planner to read."""
    cited = [found["told"] for found in _CITED.finditer(shown)]
    failed = [told for told in cited if not told.startswith("ok:") or "**FAILED**" in told]
    if len(failed) >= _FAILURES_FOR_A_PROOF:
        reasons = [f"Cited, and failed: {' '.join(told.split())[:200]}" for told in failed]
        return AIMessage("VERDICT: UPHOLD\n\n" + "\n".join(f"- {reason}" for reason in reasons))
    return AIMessage(
        f"VERDICT: DENY\n\n- Of the {len(cited)} items that the proof cites, {len(failed)} failed; "
        f"{_FAILURES_FOR_A_PROOF} different failures are needed to say something of the plan: try another design."
    )

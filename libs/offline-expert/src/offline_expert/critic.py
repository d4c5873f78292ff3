"""The critic's policy: a plan must cover the task, a refusal must cite failures, a design must hold when rerun."""

import json
import math
import re
from collections.abc import Sequence
from typing import NotRequired, TypedDict, cast

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.benchmark_review import review_benchmark
from offline_expert.markdown import boxes, last_containing, numbers, rows, value
from offline_expert.planner import NO_MACHINE

_FORM_ONLY = "The plan is complete in form, but names no machine that fits: the engineer must find one, or refuse it."
_QUESTIONS = ("# Plan", "# Refusal", "# Design", "# Benchmark plan", "# Benchmark draft")
_TODO = re.compile(r"^- \[ \] T\d+: .+$", re.MULTILINE)
_CITED = re.compile(r"^### (?:cell|simulation) \d+\n\n(?:~{4,}\w*\n)?(?P<summary>.*)$", re.MULTILINE)
_FAILURES_FOR_A_PROOF = 2
"""A single failure shows that one design failed, not that the plan is impossible."""
_MEASURED = re.compile(r"error: AssertionError: (?=.*\d)")
"""A cell that measured what a machine needs, and what there is, and in which this did not hold."""
_GRAVITY_M_S2 = 9.81
_ENERGY_MARGIN = 1.2
"""A payload much faster than in free fall from the top of the world to its bottom indicates a numerical fault."""
_MAX_RERUNS = 2
"""A cell may fail for reasons other than the design."""
_BEGIN, _END = "<<<REVIEW", "REVIEW>>>"
_EVIDENCE = {
    "stability": "replicas of five more seeds, counted together",
    "strained": "overloads of motors, joints and connections",
    "shares": "price, mass and parts over their limits",
    "spare": "parts that were never touched and hold nothing needed",
}
_RERUN_CODE = """\
import json

runs = {benchmark.seed + n: simulate(design, seed=benchmark.seed + n, replicas=6) for n in range(1, 6)}
stability = assess()
strained = overloads(scene, result)
shares = economy(bill, limits)
spare = list(each_removable_alone(scene, result))
review = {
    "stability": stability.verdict,
    "summary": str(stability),
    "strained": strained[:5],
    "over": sorted(name for name, share in shares.items() if share > 1),
    "spare": spare[:10],
}
print("<<<" + "REVIEW", json.dumps(review), "REVIEW" + ">>>")"""


class Reruns(TypedDict):
    """Results that the rerun cell printed."""

    stability: str
    summary: str
    strained: list[str]
    over: list[str]
    spare: NotRequired[list[str]]


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a verdict on the last question, or the cell that must run before it."""
    index = max((n for n, message in enumerate(messages) if message.text.startswith(_QUESTIONS)), default=-1)
    question = messages[index].text if index >= 0 else ""
    if question.startswith("# Design"):
        return _review_design(messages, index)
    if question.startswith("# Refusal"):
        return _review_refusal(question)
    if question.startswith("# Benchmark"):
        return review_benchmark(question)
    return _review_plan(question)


def _review_plan(question: str) -> AIMessage:
    objections = _plan_objections(question)
    verdict = "REJECT" if objections else "APPROVE"
    reasons = objections or [_FORM_ONLY if NO_MACHINE in question else "All checks that are possible on the plan pass."]
    return AIMessage(f"VERDICT: {verdict}\n\n" + "\n".join(f"- {reason}" for reason in reasons))


def _plan_objections(question: str) -> list[str]:
    objections: list[str] = []
    items = _TODO.findall(question)
    if len(items) < 3:
        objections.append(f"The TODO list has {len(items)} items; route, build, check, simulate and submit are needed.")
    for part, step in (("imulat", "simulation"), ("ubmit", "submission")):
        if not any(part in item for item in items):
            objections.append(f"The TODO list has no {step}.")
    if "slope" not in question:
        objections.append("The plan states no slope: what makes the payload move?")
    return objections


def _review_refusal(question: str) -> AIMessage:
    """Uphold a refusal that cites a measured requirement that fails, or at least two failures."""
    cited = [match["summary"] for match in _CITED.finditer(question)]
    failed = [summary for summary in cited if not summary.startswith("ok:") or "**FAILED**" in summary]
    if len(failed) >= _FAILURES_FOR_A_PROOF or any(_MEASURED.match(summary) for summary in failed):
        reasons = [f"Cited, and failed: {' '.join(summary.split())[:200]}" for summary in failed]
        if "This expert found no" in question:
            reasons.append("No way was found. This does not prove that there is none.")
        return AIMessage("VERDICT: UPHOLD\n\n" + "\n".join(f"- {reason}" for reason in reasons))
    return AIMessage(
        f"VERDICT: DENY\n\n- Of the {len(cited)} items that the proof cites, {len(failed)} failed; "
        f"{_FAILURES_FOR_A_PROOF} different failures, or a cell that measures a requirement and fails, are needed: "
        "try another design."
    )


def _review_design(messages: Sequence[BaseMessage], index: int) -> AIMessage:
    """Return the cell that reruns the design, or the verdict; `index` is that of the design's message."""
    question = messages[index].text
    objections = [
        *_limit_objections(question),
        *_energy_objections(question, last_containing(messages, "## Zones (mm)")),
    ]
    answers = [message.text for message in messages[index + 1 :] if message.text.startswith("# Observation")]
    reruns = next((found for found in map(_printed_reruns, answers) if found is not None), None)
    if reruns is None and len(answers) < _MAX_RERUNS:
        return _rerun(len(answers))
    if reruns is None:
        return _verdict([*objections, "The design could not be run again, and without reruns it is not approved."], [])
    objections += _rerun_objections(reruns)
    remarks = [f"Rerun under five more seeds, it is {reruns['summary']}."]
    if spare := reruns.get("spare"):
        remarks.append(
            f"Any one of these parts, which the payload never touched, could be left out: {', '.join(spare)}."
        )
    return _verdict(objections, list(_EVIDENCE), remarks)


def _rerun(failed_cells: int) -> AIMessage:
    again = "The last cell printed no result; I run it again. " if failed_cells else ""
    return AIMessage(
        "## Purpose\n\nRerun the submitted machine under five more seeds, and measure loads and economy\n\n"
        f"## Reasoning\n\n{again}One verdict is one seed: a flaky machine may have passed it. 30 replicas of other "
        "seeds are enough to recognise a machine that often fails.\n\n"
        f"## Next goal\n\nGive the verdict on the results of these runs.\n\n## Code\n\n```python\n{_RERUN_CODE}\n```"
    )


def _verdict(objections: list[str], evidence: list[str], remarks: Sequence[str] = ()) -> AIMessage:
    verdict = "REJECT" if objections else "APPROVE"
    named = [f"- `{name}`: {_EVIDENCE[name]}" for name in evidence] or ["- none"]
    reasons = [f"- {reason}" for reason in (*objections, *remarks)]
    return AIMessage(
        f"VERDICT: {verdict}\n\n## Reasons\n\n" + "\n".join(reasons) + "\n\n## Evidence\n\n" + "\n".join(named)
    )


def _printed_reruns(answer: str) -> Reruns | None:
    begin, end = answer.rfind(_BEGIN), answer.rfind(_END)
    if begin < 0 or end < begin:
        return None
    try:
        return cast("Reruns", json.loads(answer[begin + len(_BEGIN) : end]))
    except json.JSONDecodeError:  # the middle of a long output is left out
        return None


def _rerun_objections(reruns: Reruns) -> list[str]:
    objections = [f"Overloaded: {each}." for each in reruns["strained"]]
    objections += [f"The {name} is over its limit." for name in reruns["over"]]
    if reruns["stability"] != "stable":
        objections.append(
            f"Rerun, it is {reruns['summary']}: it does not hold up. Raise walls, widen the catcher or lower the speed "
            "where replicas leave."
        )
    return objections


def _limit_objections(question: str) -> list[str]:
    objections: list[str] = []
    for row in rows(question):
        if len(row) != 3 or row[0] not in ("unit price", "mass", "parts"):
            continue
        measured, limit = numbers(row[1]), numbers(row[2])
        if measured and limit and measured[0] > limit[0]:
            objections.append(f"The {row[0]} is {row[1]}, and at most {row[2]} is allowed.")
    return objections


def _energy_objections(question: str, task: str) -> list[str]:
    """Return that the payload is too fast: a motor may lift it to the top of the world, but no higher."""
    bounds = next((box for box in boxes(task) if box.kind == "bounds"), None)
    speeds_m_s = numbers(value(question, "nominal maximum speed") or "")
    if bounds is None or not speeds_m_s:
        return ["Bounds or speed are missing: the energy of the payload cannot be checked."]
    height_m = (bounds.high[2] - bounds.low[2]) / 1000
    max_m_s = _ENERGY_MARGIN * math.sqrt(2 * _GRAVITY_M_S2 * height_m)
    if speeds_m_s[0] <= max_m_s:
        return []
    return [
        f"The payload reaches {speeds_m_s[0]:g} m/s, and no fall in this world gives more than {max_m_s:.1f} m/s: "
        "the simulation is not reliable; give the payload 8 mm of clearance at its start."
    ]

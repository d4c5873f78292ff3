"""The critic's rules for a design: run it again under five seeds in one cell, then judge by what that told."""

import json
import math
from collections.abc import Sequence
from typing import NotRequired, TypedDict, cast

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.markdown import boxes, last_containing, numbers, rows, value

_GRAVITY_M_S2 = 9.81
_ENERGY_MARGIN = 1.2
"""A payload much faster than free fall to the bottom of the world got energy from nowhere: a numerical fault."""
_MOST_TRIES = 2
"""A cell may fail for no fault of the design; twice is enough."""
_BEGIN, _END = "<<<REVIEW", "REVIEW>>>"
_EVIDENCE = {
    "stability": "replicas of the verdict and of five more seeds, counted together",
    "strained": "what motors, joints and connections bore too much",
    "shares": "price, mass and parts as shares of their limits",
    "spare": "parts that were never touched and hold nothing needed",
}

_CODE = """\
import json

runs = {benchmark.seed + n: simulate(design, seed=benchmark.seed + n, replicas=6) for n in range(1, 6)}
stability = assess({benchmark.seed: result, **runs})
strained = overloads(scene, result)
shares = economy(bill, limits)
spare = list(spare_parts(scene, result))
told = {
    "stability": stability.verdict,
    "summary": str(stability),
    "strained": strained[:5],
    "over": sorted(name for name, share in shares.items() if share > 1),
    "spare": spare[:10],
}
print("<<<" + "REVIEW", json.dumps(told), "REVIEW" + ">>>")"""


class Told(TypedDict):
    """What the cell printed."""

    stability: str
    summary: str
    strained: list[str]
    over: list[str]
    spare: NotRequired[list[str]]


def review_design(messages: Sequence[BaseMessage], place: int) -> AIMessage:
    """Return the cell that runs the design again, or the verdict; the design stands in the message at `place`."""
    shown = messages[place].text
    objections = [
        *_of_physics(shown),
        *_of_limits(shown),
        *_of_energy(shown, last_containing(messages, "## Zones (mm)")),
    ]
    answers = [each.text for each in messages[place + 1 :] if each.text.startswith("# Observation")]
    told = next((found for found in map(_told, answers) if found is not None), None)
    if told is None and len(answers) < _MOST_TRIES:
        return _rerun(len(answers))
    if told is None:
        return _verdict(
            [*objections, "The design could not be run again: what cannot be confirmed is not approved."], []
        )
    objections += _of_reruns(told)
    remarks = [f"Run again under five more seeds, it is {told['summary']}."]
    if spare := told.get("spare"):
        remarks.append(f"Nothing would fall without one of these, which the payload never touched: {', '.join(spare)}.")
    return _verdict(objections, list(_EVIDENCE), remarks)


def _rerun(tries: int) -> AIMessage:
    again = "The last cell told nothing; once more. " if tries else ""
    return AIMessage(
        "## Purpose\n\nRun the submitted machine under five more seeds, and look at loads and economy\n\n"
        f"## Reasoning\n\n{again}One verdict is one seed: a flaky machine may have passed it. Its own replicas and 30 "
        "more are enough to tell a machine that fails every tenth time.\n\n"
        f"## Next goal\n\nGive the verdict on what these runs tell.\n\n## Code\n\n```python\n{_CODE}\n```"
    )


def _verdict(objections: list[str], evidence: list[str], remarks: Sequence[str] = ()) -> AIMessage:
    verdict = "REJECT" if objections else "APPROVE"
    named = [f"- `{name}`: {_EVIDENCE[name]}" for name in evidence] or ["- none"]
    reasons = [f"- {reason}" for reason in (*objections, *remarks)]
    return AIMessage(
        f"VERDICT: {verdict}\n\n## Reasons\n\n" + "\n".join(reasons) + "\n\n## Evidence\n\n" + "\n".join(named)
    )


def _told(answer: str) -> Told | None:
    begin, end = answer.rfind(_BEGIN), answer.rfind(_END)
    if begin < 0 or end < begin:
        return None
    try:
        return cast("Told", json.loads(answer[begin + len(_BEGIN) : end]))
    except json.JSONDecodeError:  # the output was cut in its middle
        return None


def _of_reruns(told: Told) -> list[str]:
    objections = [f"Overloaded: {each}." for each in told["strained"]]
    objections += [f"The {name} is over its limit." for name in told["over"]]
    if told["stability"] != "stable":
        objections.append(
            f"Run again it is {told['summary']}: it does not hold. Raise walls, widen the catcher or lower the speed "
            "where replicas leave."
        )
    return objections


def _of_physics(shown: str) -> list[str]:
    objections: list[str] = []
    verdict, stability = value(shown, "verdict"), value(shown, "stability")
    if verdict != "solved":
        objections.append(f"The nominal run ended as {value(shown, 'nominal run ended')}: verdict {verdict}.")
    if stability != "stable":
        rate = value(shown, "success rate of the replicas")
        objections.append(
            f"The replicas say {stability}: {rate} succeeded, 90 % are needed. "
            "Raise walls, widen the catcher or lower the speed where they leave."
        )
    return objections


def _of_limits(shown: str) -> list[str]:
    objections: list[str] = []
    for row in rows(shown):
        if len(row) != 3 or row[0] not in ("unit price", "mass", "parts"):
            continue
        measured, at_most = numbers(row[1]), numbers(row[2])
        if measured and at_most and measured[0] > at_most[0]:
            objections.append(f"The {row[0]} is {row[1]}, and at most {row[2]} is allowed.")
    return objections


def _of_energy(shown: str, task: str) -> list[str]:
    start_mm = numbers(value(task, "start (centre)") or "")
    floors_mm = [each.low[2] for each in boxes(task) if each.kind == "bounds"]
    speeds_m_s = numbers(value(shown, "nominal maximum speed") or "")
    if not (start_mm and floors_mm and speeds_m_s):
        return ["Start, bounds or speed are not shown: the energy of the payload cannot be checked."]
    height_m = (start_mm[2] - floors_mm[0]) / 1000
    bound_m_s = _ENERGY_MARGIN * math.sqrt(2 * _GRAVITY_M_S2 * height_m)
    if speeds_m_s[0] <= bound_m_s:
        return []
    return [
        f"The payload reaches {speeds_m_s[0]:g} m/s, and gravity can give at most {bound_m_s:.1f} m/s here: "
        "the simulation is not to be trusted; give the payload 8 mm of clearance at its start."
    ]

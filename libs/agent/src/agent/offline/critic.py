"""The critic's rules: a plan must cover the task, a design must have been solved again and again, within its limits."""

import math
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from agent.offline.reading import boxes, last_containing, numbers, rows, value

_TODO = re.compile(r"^- \[ \] T\d+: .+$", re.MULTILINE)
_STABLE_PERCENT = 90.0
_GRAVITY_M_S2 = 9.81
_ENERGY_MARGIN = 1.2
"""A payload much faster than free fall to the bottom of the world got energy from nowhere: a numerical fault."""


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a verdict on the plan or the design in the last message that shows one."""
    shown = next((m.text for m in reversed(messages) if m.text.startswith(("# Plan", "# Design"))), "")
    if shown.startswith("# Design"):
        task = last_containing(messages, "## Zones (mm)")
        objections = [*_of_physics(shown), *_of_limits(shown), *_of_energy(shown, task)]
    else:
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


def _of_physics(shown: str) -> list[str]:
    objections: list[str] = []
    verdict, stability = value(shown, "verdict"), value(shown, "stability")
    if verdict != "solved":
        objections.append(f"The nominal run ended as {value(shown, 'nominal run ended')}: verdict {verdict}.")
    if stability != "stable":
        rate = value(shown, "success rate of the replicas")
        objections.append(
            f"The replicas say {stability}: {rate} succeeded, {_STABLE_PERCENT:g} % are needed. "
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

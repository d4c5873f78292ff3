"""The planner's rules: where must the payload go, what is in the way, and in which order to work."""

import math
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from agent.offline.reading import Box, Point, boxes, last_containing, numbers, value

_ROLLS_FROM_DEG = 5.0
"""A ball rolls reliably from this slope on."""
_ROLLING = (
    "Every part is one box; channels are a floor and two side walls. The payload ends in a pocket inside the goal "
    "zone: flat floor, a step down into it, an end wall. Legs stand on the environment so that nothing floats."
)
_DRIVEN = (
    "Printed panels, glued to each other and to the environment, guide the payload; what the motor moves is one "
    "carriage that carries the motor itself, with 2 mm and more between it and all that stands still."
)


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a plan and a TODO list for the assignment in the conversation."""
    task = last_containing(messages, "## Zones (mm)")
    review = messages[-1].text if messages[-1].text != task else ""
    return AIMessage(f"## Plan\n\n{_plan(task, review)}\n\n## TODO\n\n{_todo(task)}")


def _plan(task: str, review: str) -> str:
    start, goal = _start(task), _one(task, "goal").center
    dx, dy, dz = (to - at for at, to in zip(start, goal, strict=True))
    away_mm = math.hypot(dx, dy)
    slope_deg = math.degrees(math.atan2(-dz, away_mm))
    lines = [
        f"The payload ({value(task, 'shape')}) starts at {_xyz(start)} mm and must come to rest at {_xyz(goal)} mm: "
        f"{away_mm:.0f} mm away and {abs(dz):.0f} mm {'higher' if dz >= 0 else 'lower'}, a mean slope of "
        f"{slope_deg:.1f} degrees.",
        *((_motor(dz, task), _DRIVEN) if dz >= 0 else (_energy(slope_deg), _route(task, start, goal), _ROLLING)),
        f"Limits: unit price {value(task, 'unit price')}, mass {value(task, 'mass')}, parts {value(task, 'parts')}. "
        "Print everything unless a limit forces another method.",
    ]
    if review:
        lines.append("The review of the last plan is taken up: " + " ".join(review.split())[:600])
    return "\n\n".join(lines)


def _motor(dz: float, task: str) -> str:
    goal, start = _one(task, "goal"), _start(task)
    how = "lifts it" if goal.low[2] >= start[2] else "pushes it over the floor"
    return (
        f"The goal lies {dz:.0f} mm above the start: gravity cannot do it. A bought gear motor with a position sensor "
        f"{how}: a pinion on a rack, at most 100 mm/s, starting and ending gently, below half of its stall torque."
    )


def _energy(slope_deg: float) -> str:
    if slope_deg >= _ROLLS_FROM_DEG:
        return f"Gravity is enough: {slope_deg:.1f} degrees is more than the {_ROLLS_FROM_DEG:g} that a ball needs."
    return f"Gravity alone is doubtful: a ball needs {_ROLLS_FROM_DEG:g} degrees and a straight way offers less."


def _route(task: str, start: Point, goal: Point) -> str:
    obstacles = [each for each in boxes(task) if each.kind in ("forbid", "environment")]
    in_the_way = [each.label for each in obstacles if each.crosses(start, goal)]
    if not in_the_way:
        return "Nothing lies on the straight line from start to goal: one straight chute, caught under the start."
    names = ", ".join(f"`{label}`" for label in in_the_way)
    return (
        f"The straight line from start to goal runs through {names}: go round in legs that meet at right angles, each "
        "leg ending above the next so that the payload drops on and never stops."
    )


def _todo(task: str) -> str:
    is_driven = _one(task, "goal").center[2] >= _start(task)[2]
    work = (
        (
            "Lay out the machine from the start to the goal zone: guides, carriage, rack and motor",
            "Write script.py: printed parts with method and material, the joint, the motor and its program",
        )
        if is_driven
        else (
            "Route a channel from the start to the goal zone, clear of every forbid zone",
            "Write script.py that builds the channel as labelled boxes with method and material",
        )
    )
    items = (
        "Read benchmark and environment in the kernel",
        *work,
        "Check price and manufacturability with validate_and_price",
        "Simulate, and mend until the payload stays in the goal zone in every replica",
        "Submit for review",
    )
    return "\n".join(f"- [ ] T{number}: {item}" for number, item in enumerate(items, start=1))


def _start(task: str) -> Point:
    x, y, z = numbers(value(task, "start (centre)") or "")
    return (x, y, z)


def _one(task: str, kind: str) -> Box:
    return next(each for each in boxes(task) if each.kind == kind)


def _xyz(point: Point) -> str:
    return "(" + ", ".join(f"{axis:.0f}" for axis in point) + ")"

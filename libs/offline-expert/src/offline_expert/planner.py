"""The planner's rules: where must the payload go, what is in the way, of what is the machine, what comes first."""

import math
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.drives.machine import GEARED, PINION_MM
from offline_expert.markdown import Box, Point, boxes, last_containing, numbers, rows, value
from offline_expert.parts_list import Ways, driven_parts, parts_table, rolling_parts

_ROLLS_FROM_DEG = 5.0
"""A ball rolls reliably from this slope on."""
_SIDE_RATIO, _HIGHER = 0.8, 0.2
"""Height of sides over the payload's size, and how much more each failed plan adds."""
_CARRIED_KG = 0.25
"""Payload, carriage and motor together, at most."""
_REVIEW_CHARS = 600


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a search for a motor if one is needed and was not looked for; else a plan and a TODO list."""
    task = last_containing(messages, "## Zones (mm)")
    found = [each.text for each in messages if each.type == "tool"]
    if _is_driven(task) and not found:
        return _search()
    after = [each.text for each in messages if each.type == "human" and each.text.startswith(_REVIEWS)]
    return AIMessage(_plan(task, after, _price_told(found)))


_REVIEWS = ("# The critic rejected the plan", "# The engineer proved")


def _search() -> AIMessage:
    torque_n_m = 2 * _CARRIED_KG * 9.81 * PINION_MM / 1000
    words = f"a gear motor with an encoder, at most 12 V, at least {torque_n_m:.2f} N m for long, cheap"
    return AIMessage("", tool_calls=[{"id": "search-1", "name": "search_catalog", "args": {"words": words}}])


def _price_told(found: Sequence[str]) -> float | None:
    """Return what the catalog says that the expert's motor costs, if it was found."""
    return next((float(row[2]) for text in found for row in rows(text) if row[0] == GEARED.id), None)


def _plan(task: str, reviews: Sequence[str], motor_usd: float | None) -> str:
    ways = _ways(task, len(reviews))
    is_driven = _is_driven(task)
    paragraphs = [
        _summary(task),
        _motor(task) if is_driven else f"{_energy(task)} {_route(task)}",
        f"Sides are {ways.side_mm:.0f} mm high, channels a third wider than the payload. Limits: unit price "
        f"{value(task, 'unit price')}, mass {value(task, 'mass')}, parts {value(task, 'parts')}.",
    ]
    if reviews:
        told = " ".join(reviews[-1].split())[:_REVIEW_CHARS]
        paragraphs.append(f"What became of the last plan is taken up, with sides that are higher: {told}")
    parts = driven_parts(task, ways, motor_usd) if is_driven else rolling_parts(task, ways)
    moved_by = (
        "a bought gear motor, its pinion on a rack" if is_driven else f"gravity, on a mean slope of {_slope(task)}"
    )
    stages = [f"{number}. {text}" for number, text in enumerate(_DRIVEN if is_driven else _ROLLING, start=1)]
    risks = [f"- {risk}" for risk in (_SLOW if is_driven else _STUCK, _BOUNCES, _TIPS)]
    bodies = {
        "Idea": "\n\n".join(paragraphs),
        "Parts": parts_table(parts),
        "Motion": "\n".join([f"Moved by: {moved_by}\n", *stages]),
        "Risks": "\n".join(risks),
        "TODO": _todo(is_driven),
    }
    return "\n\n".join(f"## {title}\n\n{body}" for title, body in bodies.items())


_ROLLING = (
    "the payload drops into the upper end of the first channel, whose floor has the slope it needs",
    "it rolls down from channel to channel, each ending above the next",
    "it falls over a step into a pocket inside the goal zone and comes to rest on its flat floor",
)
_DRIVEN = (
    "the payload comes to rest in the carriage",
    "the motor moves the carriage along the rack with at most 100 mm/s, starting and ending gently",
    "the payload leaves the carriage on a slope and comes to rest in the goal zone",
)
_STUCK = "the payload stops at a corner: channels overlap in height, so that it drops on"
_SLOW = "the motor is too weak: it works below half of its stall torque, with 2 mm of clearance"
_BOUNCES = "the payload leaves the pocket: the end wall is higher than the payload"
_TIPS = "a part is not held: every part touches another one and is glued to it and to the ground"


def _ways(task: str, failures: int) -> Ways:
    start, goal = _start(task), _one(task, "goal").center
    dx, dy = abs(goal[0] - start[0]), abs(goal[1] - start[1])
    (size_mm, *_) = numbers(value(task, "size (diameter)") or value(task, "size (edge)") or "")
    is_straight = _is_driven(task) or not _in_the_way(task)
    length_mm = math.hypot(dx, dy) if is_straight else dx + dy + 4 * size_mm
    floor_mm = max(_one(task, "bounds").low[2], 0.0)
    side_mm = size_mm * (_SIDE_RATIO + _HIGHER * failures)
    return Ways(
        size_mm=size_mm,
        legs=1 if is_straight else 3,
        length_mm=max(length_mm, abs(goal[2] - start[2]), 2 * size_mm),
        height_mm=max((start[2] + goal[2]) / 2 - floor_mm, size_mm),
        side_mm=side_mm,
    )


def _summary(task: str) -> str:
    start, goal = _start(task), _one(task, "goal").center
    away_mm, up_mm = math.dist(start[:2], goal[:2]), goal[2] - start[2]
    return (
        f"The payload ({value(task, 'shape')}) starts at {_xyz(start)} mm and must come to rest at {_xyz(goal)} mm: "
        f"{away_mm:.0f} mm away and {abs(up_mm):.0f} mm {'higher' if up_mm >= 0 else 'lower'}, a mean slope of "
        f"{_slope(task)}."
    )


def _motor(task: str) -> str:
    goal, start = _one(task, "goal"), _start(task)
    how = "lifts it" if goal.low[2] >= start[2] else "pushes it over the floor"
    return (
        f"The goal lies {goal.center[2] - start[2]:.0f} mm above the start: gravity cannot do it. A bought gear motor "
        f"with a position sensor {how}: a pinion on a rack, at most 100 mm/s, below half of its stall torque. What it "
        "moves is one carriage that carries the motor itself."
    )


def _energy(task: str) -> str:
    if _slope_deg(task) >= _ROLLS_FROM_DEG:
        return f"Gravity is enough: {_slope(task)} is more than the {_ROLLS_FROM_DEG:g} that a ball needs."
    return f"Gravity alone is doubtful: a ball needs {_ROLLS_FROM_DEG:g} degrees and a straight way offers less."


def _route(task: str) -> str:
    in_the_way = _in_the_way(task)
    if not in_the_way:
        return "Nothing lies on the straight line from start to goal: one straight chute, caught under the start."
    names = ", ".join(f"`{label}`" for label in in_the_way)
    return (
        f"The straight line from start to goal runs through {names}: go round in legs that meet at right angles, each "
        "leg ending above the next so that the payload drops on and never stops."
    )


def _in_the_way(task: str) -> list[str]:
    start, goal = _start(task), _one(task, "goal").center
    obstacles = [each for each in boxes(task) if each.kind in ("forbid", "environment")]
    return [each.label for each in obstacles if each.crosses(start, goal)]


def _todo(is_driven: bool) -> str:
    work = (
        ("Lay out guides, carriage, rack and motor", "Write script.py: printed parts, the joint, the motor's program")
        if is_driven
        else ("Route a channel clear of every forbid zone", "Write script.py: channel, posts and pocket, each labelled")
    )
    texts = (
        "Read benchmark and environment in the kernel",
        *work,
        "Check price and manufacturability with validate_and_price",
        "Simulate, and mend until the payload stays in the goal zone in every replica",
        "Submit for review",
    )
    return "\n".join(f"- [ ] T{number}: {text}" for number, text in enumerate(texts, start=1))


def _is_driven(task: str) -> bool:
    """Tell whether the goal lies no lower than the start."""
    return _one(task, "goal").center[2] >= _start(task)[2]


def _slope_deg(task: str) -> float:
    start, goal = _start(task), _one(task, "goal").center
    return math.degrees(math.atan2(start[2] - goal[2], math.dist(start[:2], goal[:2])))


def _slope(task: str) -> str:
    return f"{_slope_deg(task):.1f} degrees"


def _start(task: str) -> Point:
    x, y, z = numbers(value(task, "start (centre)") or "")
    return (x, y, z)


def _one(task: str, kind: str) -> Box:
    return next(each for each in boxes(task) if each.kind == kind)


def _xyz(point: Point) -> str:
    return "(" + ", ".join(f"{axis:.0f}" for axis in point) + ")"

"""Facts of the tables of a task: the world as far as boxes show it. Several payloads are led as one."""

import re
from dataclasses import dataclass

from offline_expert.markdown import LabelledBox, Point, boxes, numbers, rows, value
from offline_expert.routing.problem import CornerPair, Facts

_START = "box around all payloads at the start"
_MEASURES = ("size (", "length along")
"""Beginnings of the rows of the payload's table that state its measures."""
_MOVER = re.compile(r"^- `(?P<label>[^`]+)` (?:turns|slides|moves)\b", re.MULTILINE)
"""A solid that the task says is moved."""
_SAME_MM = 0.5
"""Lengths that differ by less count as the same."""
_JOINT = re.compile(r"\(joint `(?P<label>[^`]+)`\)")


@dataclass(frozen=True)
class Payloads:
    """The box around several payloads."""

    center: Point
    size_mm: float
    """Its longest edge."""
    shape: str
    """`ball` if all are balls, which roll; otherwise they are led as a box, which slides."""
    friction: float
    """The highest of theirs."""


def several_payloads(task: str) -> Payloads | None:
    """Return what the task's tables say of several payloads; None if there is one."""
    around = value(task, _START)
    if around is None:
        return None
    x0, y0, z0, x1, y1, z1 = numbers(around)
    frictions, shapes = _cells(task, "friction"), _cells(task, "shape")
    center = ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)
    return Payloads(
        center, max(x1 - x0, y1 - y0, z1 - z0), "ball" if set(shapes) == {"ball"} else "box", max(map(float, frictions))
    )


def facts_of(task: str) -> Facts:
    """Return the facts of a task's tables; its solids are the boxes around them."""
    solids = _solids(task)
    movers = {*_MOVER.findall(task), *(each.label for each in solids if each.kind != "environment")}
    facts = Facts(
        build=_corners(task, "build")[0],
        goal=_corners(task, "goal")[0],
        forbids=_corners(task, "forbid", "forbid parts"),
        payload_forbids=_corners(task, "forbid", "forbid payload"),
        solids=[[each.low, each.high] for each in solids],
        moving=[index for index, each in enumerate(solids) if each.label in movers],
        shape=value(task, "shape") or "",
        size_mm=max(number for row in rows(task) if row[0].startswith(_MEASURES) for number in numbers(row[1])),
        start_mm=numbers(value(task, "start (centre)") or ""),
        friction=float(value(task, "friction") or 0.35),
        hold_s=numbers(value(task, "hold in the goal zone") or "1")[0],
        goal_rule=_goal_rule(value(task, "goal rule") or ""),
    )
    return with_task(facts, task)


def with_task(facts: Facts, task: str) -> Facts:
    """Return facts with what the task's tables alone state: the box around several payloads, and labels in use."""
    facts = {**facts, "taken": [*_JOINT.findall(task), *_cells(task, "label")]}
    lies = _lying(task)
    if lies is not None:
        facts = {**facts, "lies": lies}
    payloads = several_payloads(task)
    if payloads is None:
        return facts
    of_all: Facts = {**facts, "shape": payloads.shape, "size_mm": payloads.size_mm, "start_mm": payloads.center}
    return {**of_all, "friction": payloads.friction, "room_mm": None}


def _lying(task: str) -> tuple[float, float, float] | None:
    """Return diameter, length and rolling direction of a cylinder or capsule that lies along x or y."""
    around, diameter = value(task, "box around it at the start"), value(task, "size (diameter)")
    if around is None or diameter is None or value(task, "shape") not in ("cylinder", "capsule"):
        return None
    across, (x0, y0, z0, x1, y1, z1) = numbers(diameter)[0], numbers(around)
    is_thin = [abs(edge - across) < _SAME_MM for edge in (x1 - x0, y1 - y0, z1 - z0)]
    if is_thin == [True, False, True]:
        return across, y1 - y0, 0.0
    return (across, x1 - x0, 90.0) if is_thin == [False, True, True] else None


def solid_labels(task: str) -> frozenset[str]:
    """Return the labels of the environment's solids."""
    return frozenset(each.label for each in _solids(task))


def _solids(task: str) -> list[LabelledBox]:
    return [each for each in boxes(task) if each.kind == "environment" or each.kind.startswith("loose")]


def _goal_rule(words: str) -> str:
    return "inside" if "inside" in words else "at_rest" if "at less than" in words else "touch"


def _corners(task: str, *kinds: str) -> list[CornerPair]:
    return [[each.low, each.high] for each in boxes(task) if each.kind in kinds]


def _cells(task: str, name: str) -> list[str]:
    return [cell for row in rows(task) if row and row[0] == name for cell in row[1:] if cell]

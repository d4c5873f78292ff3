"""What can be known to be wrong with a design without any CAD or physics."""

from collections.abc import Sequence
from itertools import combinations

from offline_expert.routing.boxes import TurnedBox, gap_mm, upright
from offline_expert.routing.design import Design
from offline_expert.routing.problem import Problem
from offline_expert.routing.tuning import Tuning

CONTACT_MM = 0.02
"""Boxes that are nearer touch."""


def findings(design: Design, problem: Problem, tuning: Tuning) -> list[str]:
    """Return everything that is wrong: zones, overlaps, floating parts, obstacles in the payload's way."""
    return [
        *_zones(design, problem, tuning),
        *_overlaps(design, problem),
        *_obstructions(design, problem, tuning),
        *_floating(design, problem),
    ]


def _zones(design: Design, problem: Problem, tuning: Tuning) -> list[str]:
    found: list[str] = []
    for part in design.parts:
        if not problem.build.contains(part.box.bounds):
            found.append(f"{part.label} leaves the build zone")
        if any(gap_mm(part.box, upright(zone)) < tuning.clearance_mm - 1.0 for zone in problem.forbids):
            found.append(f"{part.label} is too close to a forbid zone")
    return found


def _overlaps(design: Design, problem: Problem) -> list[str]:
    found = [
        f"{part.label} overlaps {other.label}"
        for part, other in combinations(design.parts, 2)
        if gap_mm(part.box, other.box) < 0.0
    ]
    return found + [
        f"{part.label} overlaps the environment"
        for part in design.parts
        if any(gap_mm(part.box, upright(solid)) < 0.0 for solid in problem.solids)
    ]


def _obstructions(design: Design, problem: Problem, tuning: Tuning) -> list[str]:
    found: list[str] = []
    for space in design.payload_space:
        found += [f"{part.label} stands in the payload's way" for part in design.parts if gap_mm(part.box, space) < 0.0]
        if any(gap_mm(space, upright(zone)) < tuning.clearance_mm - 1.0 for zone in problem.forbids):
            found.append("the payload comes too close to a forbid zone")
        if any(gap_mm(space, upright(solid)) < 0.0 for solid in problem.solids):
            found.append("the environment stands in the payload's way")
    return found


def _floating(design: Design, problem: Problem) -> list[str]:
    ground = [upright(solid) for solid in problem.solids]
    held = _touching([part.box for part in design.parts], ground)
    return [f"{part.label} floats" for part, is_held in zip(design.parts, held, strict=True) if not is_held]


def _touching(boxes: Sequence[TurnedBox], ground: Sequence[TurnedBox]) -> list[bool]:
    """Tell for each box whether a chain of contact leads to the ground."""
    held = [any(gap_mm(box, each) <= CONTACT_MM for each in ground) for box in boxes]
    frontier = [index for index, is_held in enumerate(held) if is_held]
    while frontier:
        here = frontier.pop()
        for index, box in enumerate(boxes):
            if not held[index] and gap_mm(boxes[here], box) <= CONTACT_MM:
                held[index] = True
                frontier.append(index)
    return held

"""Routing problems from the benchmarks' variants, without CAD."""

import json

from benchmarks.loader import load
from contracts.models.geometry import Box
from offline_expert.routing.problem import Facts, RoutingProblem, problem_from


def facts(family: str, seed: int) -> Facts:
    """Return the facts of a variant; walls fill a detour's forbid zones, a shelf is under a lift's goal."""
    variant = load(family, seed).variant
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    solids = [[list(low), [high[0], high[1], 0.0]]]
    if family == "detour":
        solids += [[[*zone.box.min_mm[:2], 0.0], list(zone.box.max_mm)] for zone in variant.forbid_zones]
    if family == "lift-to-shelf":
        low, high = variant.goal_zone.min_mm, variant.goal_zone.max_mm
        solids.append([[low[0], low[1], 0.0], [high[0], high[1], low[2] - 2.0]])
    return Facts(
        build=_corners(variant.build_zone),
        goal=_corners(variant.goal_zone),
        forbids=[_corners(zone.box) for zone in variant.forbid_zones],
        solids=solids,
        shape=variant.payload.shape,
        size_mm=variant.payload.size_mm,
        start_mm=variant.payload.start_mm,
    )


def problem(family: str, seed: int) -> RoutingProblem:
    """Return the routing problem of a variant."""
    return problem_from(facts(family, seed))


def facts_observation(family: str, seed: int) -> str:
    """Return the observation of the cell that prints the facts."""
    return f"# Observation\n\n### Output\n```text\n<<<FACTS {json.dumps(facts(family, seed))} FACTS>>>\n```\n"


def _corners(box: Box) -> list[list[float]]:
    return [list(box.min_mm), list(box.max_mm)]

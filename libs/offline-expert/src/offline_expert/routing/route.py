"""From a problem to a design that passes every check that needs no simulation."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

from offline_expert.routing.checks import findings
from offline_expert.routing.design import Design, build_design
from offline_expert.routing.direct import direct_routes, pocket_floors
from offline_expert.routing.lattice import lattice_routes
from offline_expert.routing.layout import Leg
from offline_expert.routing.problem import Problem
from offline_expert.routing.tuning import Sizes, Tuning, sizes_for

_MOST_CHECKED = 150
"""Routes of each kind that are built and checked before the router gives up."""


class NoRouteError(Exception):
    """No route was found; the text says how many were tried and what stood against most of them."""


def route(problem: Problem, tuning: Tuning) -> Design:
    """Return the first design without findings; raise `NoRouteError` if there is none."""
    sizes = sizes_for(problem.size_mm, tuning)
    reasons: Counter[str] = Counter()
    for legs in _routes(problem, sizes, tuning):
        design = build_design(legs, problem, sizes)
        found = findings(design, problem, tuning)
        if not found:
            return design
        reasons[found[0]] += 1
    raise NoRouteError(_why_none(problem, sizes, tuning, reasons))


def _why_none(problem: Problem, sizes: Sizes, tuning: Tuning, reasons: Counter[str]) -> str:
    """Say what was measured: too little height, no way round, or what stood against the routes that were built."""
    away = math.dist(problem.start[:2], problem.goal.center[:2])
    fall = problem.start[2] - sizes.payload / 2 - sizes.lip - pocket_floors(problem, sizes)[0]
    needed = max(0.0, away - sizes.pocket / 2) * math.tan(math.radians(tuning.slopes_deg[0] - 1.0))
    measured = f"{fall:.0f} mm of height for {away:.0f} mm of way (at least {needed:.0f} mm are needed)"
    if fall < needed:
        return f"The goal lies too high for gravity: {measured}."
    if not reasons:
        return f"No way leads from the start to the goal that is {2 * sizes.half_width:.0f} mm wide; {measured}."
    worst = "; ".join(f"{reason} ({times} times)" for reason, times in reasons.most_common(3))
    return f"{sum(reasons.values())} routes were built and checked, none is free: {worst}; {measured}."


def _routes(problem: Problem, sizes: Sizes, tuning: Tuning) -> Iterator[tuple[Leg, ...]]:
    direct = direct_routes(problem, sizes, tuning) if tuning.allow_direct else iter(())
    return chain(islice(direct, _MOST_CHECKED), islice(lattice_routes(problem, sizes, tuning), _MOST_CHECKED))

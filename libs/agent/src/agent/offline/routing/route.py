"""From a problem to a design that passes every check that needs no simulation."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

from agent.offline.routing.checks import findings
from agent.offline.routing.design import Design, build_design
from agent.offline.routing.direct import direct_routes
from agent.offline.routing.lattice import lattice_routes
from agent.offline.routing.layout import Leg
from agent.offline.routing.problem import Problem
from agent.offline.routing.tuning import Sizes, Tuning, sizes_for

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
    tried = sum(reasons.values())
    worst = "; ".join(f"{reason} ({times} times)" for reason, times in reasons.most_common(3))
    raise NoRouteError(f"{tried} routes were built and checked, none is free. {worst}".strip())


def _routes(problem: Problem, sizes: Sizes, tuning: Tuning) -> Iterator[tuple[Leg, ...]]:
    direct = direct_routes(problem, sizes, tuning) if tuning.allow_direct else iter(())
    return chain(islice(direct, _MOST_CHECKED), islice(lattice_routes(problem, sizes, tuning), _MOST_CHECKED))

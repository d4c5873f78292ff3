"""The router: finds a channel design that passes every check that needs no simulation."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

from offline_expert.routing.cup import cups, is_below
from offline_expert.routing.design import ChannelDesign, build_design, faults
from offline_expert.routing.dimensions import ChannelProportions, ChannelSizes, sizes_for
from offline_expert.routing.layout import Segment
from offline_expert.routing.problem import RoutingProblem
from offline_expert.routing.right_angle_routes import right_angle_routes
from offline_expert.routing.straight_routes import PUSHED_DROPS_MM, crossing_routes, pocket_floors, straight_routes

LEAST_ROOM_MM = 6.0
"""From the payload at its start, which varies by 5 mm, to the floor below it."""
_LEAST_DROP_MM = 20.0
_MAX_COMPARED = 20
"""Designs without faults of which the lightest is taken where a price binds."""
_MAX_CHECKED = 150
"""Routes of each kind that are built and checked before the router gives up."""


class NoRouteError(Exception):
    """No route was found; the message contains how many were tried and the most frequent faults."""


def find_design(problem: RoutingProblem, proportions: ChannelProportions) -> ChannelDesign:
    """Return the first design without faults; raise `NoRouteError` if there is none."""
    room_mm = problem.room_below_mm
    is_pushed = problem.heading_deg is not None
    if room_mm < proportions.wall_mm + LEAST_ROOM_MM and not is_pushed:
        raise NoRouteError(
            f"This expert found no channel: the payload starts {max(room_mm, 0.0):.1f} mm above a solid, and a floor "
            f"of {proportions.wall_mm:.1f} mm with {LEAST_ROOM_MM:.0f} mm above it does not fit below it."
            f"{problem.outside_text}"
        )
    sizes = sizes_for(problem.size_mm, proportions, is_pushed=is_pushed, across_mm=problem.across_mm)
    reasons: Counter[str] = Counter()
    sound: list[ChannelDesign] = []
    for design in _candidates(problem, sizes, proportions):
        found = faults(design, problem, proportions)
        if found:
            reasons[found[0]] += 1
            continue
        sound.append(design)
        if not proportions.wants_cheapest or len(sound) == _MAX_COMPARED:
            break
    if sound:
        return min(sound, key=lambda design: design.least_price_usd)
    raise NoRouteError(_explanation(problem, sizes, proportions, reasons))


def _explanation(
    problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions, reasons: Counter[str]
) -> str:
    """Return the measured reason: too little height, no space for a channel, or the most frequent faults.

    Only the first is a fact of the world; the others say what this expert could not build.
    """
    distance = math.dist(problem.start[:2], problem.goal.center[:2])
    height = problem.start[2] - sizes.payload / 2 - problem.goal.low[2]
    where = f"{height:.0f} mm above the goal's bottom, {distance:.0f} mm away in plan"
    measured = f"the payload's underside {problem.begins} {where}"
    if problem.start_box.high[2] <= problem.goal.low[2]:
        return f"The goal is too high for gravity: {measured}."
    needed, terms = _least_height(problem, sizes, proportions, distance)
    if height < needed:
        return (
            f"Too little height for the flattest channel of this expert, which needs {needed:.0f} mm: {terms}; "
            f"{measured}.{problem.outside_text}"
        )
    unfound = f"This expert found no channel; {measured}."
    if problem.outside_text:
        return f"{unfound}{problem.outside_text}"
    if not reasons:
        width = f"{2 * sizes.half_width:.0f} mm"
        return f"{unfound} No route has space for a channel of {width} width, payload {sizes.payload:.0f} mm."
    worst = "; ".join(f"{reason} ({times} times)" for reason, times in reasons.most_common(3))
    return f"{unfound} {sum(reasons.values())} routes were built and checked, and all have faults: {worst}."


def _least_height(
    problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions, distance: float
) -> tuple[float, str]:
    """Return the height that the flattest channel needs over a distance, and its terms in words."""
    slope = proportions.slopes_deg[0] - 1.0
    drop = PUSHED_DROPS_MM[0] if sizes.is_pushed else min(proportions.least_drop_mm, _LEAST_DROP_MM)
    run = max(0.0, distance - sizes.pocket / 2) * math.tan(math.radians(slope))
    above = pocket_floors(problem, sizes)[0] - problem.goal.low[2]
    end = f"{sizes.lip:.0f} down into a pocket, whose floor is" if sizes.pocket else "and an end"
    terms = (
        f"{drop:.0f} to the floor below the start, {run:.0f} at {slope:.0f} degrees, {end} {above:.0f} above the "
        "goal's bottom"
    )
    return drop + run + sizes.lip + above, terms


def _candidates(
    problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions
) -> Iterator[ChannelDesign]:
    """Yield a cup if the goal is straight below the start, then a design for each route."""
    if is_below(problem, sizes) and not (proportions.is_open or proportions.is_lane or sizes.is_pushed):
        yield from cups(problem, sizes)
    for segments in _routes(problem, sizes, proportions):
        yield build_design(segments, problem, sizes)


def _routes(
    problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions
) -> Iterator[tuple[Segment, ...]]:
    straight = straight_routes(problem, sizes, proportions) if proportions.allow_straight else iter(())
    if proportions.is_open or proportions.is_lane or problem.across_mm is not None:
        return islice(straight, _MAX_CHECKED)
    crossing = crossing_routes(problem, sizes, proportions)
    right_angled = right_angle_routes(problem, sizes, proportions)
    return chain(*(islice(each, _MAX_CHECKED) for each in (straight, crossing, right_angled)))

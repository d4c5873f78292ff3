"""Straight routes: one chute at any angle, the simplest machine and therefore tried first."""

import math
from collections.abc import Iterator
from dataclasses import replace

from offline_expert.boxes import Vec, gap_mm, upright
from offline_expert.routing.channel import Channel
from offline_expert.routing.dimensions import FIT_MM, ChannelProportions, ChannelSizes
from offline_expert.routing.layout import Segment, Turn, layout_of
from offline_expert.routing.problem import RoutingProblem

_DROPS_MM = (20.0, 50.0, 90.0, 140.0, 200.0, 270.0, 350.0, 450.0)
PUSHED_DROPS_MM = (4.0, 10.0)
_DROP_MM, _NARROW_DROP_MM, _HIGHER_MM = 80.0, 20.0, 12.0
"""Usual drops, and a step between them; a narrow channel's panels bear less of a blow."""
_ABOVE_PANELS_MM, _ASIDE_MM = 2.0, 5.0
"""From the panels of a narrow channel up to the payload where it may start at the most aside."""
_BEST_ABOVE_DEG = 1.0
"""Best slope of a straight chute above the middle one of the proportions."""
_LEAST_SHIFT_MM = 5.0
_BESIDE_MM, _STATIONS, _FLANKED = 12.0, 20, 0.8
"""A lane's solids are so close to the floor, at this share of so many places along it."""
_BEFORE_PANEL_MM, _SQUARE_DEG = (1.0, 12.0), 12.0
"""From a payload that comes from the side to the channel's low panel; its heading is square to the channel to this."""
_INSIDE_MM = 2.0
"""From a payload that must be entirely inside the goal to the goal's top."""


def straight_routes(
    problem: RoutingProblem,
    sizes: ChannelSizes,
    proportions: ChannelProportions,
    *,
    turned_from_deg: float | None = None,
) -> Iterator[tuple[Segment, ...]]:
    """Yield routes of a single segment from the start into the goal, the most promising first.

    `turned_from_deg`: the payload comes from the side, in this direction.
    """
    candidates = [
        (cost, segment)
        for x, y in pocket_centers(problem, sizes, proportions)
        for floor_z in pocket_floors(problem, sizes)
        for cost, segment in _segments_to((x, y, floor_z), problem, sizes, proportions, turned_from_deg)
    ]
    for _, segment in sorted(candidates, key=lambda candidate: candidate[0]):
        yield (segment,)


def crossing_routes(
    problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions
) -> Iterator[tuple[Segment, ...]]:
    """Yield routes across the payload's heading: it flies over a low panel into the channel, against a high one."""
    if problem.heading_deg is None:
        return
    heading = math.radians(problem.heading_deg)
    for before_mm in _BEFORE_PANEL_MM:
        aside = sizes.half_width - sizes.payload / 2 + before_mm
        x, y = problem.start[0] + aside * math.cos(heading), problem.start[1] + aside * math.sin(heading)
        crossed = replace(problem, start=(x, y, problem.start[2]), heading_deg=None)
        yield from straight_routes(crossed, sizes, proportions, turned_from_deg=problem.heading_deg)


def pocket_centers(
    problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions
) -> list[tuple[float, float]]:
    """Return positions in plan for the centre of the pocket: the goal's own, then shifted as far as possible."""
    inset = proportions.goal_inset_mm + max(sizes.pocket, sizes.width) / 2 * 1.2
    insets = [inset] if problem.is_held else [0.0, inset]
    choices: list[list[float]] = []
    for low, high in zip(problem.goal.low[:2], problem.goal.high[:2], strict=True):
        middle = (low + high) / 2
        shifts = [shift for each in insets if (shift := (high - low) / 2 - each) > _LEAST_SHIFT_MM]
        choices.append([middle, *(middle + sign * shift for shift in shifts for sign in (-1, 1))])
    return [(x, y) for x in choices[0] for y in choices[1]]


def pocket_floors(problem: RoutingProblem, sizes: ChannelSizes) -> list[float]:
    """Return heights of the pocket's floor at which a payload at rest is well inside the goal, or at least touches it.

    Where a touch is enough, heights below and above the goal come after those inside it.
    """
    low, high = problem.goal.low[2], problem.goal.high[2]
    if sizes.is_open:
        return [max(low - 0.5 * sizes.payload, problem.build.low[2] + sizes.wall + 1.0), (low + high) / 2]
    under_z = problem.top_under(problem.goal)
    if sizes.is_level and under_z is not None:
        lowest_floor = under_z + sizes.wall + FIT_MM
        reached = lowest_floor if problem.goal_rule == "inside" else lowest_floor + 0.6 * sizes.payload
        if reached >= low:
            return [lowest_floor]
    least = problem.build.low[2] + 12.0
    lowest = max(low + 5.0, least)
    below_top = sizes.payload + _INSIDE_MM if problem.goal_rule == "inside" else 0.6 * sizes.payload
    highest = max(lowest, high - below_top)
    floors = [lowest, (lowest + highest) / 2, highest]
    if not problem.is_held:
        floors += [max(low + 5.0 - 0.5 * sizes.payload, least), high - 0.1 * sizes.payload]
    return sorted(floors)


def _segments_to(
    pocket: Vec,
    problem: RoutingProblem,
    sizes: ChannelSizes,
    proportions: ChannelProportions,
    turned_from_deg: float | None,
) -> Iterator[tuple[float, Segment]]:
    """Yield segments with their cost to a pocket, given by the centre of its floor."""
    x, y, pocket_z = pocket
    start_x, start_y, start_z = problem.start
    best_deg = proportions.slopes_deg[1] + _BEST_ABOVE_DEG
    usual_mm = _NARROW_DROP_MM if sizes.is_narrow else _DROP_MM
    reach = math.hypot(x - start_x, y - start_y)
    yaw_deg = math.degrees(math.atan2(y - start_y, x - start_x))
    turn = None if turned_from_deg is None else _turn(turned_from_deg, yaw_deg)
    if not problem.is_ahead(yaw_deg) or (turned_from_deg is not None and turn is None):
        return
    for drop in _drops_mm(sizes, proportions):
        floor_z = start_z - sizes.payload / 2 - drop
        level = Segment(start_x, start_y, yaw_deg, floor_z, drop, 0.0, reach, turn)
        fall = floor_z - pocket_z - sizes.lip
        slope_deg = math.degrees(math.atan2(fall, level.mouth_distance(sizes, is_last=True)))
        if not proportions.slopes_deg[0] - 1.0 <= slope_deg <= proportions.max_straight_slope_deg:
            continue
        segment = Segment(start_x, start_y, yaw_deg, floor_z, drop, slope_deg, reach, turn)
        if sizes.is_pushed and drop < segment.behind(sizes) * segment.tangent + 2.0:
            continue  # its floor would be above the edge
        if segment.is_long_enough(sizes, is_last=True) and _is_clear(segment, problem, sizes, proportions):
            yield ((slope_deg - best_deg) / 4) ** 2 + (drop / usual_mm) ** 2, segment


def _turn(from_deg: float, to_deg: float) -> Turn | None:
    """Return the turn from a direction into one nearly square to it; None if it is not."""
    by_deg = (to_deg - from_deg + 180) % 360 - 180
    if abs(abs(by_deg) - 90) > _SQUARE_DEG:
        return None
    return "left" if by_deg > 0 else "right"


def _drops_mm(sizes: ChannelSizes, proportions: ChannelProportions) -> tuple[float, ...]:
    """Return the drops from the start to the floor below it.

    Over a narrow channel the payload starts as low as the panels allow it to start aside: it falls on to their edges.
    """
    if sizes.is_pushed:
        return (*PUSHED_DROPS_MM, *_DROPS_MM)
    if sizes.is_narrow:
        radius, aside = sizes.payload / 2, sizes.width / 2 - _ASIDE_MM
        lowest = sizes.side_wall + _ABOVE_PANELS_MM - radius + math.sqrt(radius**2 - aside**2)
        return (lowest, lowest + _HIGHER_MM, *(drop for drop in _DROPS_MM if drop > sizes.side_wall + 20.0))
    return _DROPS_MM if proportions.least_drop_mm >= _DROPS_MM[0] else (proportions.least_drop_mm, *_DROPS_MM)


def _is_clear(segment: Segment, problem: RoutingProblem, sizes: ChannelSizes, proportions: ChannelProportions) -> bool:
    """Tell whether floor and walls, as one box, are clear of all forbid zones and of the environment."""
    (channel,) = layout_of((segment,), sizes).channels
    end = segment.mouth_distance(sizes, is_last=True) if sizes.is_level else segment.reach
    along = (0.0, segment.behind(sizes) + end)
    space = channel.tilted(along, (-sizes.half_width, sizes.half_width), (-sizes.wall, sizes.side_wall))
    if sizes.is_lane and not _is_flanked(channel, problem, sizes):
        return False
    zones = problem.closed_to_channels
    return all(gap_mm(space, upright(zone)) >= proportions.clearance_mm for zone in zones) and all(
        gap_mm(space, shape) >= 0.0 for shape in problem.shapes
    )


def _is_flanked(channel: Channel, problem: RoutingProblem, sizes: ChannelSizes) -> bool:
    """Tell whether solids of the world are close to both sides of a channel, nearly all along it."""
    ends, above = (sizes.half_width, sizes.half_width + _BESIDE_MM), (0.3 * sizes.payload, 0.6 * sizes.payload)
    sides = (ends, (-ends[1], -ends[0]))
    places = [channel.length * number / _STATIONS for number in range(1, _STATIONS)]
    probes = [channel.tilted((along - 1.0, along + 1.0), side, above) for along in places for side in sides]
    shapes = problem.shapes
    flanked = sum(any(gap_mm(probe, shape) < 0.0 for shape in shapes) for probe in probes)
    return flanked >= _FLANKED * len(probes)

"""Adjustments after failures: one deliberate step per failure, so that no design is tried twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import atan, degrees, isinf, sqrt

from offline_expert.drives.machine import DriveProportions
from offline_expert.engineer.history import Failure
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.problem import RoutingProblem

_THINNER, _MIN_WALL_MM = 0.8, 1.6
_SLIGHTLY_THINNER = 0.92
_LEANER, _MIN_LEG_MM = 0.9, 9.0
_MAX_WALL_MM = 6.0
_STURDIER, _STURDY_LEG_MM, _MAX_LEG_MM = 1.25, 18.0, 24.0
_STIFFER, _MAX_PANEL_MM = 1.5, 8.0
_FIRST_SPAN_MM, _CLOSER = 320.0, 0.7
_HIGHER = 1.25
_STEEPER_DEG = 2.0
_SLOWER = 0.6
_LATER_S = 1.6
_MAX_ROLLING_DEG = 10.0
_FLOOR_FRICTION = 0.4
"""Of PLA; two surfaces have the geometric mean of theirs."""
_BEYOND_FRICTION_DEG = (6.0, 11.0, 16.0)


_THIN_MM, _THIN_SHARE = 2.0, 2 / 3
"""Walls where there is little space: their thickness, or a share of the usual one."""
_LEVEL_SLOPE_DEG, _LEVEL_DROP_MM = 2.0, 3.0
"""Of the flattest channel of all, which ends at a panel, hardly above the ground."""
_NARROW_SIDES = 0.6
"""Of the usual height: the payload falls from above them."""
_NARROW_WALL_MM = 3.0
"""The payload may fall on to its edge: 2 mm broke."""
_LONGEST_PIECE_MM = 600.0
_LONGEST_OPEN_SPAN_MM = 150.0
"""From leg to leg of a channel that no pocket supports."""


def first_proportions(problem: RoutingProblem) -> ChannelProportions:
    """Return the proportions of the first channel: a cube slides only on slopes beyond its angle of friction."""
    if problem.is_ball:
        return ChannelProportions()
    slides_deg = degrees(atan(sqrt(problem.friction * _FLOOR_FRICTION)))
    return replace(
        ChannelProportions(),
        slopes_deg=tuple(slides_deg + more for more in _BEYOND_FRICTION_DEG),
        least_slope_deg=slides_deg + _BEYOND_FRICTION_DEG[0] - 2.0,
        max_straight_slope_deg=slides_deg + 30.0,
    )


def channel_proportions_after(
    failures: Sequence[Failure], first: ChannelProportions | None = None
) -> ChannelProportions:
    """Return the proportions of a channel that follow from all failures so far, oldest first."""
    proportions = first or ChannelProportions()
    for index, failure in enumerate(failures):
        if failure in ("lost", "flaky") and failure in failures[:index]:
            # Higher walls fix a near miss; if they did not, another topology does: slow channels with drops between.
            proportions = replace(proportions, allow_straight=False)
        elif failure == "slightly_over" and set(failures[:index]) - {failure}:
            proportions = leaner(proportions)  # another failure changed much, which small steps do not take back
        else:
            proportions = _ADJUSTMENTS[failure](proportions)
    return proportions


def leaner(before: ChannelProportions) -> ChannelProportions:
    """Return thinner walls or, once these have their minimum thickness, thinner legs, which carry everything.

    Of the designs that these allow the lightest is taken.
    """
    before = replace(before, wants_cheapest=True)
    if before.wall_mm > _MIN_WALL_MM:
        return replace(before, wall_mm=max(before.wall_mm * _THINNER, _MIN_WALL_MM))
    return replace(before, leg_mm=max(before.leg_mm * _LEANER, _MIN_LEG_MM))


def _slightly_leaner(before: ChannelProportions) -> ChannelProportions:
    """Return slightly thinner walls on the same route, or, with walls of the minimum thickness, thinner legs."""
    if before.wall_mm > _MIN_WALL_MM:
        return replace(before, wall_mm=max(before.wall_mm * _SLIGHTLY_THINNER, _MIN_WALL_MM))
    return replace(before, leg_mm=max(before.leg_mm * _LEANER, _MIN_LEG_MM))


def _with_higher_walls(before: ChannelProportions) -> ChannelProportions:
    return replace(
        before,
        side_wall_ratio=before.side_wall_ratio * _HIGHER,
        far_wall_ratio=before.far_wall_ratio * _HIGHER,
        end_wall_ratio=before.end_wall_ratio * _HIGHER,
    )


def _with_sturdier_legs(before: ChannelProportions) -> ChannelProportions:
    """Return thicker legs: the moment that a glued foot bears grows with the cube of its edge, so it doubles."""
    return replace(before, leg_mm=min(before.leg_mm * _STURDIER, _MAX_LEG_MM))


def _with_thicker_walls(before: ChannelProportions) -> ChannelProportions:
    return replace(before, wall_mm=min(before.wall_mm * _STURDIER, _MAX_WALL_MM))


def _with_shorter_parts(before: ChannelProportions) -> ChannelProportions:
    """Return a route with corners; if its parts are too large as well, floors and walls in pieces on more legs."""
    if before.allow_straight:
        return replace(before, allow_straight=False)
    return _with_more_legs(replace(before, allow_straight=True, longest_mm=_LONGEST_PIECE_MM))


def _with_stiffer_walls(before: ChannelProportions) -> ChannelProportions:
    """Return much thicker walls: the stress in a bent wall falls with the square of its thickness."""
    return replace(before, wall_mm=min(before.wall_mm * _STIFFER, _MAX_PANEL_MM))


def _with_more_legs(before: ChannelProportions) -> ChannelProportions:
    """Return sturdy legs at distances; then closer ones under thicker walls.

    Walls come second: of the moment in a bent channel, the glue of a stiffer wall takes more than it gains in strength.
    """
    if isinf(before.span_mm):
        return replace(before, span_mm=_FIRST_SPAN_MM, leg_mm=max(before.leg_mm, _STURDY_LEG_MM))
    return _with_stiffer_walls(replace(before, span_mm=before.span_mm * _CLOSER))


def _steeper(before: ChannelProportions) -> ChannelProportions:
    return replace(before, slopes_deg=tuple(slope + _STEEPER_DEG for slope in before.slopes_deg))


def _deeper(before: ChannelProportions) -> ChannelProportions:
    deeper = replace(before, lip_ratio=before.lip_ratio + 0.2, end_wall_ratio=before.end_wall_ratio + 0.3)
    return replace(deeper, goal_inset_mm=before.goal_inset_mm + 5.0)


_ADJUSTMENTS: Mapping[Failure, Callable[[ChannelProportions], ChannelProportions]] = {
    "over_limits": leaner,
    "slightly_over": _slightly_leaner,
    "too_many_parts": lambda before: replace(before, is_joined=True),
    "overloaded": _with_sturdier_legs,
    "weak_panel": _with_stiffer_walls,
    "weak_joint": _with_more_legs,
    "unmakeable": _with_thicker_walls,
    "too_large": _with_shorter_parts,
    "misplaced": lambda before: replace(before, clearance_mm=before.clearance_mm + 4.0),
    "lost": _with_higher_walls,
    "flaky": _with_higher_walls,
    "stuck": _steeper,
    "overshot": _deeper,
    "interrupted": lambda before: before,
}


def relaxations(proportions: ChannelProportions, *, is_held: bool = True) -> tuple[ChannelProportions, ...]:
    """Return the proportions, then compromises for places without enough space or height for them.

    A payload that the goal need not hold may leave a channel there at its open end.
    """
    closer = replace(
        proportions,
        clearance_mm=min(proportions.clearance_mm, 3.5),
        slopes_deg=(proportions.slopes_deg[0] - 1.0, *proportions.slopes_deg),
    )
    thin_mm = max(_THIN_MM, _THIN_SHARE * proportions.wall_mm)  # thicker after panels that broke
    thin = replace(closer, wall_mm=min(proportions.wall_mm, thin_mm), allow_straight=True)
    flat = replace(
        thin,
        slopes_deg=(min(proportions.least_slope_deg + 1.0, thin.slopes_deg[0]), *thin.slopes_deg),
        least_drop_mm=12.0,
        lip_ratio=min(proportions.lip_ratio, 0.3),
    )
    if proportions.least_slope_deg > _MAX_ROLLING_DEG:  # a cube turns as it falls: it needs its diagonal
        return (proportions, closer, thin, flat)
    slim = replace(flat, clearance_mm=2.0, spare_width_mm=12.0)
    narrow = replace(slim, spare_width_mm=4.0, side_wall_ratio=_NARROW_SIDES * proportions.side_wall_ratio)
    sturdy = replace(narrow, wall_mm=min(proportions.wall_mm, _NARROW_WALL_MM), clearance_mm=1.5)
    slopes_deg = (_LEVEL_SLOPE_DEG, *flat.slopes_deg)
    level = [replace(each, is_level=True, least_drop_mm=_LEVEL_DROP_MM, slopes_deg=slopes_deg) for each in (flat, slim)]
    found = (proportions, closer, thin, flat, slim, sturdy, narrow)
    if is_held:
        return (*found, *level, *(replace(each, is_lane=True, spare_width_mm=4.0) for each in (flat, level[0])))
    span_mm = min(proportions.span_mm, _LONGEST_OPEN_SPAN_MM)
    is_open = replace(flat, is_open=True, least_drop_mm=6.0, span_mm=span_mm)
    return (*found, is_open, *level, replace(is_open, is_lane=True, spare_width_mm=4.0, clearance_mm=2.0))


def drive_proportions_after(failures: Sequence[Failure], *, has_movers: bool = False) -> DriveProportions:
    """Return the proportions of a driven machine that follow from all failures so far, oldest first.

    Where solids of the environment move, one may have been in the way: the machine then starts later.
    """
    proportions = DriveProportions()
    for failure in failures:
        match failure:
            case "lost" | "flaky" | "stuck" | "overshot" | "overloaded" | "weak_panel" | "weak_joint" if has_movers:
                proportions = replace(proportions, wait_s=proportions.wait_s + _LATER_S)
            case "over_limits" | "slightly_over":
                thinner = _THINNER if failure == "over_limits" else _SLIGHTLY_THINNER
                proportions = replace(proportions, panel_mm=max(thinner * proportions.panel_mm, _MIN_WALL_MM))
            case "lost" | "flaky" | "stuck" | "overshot":
                proportions = replace(
                    proportions,
                    speed_mm_s=_SLOWER * proportions.speed_mm_s,
                    side_ratio=_HIGHER * proportions.side_ratio,
                )
            case "overloaded":
                proportions = replace(
                    proportions,
                    panel_mm=proportions.panel_mm + 1.0,
                    speed_mm_s=_SLOWER * proportions.speed_mm_s,
                )
            case "weak_panel" | "weak_joint" | "unmakeable":
                proportions = replace(proportions, panel_mm=proportions.panel_mm + 1.0)
            case "misplaced" | "too_many_parts" | "too_large" | "interrupted":
                pass  # start and goal determine where the machine is: it cannot move aside
    return proportions
